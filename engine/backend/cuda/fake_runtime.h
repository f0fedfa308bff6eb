// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "engine/backend/cuda/runtime.h"

namespace denoir::cuda {

/// A device made of host memory, for tests and for planning. The host can touch its memory only through the runtime:
/// the pages are locked except during kernels and copies. Kernels run on the emulator. While it records, it refuses
/// what a card refuses then: waiting for it, asking how far it is, and copies from and to the host.
///
/// One of its two queues runs as far ahead as it may, and the other only when somebody waits for it. This reveals work
/// that should have waited for the other queue, and memory of the host that is changed or read too early.
class FakeRuntime : public Runtime {
public:
    /// `backward`: the threads of a block take turns from the last to the first, and the queue that is put off is
    /// `compute` instead of `transfer`.
    /// `counting`: nothing is computed or copied and no memory is touched, so that a run of any size can be planned;
    /// the host reads zeros.
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
    void wait() override;
    bool idle() override;
    void order(Queue before, Queue after) override;
    int make_mark() override;
    void mark(int, Queue) override;
    void await(int, Queue) override;
    bool reached(int) override;
    float time(const std::function<void()>& work) override;
    std::unique_ptr<Graph> record(const std::function<void()>& work) override;
    bool recording() const override { return recording_ != nullptr; }
    void replay(Graph&) override;
    void* stream() const override { return nullptr; }

    /// Submits `work` to `compute`, or records it.
    void submit(std::function<void()> work);

    /// For tests: the allocations with the numbers `first` to `last`, counted from 1, find no memory.
    void fail_between(int first, int last) {
        fail_first_ = first;
        fail_last_ = last;
    }
    /// For tests of whole programs: fail_between(FIRST, LAST) if DENOIR_FAKE_CARD_FAILS=FIRST:LAST is set.
    void fail_as_asked();
    /// As fail_between(), for pinned memory.
    void refuse_pinned(int first = 1, int last = std::numeric_limits<int>::max()) {
        pinned_fail_first_ = first;
        pinned_fail_last_ = last;
    }
    /// Bytes that were copied to the device from pageable memory.
    std::size_t pageable_bytes() const { return pageable_bytes_; }
    std::size_t pinned_blocks() const { return pinned_.size(); }
    int allocations() const { return allocations_; }
    int replays() const { return replays_; }
    std::size_t used() const { return used_; }
    std::size_t peak() const { return peak_; }
    bool backward() const { return backward_; }

private:
    /// Where a mark was set: a place in a queue.
    struct Point {
        Queue queue;
        bool passed = false;
    };
    /// Work to do, a point to pass, or a point to wait for.
    struct Step {
        std::function<void()> work;
        std::shared_ptr<Point> passes = {}, awaits = {};
    };

    void not_recorded(const char* what) const;
    void lock(bool locked);
    bool is_pinned(const std::byte* memory) const;
    void add(Queue, Step);
    std::deque<Step>& steps(Queue queue) { return steps_[static_cast<int>(queue)]; }
    /// Does the first step of a queue and, before it, everything that it waits for.
    void take_step(Queue);
    void run_until(const Point&);
    void finish();

    Properties properties_;
    std::byte* base_ = nullptr;
    std::size_t used_ = 0, peak_ = 0;
    std::map<std::size_t, std::size_t> taken_; ///< offset -> bytes
    struct Pinned {
        std::unique_ptr<std::byte[]> memory;
        std::size_t bytes;
    };
    std::map<const std::byte*, Pinned> pinned_; ///< by their first byte
    std::vector<std::function<void()>>* recording_ = nullptr;
    std::deque<Step> steps_[2];                 ///< by queue: what is not done yet
    std::vector<std::shared_ptr<Point>> marks_; ///< null: never set
    int between_ = -1;                          ///< the mark that order() uses
    std::size_t pageable_bytes_ = 0;
    bool backward_, counting_;
    int fail_first_ = 0, fail_last_ = -1, allocations_ = 0, replays_ = 0;
    int pinned_fail_first_ = 0, pinned_fail_last_ = -1, pinned_allocations_ = 0;
};

} // namespace denoir::cuda
