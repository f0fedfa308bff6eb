// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace denoir {

/// Our own thread pool. The caller cuts work into pieces that do not depend on the number of threads, so
/// results do not either. The calling thread takes part. Not reentrant: a piece must not call run().
class ThreadPool {
public:
    /// `threads` 0: one per core that the scheduler and a container's quota allow. Throws Error if they cannot start.
    explicit ThreadPool(int threads = 0);
    ~ThreadPool();
    int threads() const;
    /// threads() of a pool made with `threads`.
    static int threads_for(int threads);

    /// Calls body(i, worker) for i in [0, count), each once, in any order; worker in [0, threads()) names the thread's
    /// own scratch. The stop token is checked between pieces: throws Cancelled. The first exception of a piece is
    /// rethrown here.
    void run(std::int64_t count, const std::function<void(std::int64_t i, int worker)>& body);

    /// Sets the token that run() checks, but not while it runs; the pipeline does so for each of its runs.
    void set_stop(std::stop_token);
    void throw_if_stopped() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir
