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

/// One task after another on a thread of its own. Destroying it drops what waits, tells the task at work to stop and
/// joins it. Tasks do not throw. All of it from any thread.
class TaskThread {
public:
    using Id = quint64; ///< 0: none
    using Task = std::function<void(Id task, const std::stop_token& stop)>;
    static constexpr int background = 10; ///< steps back behind the window's thread

    struct Options {
        int nice = background; ///< of the thread and those it starts; 0: as the window's
        /// Frees what tasks keep for the next one. Called on the thread after ten minutes without a task, and when the
        /// thread ends.
        std::function<void()> release;
        std::function<void(Id)> ended; ///< called on the thread after each task, when it is no longer current()
    };
    TaskThread() : TaskThread(Options{}) {}
    explicit TaskThread(Options options);
    ~TaskThread();

    Id put(Task task);
    Id put(std::function<void()> task);
    /// Removes a task that still waits. False: it is being done, is over, or never was.
    bool drop(Id task);
    /// As drop(), but a task that is being done is told to stop.
    bool cancel(Id task);
    std::vector<Id> cancel_all(); ///< those that waited
    Id current() const;           ///< at work; 0: none

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
    std::jthread thread_;   ///< last: joined before the rest goes
};

} // namespace denoir::app
