// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace denoir::app {

/// One task after another on a thread that steps back behind the window's. Destroying it drops what waits and joins the
/// task at work, which whoever gave it has told to stop. Tasks do not throw.
class TaskThread {
public:
    TaskThread();
    void put(std::function<void()> task);

private:
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<std::function<void()>> tasks_;
    std::jthread thread_; ///< last: joined before the rest goes
};

} // namespace denoir::app
