// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace denoir {

/// A thread pool. The caller cuts work into pieces that do not depend on the number of threads, so that results do not
/// depend on it either. The calling thread takes part. Not reentrant: a piece must not call run().
class ThreadPool {
public:
    /// `threads` 0: one per core that the scheduler and a container's quota allow. Throws Error if they cannot start.
    explicit ThreadPool(int threads = 0);
    ~ThreadPool();
    int threads() const;
    /// The number of threads() that a pool made with `threads` has.
    static int threads_for(int threads);

    /// Calls body(i, worker) once for each i in [0, count), in any order. `worker`, in [0, threads()), is the number of
    /// the calling thread, for scratch memory of its own. Throws Cancelled if the stop token, which is checked between
    /// pieces, is set; rethrows the first exception of a piece.
    void run(std::int64_t count, const std::function<void(std::int64_t i, int worker)>& body);

    /// Sets the token that run() checks; the pipeline does so for each of its runs. Must not be called during run().
    void set_stop(std::stop_token);
    void throw_if_stopped() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir
