// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <utility>

#include "app/base/task_thread.h"

namespace denoir::app {

/// A question asked over and over, of which only the newest answer counts: one that still waits is never answered, one
/// at work is told to stop (or not: ask_next), and what comes of it all the same is known by its number. Borrows the
/// thread, which others may share. One thread asks.
class NewestQuestion {
public:
    using Number = TaskThread::Id;
    explicit NewestQuestion(TaskThread& thread) : thread_(thread) {}
    /// `answer` is called on the thread. Returns the number of the question.
    Number ask(TaskThread::Task answer) {
        thread_.cancel(newest_);
        return newest_ = thread_.put(std::move(answer));
    }
    /// As ask(), but one at work goes on to its end: for what is asked more often than it can be answered.
    Number ask_next(TaskThread::Task answer) {
        thread_.drop(newest_);
        return newest_ = thread_.put(std::move(answer));
    }
    /// Nobody waits for an answer any more.
    void withdraw() { thread_.cancel(std::exchange(newest_, 0)); }
    Number newest() const { return newest_; } ///< 0: none is asked

private:
    TaskThread& thread_;
    Number newest_ = 0;
};

} // namespace denoir::app
