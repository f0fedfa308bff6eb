// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <utility>

#include "app/base/task_thread.h"

namespace denoir::app {

/// A question that is asked again and again, where only the answer to the newest one counts. A new question drops one
/// that still waits and stops one that is being answered (ask_next() lets that finish); an answer that comes too late
/// is recognised by its number, which is not newest(). Borrows the thread, which others may share. Use from one thread.
class NewestQuestion {
public:
    using Number = TaskThread::Id;
    explicit NewestQuestion(TaskThread& thread) : thread_(thread) {}
    /// Calls `answer` on the borrowed thread. Returns the number of the question.
    Number ask(TaskThread::Task answer) {
        thread_.cancel(newest_);
        return newest_ = thread_.put(std::move(answer));
    }
    /// As ask(), but an answer in progress is finished: for questions that come faster than they can be answered.
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
