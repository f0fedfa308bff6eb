// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QFutureWatcher>
#include <QObject>
#include <QThreadPool>
#include <QtConcurrent/QtConcurrentRun>
#include <type_traits>
#include <utility>

namespace denoir::app {

/// For what may wait for a slow disk. Not Qt's own pool: QtGui paints large pictures with that, and the window would
/// wait, too. Its work is over before the application is gone. GUI thread.
inline QThreadPool* background_pool() {
    static auto* const pool = new QThreadPool(QCoreApplication::instance());
    return pool;
}

/// `work` on a thread of `pool`, then `use` with what it returned, once, in this thread while `context` lives, which
/// lives here. `work` must not throw. Not by QFuture::then: with Qt 6.4 that calls a second time, and crashes, where
/// the work ends in the moment in which it is told what comes then.
template <class Work, class Use>
void run_then(QObject* context, Work work, Use use, QThreadPool* pool = background_pool()) {
    auto* watcher = new QFutureWatcher<std::invoke_result_t<Work>>(context);
    QObject::connect(watcher, &QFutureWatcherBase::finished, context, [watcher, use = std::move(use)]() mutable {
        watcher->deleteLater();
        use(watcher->result());
    });
    watcher->setFuture(QtConcurrent::run(pool, std::move(work)));
}

} // namespace denoir::app
