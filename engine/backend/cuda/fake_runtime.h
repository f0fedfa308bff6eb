// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "engine/backend/cuda/runtime.h"

namespace denoir::cuda {

/// A device made of host memory, for tests and for planning. The host cannot touch its memory but through the runtime:
/// the pages are locked outside kernels and copies. Kernels run on the emulator, at once. While it records, it refuses
/// what a card refuses then: to be waited for or asked how far it is, and copies from and to the host. Copies from and
/// to pinned memory are done as late as is allowed: who changes or reads it too early is found out.
class FakeRuntime final : public Runtime {
public:
    /// `backward`: the threads of a block take turns from the last to the first.
    /// `counting`: nothing is computed or copied and no memory is touched, so that a run of any size can be planned;
    /// what the host reads is zero.
    explicit FakeRuntime(std::size_t memory = std::size_t{256} << 20, bool backward = false, bool counting = false);
    ~FakeRuntime() override;

    const Properties& properties() const override { return properties_; }
    std::size_t free_memory() override { return properties_.memory - used_; }
    std::byte* allocate(std::size_t bytes) override;
    void release(std::byte* memory) noexcept override;
    std::byte* allocate_pinned(std::size_t bytes) override;
    void release_pinned(std::byte* memory) noexcept override;
    void to_device(std::byte* device, const std::byte* host, std::size_t bytes, Queue) override;
    void to_host(std::byte* host, const std::byte* device, std::size_t bytes) override;
    void to_host_later(std::byte* pinned, const std::byte* device, std::size_t bytes) override;
    void on_device(std::byte* to, const std::byte* from, std::size_t bytes) override;
    void set(std::byte* device, std::uint8_t value, std::size_t bytes) override;
    void wait() override {
        not_recorded("waiting");
        copy_now();
    }
    bool idle() override {
        not_recorded("asking for what is done");
        return true;
    }
    void order(Queue, Queue) override {
        not_recorded("order between queues");
        arrive(Queue::transfer);
    }
    int make_mark() override { return marks_++; }
    void mark(int, Queue) override { not_recorded("a mark"); }
    void await(int, Queue) override {
        not_recorded("waiting for a mark");
        arrive(Queue::transfer);
    }
    bool reached(int) override {
        copy_now();
        return true;
    }
    float time(const std::function<void()>& work) override;
    std::unique_ptr<Graph> record(const std::function<void()>& work) override;
    bool recording() const override { return recording_ != nullptr; }
    void replay(Graph&) override;
    void* stream() const override { return nullptr; }

    /// Does `work` now, or records it.
    void submit(std::function<void()> work);

    /// For tests: allocations number first … last of all (the first is 1) find no memory.
    void fail_between(int first, int last) {
        fail_first_ = first;
        fail_last_ = last;
    }
    /// Likewise for pinned memory.
    void refuse_pinned(int first = 1, int last = std::numeric_limits<int>::max()) {
        pinned_fail_first_ = first;
        pinned_fail_last_ = last;
    }
    /// Bytes that copies to the device read from pageable memory.
    std::size_t pageable_bytes() const { return pageable_bytes_; }
    std::size_t pinned_blocks() const { return pinned_.size(); }
    int allocations() const { return allocations_; }
    int replays() const { return replays_; }
    std::size_t used() const { return used_; }
    std::size_t peak() const { return peak_; }
    bool backward() const { return backward_; }

private:
    void not_recorded(const char* what) const;
    void lock(bool locked);
    void copy_now();
    /// Does the copies to the device that were asked for on a queue.
    void arrive(Queue);
    bool is_pinned(const std::byte* memory) const;
    void perform(const std::function<void()>& work);

    Properties properties_;
    std::byte* base_ = nullptr;
    std::size_t used_ = 0, peak_ = 0;
    std::map<std::size_t, std::size_t> taken_; ///< offset -> bytes
    struct Pinned {
        std::unique_ptr<std::byte[]> memory;
        std::size_t bytes;
    };
    std::map<const std::byte*, Pinned> pinned_; ///< by their begin
    std::vector<std::function<void()>>* recording_ = nullptr;
    /// Copies to the host and, of both queues, to the device that nobody has waited for.
    std::vector<std::function<void()>> later_, arriving_[2];
    std::size_t pageable_bytes_ = 0;
    bool backward_, counting_;
    int fail_first_ = 0, fail_last_ = -1, allocations_ = 0, replays_ = 0, marks_ = 0;
    int pinned_fail_first_ = 0, pinned_fail_last_ = -1, pinned_allocations_ = 0;
};

} // namespace denoir::cuda
