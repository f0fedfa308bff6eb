// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QList>
#include <QObject>
#include <QTest>
#include <QVariant>

#include <type_traits>

namespace denoir::app {

/// What a signal brought, in order, in the thread that made this object. It stands for a QSignalSpy where the sender
/// emits on another thread: before Qt 6.6 a QSignalSpy writes on the emitting thread, and reading it is a data race.
class Arrivals : public QList<QVariantList> {
public:
    template <class Sender, class Signaller, class... Args>
    Arrivals(const Sender* sender, void (Signaller::*signal)(Args...)) { // also for a signal of a base class
        QObject::connect(sender, signal, &here_, [this](const std::decay_t<Args>&... args) {
            append(QVariantList{QVariant::fromValue(args)...});
        });
    }
    /// Whether one more arrives within so many milliseconds. Runs the event loop.
    bool wait(int milliseconds = 5000) {
        const auto before = size();
        return QTest::qWaitFor([&] { return size() > before; }, milliseconds);
    }

private:
    QObject here_;
};

} // namespace denoir::app
