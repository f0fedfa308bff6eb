// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <deque>
#include <functional>
#include <mutex>

#include "app/base/issue.h"
#include "app/base/task_thread.h"

namespace denoir::app {

/// The order of what is done to files on a disk that may be slow: one piece of work after another, as they were put, on
/// a thread of its own. So nothing overtakes what was asked for before it, and the window waits for none of it. Work
/// owns all it needs; what only work touches needs no lock. GUI thread.
class DiskWork : public QObject {
    Q_OBJECT
public:
    using Id = TaskThread::Id; ///< 0: none
    explicit DiskWork(QObject* parent = nullptr);
    ~DiskWork() override; ///< does what still waits, and tells nothing more

    /// Does `work` on the other thread, then calls `told` on this one with what it threw; empty: it is done.
    Id put(std::function<void()> work, std::function<void(const Issue&)> told = {});
    /// Takes back what has not begun: it is neither done nor told. False: it has begun, or never was.
    bool take_back(Id work);
    bool busy() const { return open_ > 0; } ///< something has not been told yet
    void finish();                          ///< blocks until all is done and told

private:
    void await();
    void tell();

    int open_ = 0;
    std::mutex mutex_;
    std::deque<std::function<void()>> done_; ///< not told yet
    TaskThread thread_;                      ///< last: joined before the rest goes
};

} // namespace denoir::app
