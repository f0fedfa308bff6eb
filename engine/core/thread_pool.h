// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace denoir {

/// Our one pool. Work is cut by the caller into pieces that do not depend on the number of threads, so results do not
/// either. The calling thread takes part. Not reentrant: a piece must not call run().
class ThreadPool {
public:
    /// `threads` 0: one per core of the machine (as the scheduler and a container's quota allow this process).
    explicit ThreadPool(int threads = 0);
    ~ThreadPool();
    int threads() const;
    /// Those of a pool that is made for `threads`.
    static int threads_for(int threads);

    /// Calls body(i, worker) for i in [0, count), each once, in any order; worker in [0, threads()) names the thread's
    /// own scratch. Between pieces the stop token is looked at: throws Cancelled. The first exception of a piece is
    /// rethrown here.
    void run(std::int64_t count, const std::function<void(std::int64_t i, int worker)>& body);

    /// Looked at between pieces from now on; set by the pipeline for the time of one run.
    void set_stop(std::stop_token);
    void throw_if_stopped() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir
