// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTimer>

namespace denoir::app {

/// Processes events until done() returns true, for at most `milliseconds`. Returns whether it did. For tests and
/// screenshots.
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
