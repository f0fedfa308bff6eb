// SPDX-License-Identifier: Apache-2.0
#include "engine/core/thread_pool.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/core/control_groups.h"
#include "engine/core/error.h"

namespace denoir {
namespace {

/// Libraries called from a piece may use OpenMP. Inside our pool they must stay single-threaded: a second set of
/// threads would compete with ours, and results would depend on their number. The functions are looked up at run time,
/// so that core does not depend on an OpenMP.
struct OpenMp {
    void (*set_threads)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    int (*max_threads)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
};

const OpenMp& openmp() {
    static const OpenMp found;
    return found;
}

/// While this exists, OpenMP uses one thread in the calling thread.
class SingleOpenMpThread {
public:
    SingleOpenMpThread() {
        if (!openmp().set_threads || !openmp().max_threads) return;
        before_ = openmp().max_threads();
        openmp().set_threads(1);
    }
    ~SingleOpenMpThread() {
        if (before_ > 0) openmp().set_threads(before_);
    }
    SingleOpenMpThread(const SingleOpenMpThread&) = delete;

private:
    int before_ = 0;
};

/// The cores that this process may use. More threads than a container's quota allows would use up its time early in
/// every period and then all be stopped.
int available_cores() {
    cpu_set_t set;
    const int cores = sched_getaffinity(0, sizeof set, &set) == 0
                          ? CPU_COUNT(&set)
                          : static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, std::min(cores, cores_of_quota().value_or(cores)));
}

/// Lowers the priority of a worker, so that windows on the same machine stay responsive.
void lower_priority() {
    const auto thread = static_cast<id_t>(gettid());
    setpriority(PRIO_PROCESS, thread, std::min(19, getpriority(PRIO_PROCESS, thread) + 5));
}

/// Polls `done` for a moment before the caller goes to sleep: if the next work comes soon, going to sleep and being
/// woken takes longer than small work does (a tenth of the bundled model's render). Lets other threads run meanwhile.
template <class Done> void poll_briefly(Done done) {
    constexpr std::chrono::microseconds moment(50);
    const auto end = std::chrono::steady_clock::now() + moment;
    while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

} // namespace

struct ThreadPool::State {
    std::mutex mutex;
    std::condition_variable work_there, work_left;
    // These change only under the mutex; the atomic ones may be read without it.
    const std::function<void(std::int64_t, int)>* body = nullptr; ///< null: nothing to do; who wakes late sleeps again
    std::atomic<std::uint64_t> job = 0;
    std::atomic<int> busy = 0;
    std::atomic<bool> quit = false;
    std::exception_ptr error;
    // These belong to the current job.
    std::int64_t count = 0;
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> cancelled{false};
    std::stop_token stop;
    std::vector<std::jthread> workers;

    /// Runs pieces until there are none left.
    void work(const std::function<void(std::int64_t, int)>& run_piece, int worker) {
        for (;;) {
            if (stop.stop_requested()) {
                cancelled = true;
                next = count;
            }
            const std::int64_t i = next.fetch_add(1, std::memory_order_relaxed);
            if (i >= count) return;
            try {
                run_piece(i, worker);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!error) error = std::current_exception();
                next = count;
            }
        }
    }

    void worker_loop(int worker) {
        lower_priority();
        const SingleOpenMpThread single;
        std::uint64_t done = 0;
        for (;;) {
            poll_briefly([&] { return quit || job != done; });
            std::unique_lock lock(mutex);
            work_there.wait(lock, [&] { return quit || (body && job != done); });
            if (quit) return;
            done = job;
            const auto* current = body;
            ++busy;
            lock.unlock();
            work(*current, worker);
            lock.lock();
            if (--busy == 0) work_left.notify_all();
        }
    }

    void end_workers() {
        {
            const std::lock_guard lock(mutex);
            quit = true;
        }
        work_there.notify_all();
        workers.clear();
    }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
    const int n = threads_for(threads);
    try {
        for (int worker = 1; worker < n; ++worker)
            state_->workers.emplace_back([state = state_.get(), worker] { state->worker_loop(worker); });
    } catch (const std::system_error&) {
        state_->end_workers();
        throw Error("", "threads", fmt::format("the system cannot start {} threads", n), "ask for fewer");
    }
}

ThreadPool::~ThreadPool() { state_->end_workers(); }

int ThreadPool::threads_for(int threads) { return threads > 0 ? threads : available_cores(); }

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::run(std::int64_t count, const std::function<void(std::int64_t i, int worker)>& body) {
    State& s = *state_;
    throw_if_stopped();
    if (count <= 0) return;
    const SingleOpenMpThread single;
    const bool share = count > 1 && !s.workers.empty();
    {
        const std::lock_guard lock(s.mutex);
        assert(!s.body && s.busy == 0 && "run() is not reentrant");
        s.count = count;
        s.next = 0;
        s.cancelled = false;
        s.error = nullptr;
        if (share) {
            s.body = &body;
            ++s.job;
        }
    }
    if (share && count - 1 < static_cast<std::int64_t>(s.workers.size()))
        for (std::int64_t i = 1; i < count; ++i) s.work_there.notify_one();
    else if (share)
        s.work_there.notify_all();
    s.work(body, 0);

    {
        const std::lock_guard lock(s.mutex);
        s.body = nullptr;
    }
    poll_briefly([&] { return s.busy == 0; });
    std::unique_lock lock(s.mutex);
    s.work_left.wait(lock, [&] { return s.busy == 0; });
    if (s.error) std::rethrow_exception(std::exchange(s.error, nullptr));
    if (s.cancelled) throw Cancelled();
}

void ThreadPool::set_stop(std::stop_token stop) { state_->stop = std::move(stop); }

void ThreadPool::throw_if_stopped() const {
    if (state_->stop.stop_requested()) throw Cancelled();
}

} // namespace denoir
