// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace denoir::cuda {

/// What a card is; planners and caches read this and nothing else.
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

/// The few things that the backend asks of a device: memory, copies, order, recording. `CardRuntime` is an NVIDIA card;
/// `FakeRuntime` keeps device memory on the host and runs kernels thread by thread, for the tests.
///
/// There are two queues: `compute`, on which everything runs unless said, and `transfer`, for weights on their way.
/// Used by one thread at a time. Failures are Errors.
class Runtime {
public:
    enum class Queue { compute, transfer };
    virtual ~Runtime() = default;
    virtual const Properties& properties() const = 0;
    virtual std::size_t free_memory() = 0;

    /// Null where there is none. 256-byte aligned.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual void release(std::byte* memory) noexcept = 0;
    /// Host memory that a transfer reads without a detour; null where the system does not give it.
    virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
    virtual void release_pinned(std::byte* memory) noexcept = 0;

    /// `host` may be used again at once unless it is pinned.
    virtual void to_device(std::byte* device, const std::byte* host, std::size_t bytes, Queue = Queue::compute) = 0;
    /// Waits until it is there.
    virtual void to_host(std::byte* host, const std::byte* device, std::size_t bytes) = 0;
    /// Begins to copy to pinned memory what `device` holds after all that was asked on `compute` so far, on the queue
    /// `transfer`.
    virtual void to_host_later(std::byte* pinned, const std::byte* device, std::size_t bytes) = 0;
    virtual void on_device(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    virtual void set(std::byte* device, std::uint8_t value, std::size_t bytes) = 0;
    /// Until everything that was asked for is done. Throws what went wrong on the device since.
    virtual void wait() = 0;
    /// Whether wait() would return at once.
    virtual bool idle() = 0;
    /// What comes next on `after` waits for all that was asked on `before` so far.
    virtual void order(Queue before, Queue after) = 0;
    /// A point on a queue: `mark` sets it (again), `await` makes a queue wait for it, `reached` says whether it has
    /// passed.
    virtual int make_mark() = 0;
    virtual void mark(int mark, Queue) = 0;
    virtual void await(int mark, Queue) = 0;
    virtual bool reached(int mark) = 0;
    /// Milliseconds of the device that `work` takes on the compute queue.
    virtual float time(const std::function<void()>& work) = 0;

    /// Records what `work` asks for instead of doing it. What cannot be recorded throws, and nothing is recorded then.
    virtual std::unique_ptr<Graph> record(const std::function<void()>& work) = 0;
    virtual bool recording() const = 0;
    virtual void replay(Graph&) = 0;

    /// The native stream of the compute queue, for libraries; null on a fake device.
    virtual void* stream() const = 0;
};

/// Repeats `work`, which takes and returns milliseconds of the device, until a card that stood idle has gathered speed:
/// what is measured before it has is up to several times too slow.
template <class Work> void warm_up(Work work) {
    constexpr float enough = 30;
    constexpr int most = 300; // of the shortest kernels: the host would take longer than the card
    float spent = 0;
    for (int i = 0; i < most && spent < enough; ++i) spent += work();
}

/// Card number `index`. Throws Error that says why it cannot be used: no driver, no such card, too old.
std::shared_ptr<Runtime> open_card(int index);

} // namespace denoir::cuda
