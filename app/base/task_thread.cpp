// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/task_thread.h"

#include "app/base/low_priority.h"

namespace denoir::app {
namespace {

constexpr int worker_nice = 10;

} // namespace

TaskThread::TaskThread() {
    thread_ = std::jthread([this](const std::stop_token& end) {
        lower_priority(worker_nice);
        while (!end.stop_requested()) {
            std::function<void()> task;
            {
                std::unique_lock lock(mutex_);
                if (!wake_.wait(lock, end, [this] { return !tasks_.empty(); })) return;
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            task();
        }
    });
}

void TaskThread::put(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    wake_.notify_all();
}

} // namespace denoir::app
