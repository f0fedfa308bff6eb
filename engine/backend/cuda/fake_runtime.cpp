// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/fake_runtime.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
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
    ::madvise(pages, memory, MADV_HUGEPAGE); // all are locked and unlocked for every kernel: the fewer, the faster
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
    std::memset(base_ + at, 0xFF, bytes); // NaN in every float type, to reveal what was never written
    lock(true);
    return base_ + at;
}

void FakeRuntime::release(std::byte* memory) noexcept {
    const auto at = taken_.find(static_cast<std::size_t>(memory - base_));
    assert(at != taken_.end());
    finish(); // a card does its work before it frees memory
    used_ -= at->second;
    taken_.erase(at);
}

void FakeRuntime::fail_as_asked() {
    int first = 0, last = 0;
    const char* asked = std::getenv("DENOIR_FAKE_CARD_FAILS");
    if (asked && std::sscanf(asked, "%d:%d", &first, &last) == 2) fail_between(first, last);
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
    finish();
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

void FakeRuntime::add(Queue queue, Step step) {
    if (counting_) return;
    steps(queue).push_back(std::move(step));
    const Queue ahead = backward_ ? Queue::transfer : Queue::compute;
    while (!steps(ahead).empty()) {
        const auto& awaits = steps(ahead).front().awaits;
        if (awaits && !awaits->passed) return;
        take_step(ahead);
    }
}

void FakeRuntime::take_step(Queue queue) {
    if (const auto& awaits = steps(queue).front().awaits) run_until(*awaits);
    const Step step = std::move(steps(queue).front());
    steps(queue).pop_front();
    if (step.passes) step.passes->passed = true;
    if (!step.work) return;
    lock(false);
    step.work();
    lock(true);
}

void FakeRuntime::run_until(const Point& point) {
    while (!point.passed) take_step(point.queue);
}

void FakeRuntime::finish() {
    for (const Queue queue : {Queue::transfer, Queue::compute})
        while (!steps(queue).empty()) take_step(queue);
}

void FakeRuntime::not_recorded(const char* what) const {
    if (recording_) throw Error("", "device", fmt::format("{} cannot be recorded", what));
}

void FakeRuntime::wait() {
    not_recorded("waiting");
    finish();
}

bool FakeRuntime::idle() {
    not_recorded("asking for what is done");
    finish();
    return true;
}

void FakeRuntime::order(Queue before, Queue after) {
    if (between_ < 0) between_ = make_mark();
    mark(between_, before);
    await(between_, after);
}

int FakeRuntime::make_mark() {
    marks_.emplace_back();
    return static_cast<int>(marks_.size()) - 1;
}

void FakeRuntime::mark(int mark, Queue queue) {
    not_recorded("a mark");
    if (counting_) return;
    const auto point = std::make_shared<Point>(Point{queue});
    marks_.at(static_cast<std::size_t>(mark)) = point;
    add(queue, {.passes = point});
}

void FakeRuntime::await(int mark, Queue queue) {
    not_recorded("waiting for a mark");
    if (const auto& point = marks_.at(static_cast<std::size_t>(mark))) add(queue, {.awaits = point});
}

bool FakeRuntime::reached(int mark) {
    if (const auto& point = marks_.at(static_cast<std::size_t>(mark))) run_until(*point);
    return true;
}

void FakeRuntime::submit(std::function<void()> work) {
    if (recording_)
        recording_->push_back(std::move(work));
    else
        add(Queue::compute, {std::move(work)});
}

void FakeRuntime::to_device(std::byte* device, const std::byte* host, std::size_t bytes, Queue queue) {
    not_recorded("a copy from the host");
    if (is_pinned(host)) return add(queue, {[=] { std::memcpy(device, host, bytes); }});
    pageable_bytes_ += bytes;
    if (counting_) return;
    add(queue, {[device, kept = std::vector(host, host + bytes)] { std::ranges::copy(kept, device); }});
}

void FakeRuntime::to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
    not_recorded("a copy to the host");
    if (counting_) std::memset(host, 0, bytes);
    add(Queue::compute, {[=] { std::memcpy(host, device, bytes); }});
    finish();
}

void FakeRuntime::to_host_later(std::byte* pinned, const std::byte* device, std::size_t bytes) {
    not_recorded("a copy to the host");
    std::memset(pinned, counting_ ? 0 : 0xFF, bytes); // NaN until it is copied
    order(Queue::compute, Queue::transfer);
    add(Queue::transfer, {[=] { std::memcpy(pinned, device, bytes); }});
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
    finish();
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
