// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QtGlobal>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace denoir::app {

/// Runs one task after another on a thread of its own. Destroying it drops the tasks that wait, tells the current one
/// to stop and joins the thread. Tasks must not throw. May be used from any thread.
class TaskThread {
public:
    using Id = quint64; ///< 0: none
    using Task = std::function<void(Id task, const std::stop_token& stop)>;
    static constexpr int background = 10; ///< nice value of a thread that yields to the window's

    struct Options {
        int nice = background; ///< of the thread and those that it starts; 0 is the window's
        /// Frees what tasks keep for later ones. Called on the thread after ten minutes without a task, and when the
        /// thread ends.
        std::function<void()> release;
        std::function<void(Id)> ended; ///< called on the thread after each task, once it is no longer current()
    };
    TaskThread() : TaskThread(Options{}) {}
    explicit TaskThread(Options options);
    ~TaskThread();

    Id put(Task task);
    Id put(std::function<void()> task);
    /// Removes a task that still waits. Returns false if it is running, has ended or does not exist.
    bool drop(Id task);
    /// Like drop(), but tells a task that is running to stop.
    bool cancel(Id task);
    std::vector<Id> cancel_all(); ///< returns the tasks that waited and were removed
    Id current() const;           ///< the running task; 0 if there is none

private:
    struct Waiting {
        Id id;
        Task task;
    };
    void loop(const std::stop_token& end);
    bool next(Waiting& task, const std::stop_token& end);
    void release();

    const Options options_;
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<Waiting> waiting_;
    Id last_ = 0, current_ = 0;
    std::stop_source stop_; ///< of the current task
    std::jthread thread_;   ///< declared last, so that it is joined before the rest is destroyed
};

} // namespace denoir::app
