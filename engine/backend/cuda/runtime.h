// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace denoir::cuda {

/// What planners and caches need to know about a card.
struct Properties {
    std::string name;
    int major = 0, minor = 0; ///< compute capability
    int multiprocessors = 0;
    std::size_t memory = 0; ///< bytes in all
};

/// A recorded sequence of kernels and copies.
class Graph {
public:
    virtual ~Graph() = default;
};

/// What the backend asks of a device: memory, copies, ordering, recording. `CardRuntime` is an NVIDIA card;
/// `FakeRuntime` keeps device memory on the host and runs kernels thread by thread, for the tests.
///
/// Work is submitted to one of two queues: `compute`, unless said otherwise, or `transfer`, for copies of weights. Used
/// by one thread at a time. Failures are Errors.
class Runtime {
public:
    enum class Queue { compute, transfer };
    virtual ~Runtime() = default;
    virtual const Properties& properties() const = 0;
    virtual std::size_t free_memory() = 0;

    /// Device memory, 256-byte aligned; null if there is not enough.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual void release(std::byte* memory) noexcept = 0;
    /// Page-locked host memory, which the device reads directly; null if the system refuses it.
    virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
    virtual void release_pinned(std::byte* memory) noexcept = 0;

    /// Copies to the device. `host` may be overwritten at once, unless it is pinned: then only when the copy is done.
    virtual void to_device(std::byte* device, const std::byte* host, std::size_t bytes, Queue = Queue::compute) = 0;
    /// Copies to the host and waits until the copy is done.
    virtual void to_host(std::byte* host, const std::byte* device, std::size_t bytes) = 0;
    /// Copies to pinned memory on the queue `transfer`, without waiting: what `device` holds once everything submitted
    /// to `compute` so far is done.
    virtual void to_host_later(std::byte* pinned, const std::byte* device, std::size_t bytes) = 0;
    virtual void on_device(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    virtual void set(std::byte* device, std::uint8_t value, std::size_t bytes) = 0;
    /// Waits until all submitted work is done. Throws Error if any of it failed.
    virtual void wait() = 0;
    /// Whether wait() would return at once.
    virtual bool idle() = 0;
    /// Makes later work on `after` wait for all work submitted to `before` so far.
    virtual void order(Queue before, Queue after) = 0;
    /// Marks are points in a queue (CUDA events): `mark` sets one (again), `await` makes later work on a queue wait for
    /// it, `reached` tells whether the queue has passed it.
    virtual int make_mark() = 0;
    virtual void mark(int mark, Queue) = 0;
    virtual void await(int mark, Queue) = 0;
    virtual bool reached(int mark) = 0;
    /// Milliseconds of device time that `work` takes on the compute queue.
    virtual float time(const std::function<void()>& work) = 0;

    /// Records what `work` submits instead of running it. Throws, recording nothing, if any of it cannot be recorded.
    virtual std::unique_ptr<Graph> record(const std::function<void()>& work) = 0;
    virtual bool recording() const = 0;
    virtual void replay(Graph&) = 0;

    /// The native stream of the compute queue, for libraries; null on a fake device.
    virtual void* stream() const = 0;
};

/// Repeats `work`, which returns the milliseconds that it took, until a card that was idle has raised its clocks:
/// anything measured before that can be several times too slow.
template <class Work> void warm_up(Work work) {
    constexpr float enough = 30;
    constexpr int most = 300; // for the shortest kernels, whose launches take longer than they do
    float spent = 0;
    for (int i = 0; i < most && spent < enough; ++i) spent += work();
}

/// Card number `index`. Throws Error that says why it cannot be used: no driver, no such card, too old.
std::shared_ptr<Runtime> open_card(int index);

} // namespace denoir::cuda
