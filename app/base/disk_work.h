// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <deque>
#include <functional>
#include <mutex>

#include "app/base/issue.h"
#include "app/base/task_thread.h"

namespace denoir::app {

/// Changes files on a disk that may be slow: does one piece of work after another, in the order of put(), on a thread
/// of its own. So the window does not wait, and nothing overtakes what was asked for earlier. Work must own all that it
/// uses; data that only work touches needs no lock. GUI thread.
class DiskWork : public QObject {
    Q_OBJECT
public:
    using Id = TaskThread::Id; ///< 0: none
    explicit DiskWork(QObject* parent = nullptr);
    ~DiskWork() override; ///< does the work that still waits, without calling any `told`

    /// Does `work` on the other thread, then calls `told` on this one with what it threw, or with an empty Issue.
    Id put(std::function<void()> work, std::function<void(const Issue&)> told = {});
    /// Drops work that has not begun; its `told` is not called. Returns false if it has begun or does not exist.
    bool take_back(Id work);
    bool busy() const { return open_ > 0; } ///< some `told` has not been called yet
    void finish();                          ///< blocks until all work is done and every `told` was called

private:
    void await();
    void tell();

    int open_ = 0;
    std::mutex mutex_;
    std::deque<std::function<void()>> done_; ///< the calls of `told` that are still to be made
    TaskThread thread_;                      ///< declared last, so that it is joined before the rest is destroyed
};

} // namespace denoir::app
