// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/task_thread.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/base/low_priority.h"

namespace denoir::app {
namespace {

constexpr auto kept = std::chrono::minutes(10); ///< how long after the last task release() is called

} // namespace

TaskThread::TaskThread(Options options) : options_(std::move(options)) {
    thread_ = std::jthread([this](const std::stop_token& end) { loop(end); });
}

TaskThread::~TaskThread() {
    thread_.request_stop();
    cancel_all();
    thread_.join();
}

void TaskThread::loop(const std::stop_token& end) {
    lower_priority(options_.nice);
    for (Waiting task{}; next(task, end);) {
        task.task(task.id, stop_.get_token());
        task.task = {}; // destroys what the task holds before it counts as ended
        {
            const std::lock_guard lock(mutex_);
            current_ = 0;
        }
        if (options_.ended) options_.ended(task.id);
    }
    release();
}

/// Waits for a task and makes it the current one. Returns false if the thread is to end.
bool TaskThread::next(Waiting& task, const std::stop_token& end) {
    const auto awaited = [this] { return !waiting_.empty(); };
    std::unique_lock lock(mutex_);
    if (!wake_.wait_for(lock, end, kept, awaited) && !end.stop_requested()) {
        lock.unlock();
        release();
        lock.lock();
        wake_.wait(lock, end, awaited);
    }
    if (end.stop_requested()) return false;
    task = std::move(waiting_.front());
    waiting_.pop_front();
    current_ = task.id;
    stop_ = {};
    return true;
}

void TaskThread::release() {
    if (options_.release) options_.release();
}

TaskThread::Id TaskThread::put(Task task) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({++last_, std::move(task)});
    wake_.notify_all();
    return last_;
}

TaskThread::Id TaskThread::put(std::function<void()> task) {
    return put([task = std::move(task)](Id, const std::stop_token&) { task(); });
}

bool TaskThread::drop(Id task) {
    const std::lock_guard lock(mutex_);
    return std::erase_if(waiting_, [task](const Waiting& waiting) { return waiting.id == task; }) > 0;
}

bool TaskThread::cancel(Id task) {
    if (drop(task)) return true;
    const std::lock_guard lock(mutex_);
    if (task != 0 && task == current_) stop_.request_stop();
    return false;
}

std::vector<TaskThread::Id> TaskThread::cancel_all() {
    std::deque<Waiting> dropped; // destroyed without the lock, as that may take a while
    std::vector<Id> ids;
    {
        const std::lock_guard lock(mutex_);
        dropped.swap(waiting_);
        if (current_ != 0) stop_.request_stop();
    }
    for (const Waiting& waiting : dropped) ids.push_back(waiting.id);
    return ids;
}

TaskThread::Id TaskThread::current() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

} // namespace denoir::app
