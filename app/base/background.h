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

/// Threads for work that may have to wait for a slow disk. Not Qt's global pool: QtGui paints large pictures with that,
/// so the window would wait as well. The application joins the threads before it is destroyed. GUI thread.
inline QThreadPool* background_pool() {
    static auto* const pool = new QThreadPool(QCoreApplication::instance());
    return pool;
}

/// Runs `work` on a thread of `pool`, then calls `use` once with its result on the calling thread, to which `context`
/// must belong. `use` is not called if `context` has been destroyed by then. `work` must not throw. QFuture::then()
/// would be shorter, but in Qt 6.4 it may call twice, and crash, if the work ends while the continuation is attached.
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
