// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <utility>

#include "app/base/task_thread.h"

namespace denoir::app {

/// A question that is asked again and again, of which only the newest answer counts. A new question drops one that
/// still waits, and stops one that is being answered (ask_next() lets that finish). The number of an outdated answer
/// differs from newest(). Borrows the thread, which others may use as well. Use from one thread.
class NewestQuestion {
public:
    using Number = TaskThread::Id;
    explicit NewestQuestion(TaskThread& thread) : thread_(thread) {}
    /// Calls `answer` on the borrowed thread. Returns the number of the question.
    Number ask(TaskThread::Task answer) {
        thread_.cancel(newest_);
        return newest_ = thread_.put(std::move(answer));
    }
    /// Like ask(), but lets an answer in progress finish: for questions that come faster than they can be answered.
    Number ask_next(TaskThread::Task answer) {
        thread_.drop(newest_);
        return newest_ = thread_.put(std::move(answer));
    }
    /// Drops the question, or stops the answer in progress, as nobody needs it any more.
    void withdraw() { thread_.cancel(std::exchange(newest_, 0)); }
    Number newest() const { return newest_; } ///< 0 if there is none

private:
    TaskThread& thread_;
    Number newest_ = 0;
};

} // namespace denoir::app
