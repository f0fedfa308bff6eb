// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTimer>

namespace denoir::app {

/// Lets events come until `done()`, at most this long. Returns whether it is. For tests and pictures of the window.
template <class Done> bool wait_until(Done done, int milliseconds) {
    for (const QDeadlineTimer deadline(milliseconds); !done();) {
        if (deadline.hasExpired()) return false;
        QEventLoop loop;
        QTimer::singleShot(5, &loop, &QEventLoop::quit);
        loop.exec();
    }
    return true;
}

} // namespace denoir::app
