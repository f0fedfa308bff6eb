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

/// A device made of host memory, for tests and for planning. The host cannot touch its memory but through the runtime:
/// the pages are locked outside kernels and copies. Kernels run on the emulator. While it records, it refuses what a
/// card refuses then: to be waited for or asked how far it is, and copies from and to the host.
///
/// Of its two queues one runs as far ahead as it may, and the other is put off until somebody waits for it: work that
/// should have waited for the other queue, and memory of the host that is changed or read too early, are found out.
class FakeRuntime : public Runtime {
public:
    /// `backward`: the threads of a block take turns from the last to the first, and it is `compute` that is put off,
    /// else `transfer`.
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

    /// Asks for `work` on `compute`, or records it.
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
    /// Where a mark was set: a place in a queue.
    struct Point {
        Queue queue;
        bool passed = false;
    };
    /// Something to do, a point to pass, or one to wait for.
    struct Step {
        std::function<void()> work;
        std::shared_ptr<Point> passes = {}, awaits = {};
    };

    void not_recorded(const char* what) const;
    void lock(bool locked);
    bool is_pinned(const std::byte* memory) const;
    void add(Queue, Step);
    std::deque<Step>& steps(Queue queue) { return steps_[static_cast<int>(queue)]; }
    /// The first step of a queue and, before it, what it waits for.
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
    std::map<const std::byte*, Pinned> pinned_; ///< by their begin
    std::vector<std::function<void()>>* recording_ = nullptr;
    std::deque<Step> steps_[2];                 ///< of each queue what is not done yet
    std::vector<std::shared_ptr<Point>> marks_; ///< null: never set
    int between_ = -1;                          ///< mark used by order()
    std::size_t pageable_bytes_ = 0;
    bool backward_, counting_;
    int fail_first_ = 0, fail_last_ = -1, allocations_ = 0, replays_ = 0;
    int pinned_fail_first_ = 0, pinned_fail_last_ = -1, pinned_allocations_ = 0;
};

} // namespace denoir::cuda
