// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/disk_work.h"

#include <future>
#include <memory>
#include <utility>

namespace denoir::app {

DiskWork::DiskWork(QObject* parent) : QObject(parent), thread_({.nice = 0, .release = {}, .ended = {}}) {}

DiskWork::~DiskWork() { await(); }

DiskWork::Id DiskWork::put(std::function<void()> work, std::function<void(const Issue&)> told) {
    ++open_;
    return thread_.put([this, work = std::move(work), told = std::move(told)]() mutable {
        Issue issue;
        try {
            work();
        } catch (...) {
            issue = Issue::from_current_exception();
        }
        {
            const std::scoped_lock lock(mutex_);
            done_.emplace_back([told = std::move(told), issue] {
                if (told) told(issue);
            });
        }
        QMetaObject::invokeMethod(this, &DiskWork::tell, Qt::QueuedConnection);
    });
}

bool DiskWork::take_back(Id work) {
    const bool waited = thread_.drop(work);
    open_ -= waited;
    return waited;
}

void DiskWork::finish() {
    while (busy()) {
        await();
        tell();
    }
}

void DiskWork::await() {
    const auto all = std::make_shared<std::promise<void>>();
    thread_.put([all] { all->set_value(); });
    all->get_future().wait();
}

/// Calls every `told` that is due. Takes them from done_ one at a time, as one of them may call finish().
void DiskWork::tell() {
    for (;;) {
        std::function<void()> next;
        {
            const std::scoped_lock lock(mutex_);
            if (done_.empty()) return;
            next = std::move(done_.front());
            done_.pop_front();
        }
        --open_;
        next();
    }
}

} // namespace denoir::app
