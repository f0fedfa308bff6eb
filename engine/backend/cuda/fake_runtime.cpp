// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/fake_runtime.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "engine/core/error.h"

namespace denoir::cuda {
namespace {

class FakeGraph final : public Graph {
public:
    std::vector<std::function<void()>> work;
};

constexpr std::size_t alignment = 256;

} // namespace

FakeRuntime::FakeRuntime(std::size_t memory, bool backward, bool counting) : backward_(backward), counting_(counting) {
    properties_ = {"fake device", 9, 0, 4, memory};
    void* pages = ::mmap(nullptr, memory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(pages);
}

FakeRuntime::~FakeRuntime() { ::munmap(base_, properties_.memory); }

std::byte* FakeRuntime::allocate(std::size_t bytes) {
    ++allocations_;
    if (allocations_ >= fail_first_ && allocations_ <= fail_last_) return nullptr;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    std::size_t at = 0; // the first gap that is large enough
    for (const auto& [offset, size] : taken_) {
        if (offset - at >= bytes) break;
        at = offset + size;
    }
    if (bytes > properties_.memory || at > properties_.memory - bytes) return nullptr;
    taken_[at] = bytes;
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    if (counting_) return base_ + at;
    lock(false);
    std::memset(base_ + at, 0xFF, bytes); // NaN in every float type: what was never written shows
    lock(true);
    return base_ + at;
}

void FakeRuntime::release(std::byte* memory) noexcept {
    const auto at = taken_.find(static_cast<std::size_t>(memory - base_));
    assert(at != taken_.end());
    for (const Queue queue : {Queue::compute, Queue::transfer}) arrive(queue); // a card waits for itself then
    used_ -= at->second;
    taken_.erase(at);
}

std::byte* FakeRuntime::allocate_pinned(std::size_t bytes) {
    ++pinned_allocations_;
    if (pinned_allocations_ >= pinned_fail_first_ && pinned_allocations_ <= pinned_fail_last_) return nullptr;
    auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::byte* data = memory.get();
    pinned_[data] = {std::move(memory), bytes};
    return data;
}

void FakeRuntime::release_pinned(std::byte* memory) noexcept {
    copy_now();
    pinned_.erase(memory);
}

bool FakeRuntime::is_pinned(const std::byte* memory) const {
    const auto after = pinned_.upper_bound(memory);
    if (after == pinned_.begin()) return false;
    const auto& [begin, block] = *std::prev(after);
    return memory < begin + block.bytes;
}

void FakeRuntime::lock(bool locked) {
    ::mprotect(base_, properties_.memory, locked ? PROT_NONE : PROT_READ | PROT_WRITE);
}

void FakeRuntime::perform(const std::function<void()>& work) {
    if (counting_) return;
    lock(false);
    work();
    lock(true);
}

void FakeRuntime::submit(std::function<void()> work) {
    if (recording_)
        recording_->push_back(std::move(work));
    else {
        arrive(Queue::compute);
        perform(work);
    }
}

void FakeRuntime::not_recorded(const char* what) const {
    if (recording_) throw Error("", "device", fmt::format("{} cannot be recorded", what));
}

void FakeRuntime::to_device(std::byte* device, const std::byte* host, std::size_t bytes, Queue queue) {
    not_recorded("a copy from the host");
    const auto copy = [=] { std::memcpy(device, host, bytes); };
    if (is_pinned(host)) {
        arriving_[static_cast<int>(queue)].push_back(copy);
        return;
    }
    arrive(queue);
    perform(copy);
    pageable_bytes_ += bytes;
}

void FakeRuntime::arrive(Queue queue) {
    for (const auto& copy : std::exchange(arriving_[static_cast<int>(queue)], {})) perform(copy);
}

void FakeRuntime::to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
    not_recorded("a copy to the host");
    if (counting_) std::memset(host, 0, bytes);
    arrive(Queue::compute);
    perform([&] { std::memcpy(host, device, bytes); });
}

void FakeRuntime::to_host_later(std::byte* pinned, const std::byte* device, std::size_t bytes) {
    not_recorded("a copy to the host");
    std::memset(pinned, counting_ ? 0 : 0xFF, bytes); // NaN until then
    later_.push_back([=] { std::memcpy(pinned, device, bytes); });
}

void FakeRuntime::copy_now() {
    arrive(Queue::compute);
    arrive(Queue::transfer);
    for (const auto& copy : std::exchange(later_, {})) perform(copy);
}

void FakeRuntime::on_device(std::byte* to, const std::byte* from, std::size_t bytes) {
    submit([=] { std::memmove(to, from, bytes); });
}

void FakeRuntime::set(std::byte* device, std::uint8_t value, std::size_t bytes) {
    submit([=] { std::memset(device, value, bytes); });
}

float FakeRuntime::time(const std::function<void()>& work) {
    not_recorded("timing");
    work();
    return 1.0f;
}

std::unique_ptr<Graph> FakeRuntime::record(const std::function<void()>& work) {
    auto graph = std::make_unique<FakeGraph>();
    recording_ = &graph->work;
    try {
        work();
    } catch (...) {
        recording_ = nullptr;
        throw;
    }
    recording_ = nullptr;
    return graph;
}

void FakeRuntime::replay(Graph& graph) {
    ++replays_;
    for (const auto& work : static_cast<FakeGraph&>(graph).work) submit(work);
}

} // namespace denoir::cuda
