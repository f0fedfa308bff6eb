// SPDX-License-Identifier: Apache-2.0
// Messages on the desktop, against a bus and a notification service of our own.
#include "app/desktop/notifier.h"
#include "app/desktop/session_bus.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

using namespace denoir::app;

/// Keeps the notifications that it is sent, as a desktop would show them.
class FakeDesktop : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")
public:
    struct Message {
        QString program, title, text;
        QStringList actions;
        QVariantMap hints;
        uint id = 0, replaces = 0;
    };
    QList<Message> messages;

public slots:
    uint Notify(const QString& program, uint replaces, const QString&, const QString& title, const QString& text,
                const QStringList& actions, const QVariantMap& hints, int) {
        const uint id = replaces != 0 ? replaces : uint(messages.size()) + 41;
        messages.append({program, title, text, actions, hints, id, replaces});
        return id;
    }

signals:
    void ActionInvoked(uint id, const QString& action);
};

class NotifierTest : public QObject {
    Q_OBJECT
    QProcess bus_;
    QString address_;

private slots:
    void initTestCase() {
        if (QStandardPaths::findExecutable("dbus-daemon").isEmpty()) QSKIP("there is no dbus-daemon to try it with");
        bus_.start("dbus-daemon", {"--session", "--nofork", "--print-address"});
        QVERIFY(bus_.waitForStarted() && bus_.waitForReadyRead(10000));
        address_ = QString::fromUtf8(bus_.readLine()).trimmed();
        qputenv("DBUS_SESSION_BUS_ADDRESS", address_.toUtf8()); // before anything asks for the session's bus
    }
    void cleanupTestCase() {
        bus_.kill();
        bus_.waitForFinished();
    }

    void without_a_bus_none_is_started() {
        qputenv("DBUS_SESSION_BUS_ADDRESS", "");
        qputenv("XDG_RUNTIME_DIR", "/nowhere");
        QVERIFY(!has_session_bus());
        Notifier notifier;
        notifier.notify("Nobody", "listens");
        never_start_a_session_bus();
        QCOMPARE(qgetenv("DBUS_SESSION_BUS_ADDRESS"), QByteArray("disabled:"));
        QVERIFY(!has_session_bus());
        qputenv("DBUS_SESSION_BUS_ADDRESS", address_.toUtf8());
        QVERIFY(has_session_bus());
        never_start_a_session_bus();
        QCOMPARE(qgetenv("DBUS_SESSION_BUS_ADDRESS"), address_.toUtf8());
    }

    void tells_the_desktop_and_hears_the_click() {
        Notifier notifier;
        notifier.notify("Nobody", "listens"); // and no error either
        QDBusConnection desk = QDBusConnection::connectToBus(address_, "desktop");
        FakeDesktop desktop;
        QVERIFY(desk.registerService("org.freedesktop.Notifications"));
        QVERIFY(desk.registerObject("/org/freedesktop/Notifications", &desktop,
                                    QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals));
        QSignalSpy clicked(&notifier, &Notifier::activated);
        notifier.notify("Finished", "a <b>red</b> ball", "/tmp/thumbnail.png");
        QTRY_COMPARE_WITH_TIMEOUT(desktop.messages.size(), 1, 30000);
        const auto first = desktop.messages[0];
        QCOMPARE(first.program, QString("Denoir"));
        QCOMPARE(first.title, QString("Finished"));
        QCOMPARE(first.text, QString("a &lt;b&gt;red&lt;/b&gt; ball")); // a prompt must not be read as markup
        QCOMPARE(first.hints["image-path"].toString(), QString("/tmp/thumbnail.png"));
        QCOMPARE(first.hints["desktop-entry"].toString(), QString("denoir"));
        QCOMPARE(first.actions.value(0), QString("default"));
        QTest::qWait(50); // until its number has come back
        notifier.notify("Finished", "a green one");
        QTRY_COMPARE_WITH_TIMEOUT(desktop.messages.size(), 2, 30000);
        QCOMPARE(desktop.messages[1].replaces, first.id);    // a new message replaces ours, so that they do not pile up
        emit desktop.ActionInvoked(first.id + 7, "default"); // a message of another program
        emit desktop.ActionInvoked(first.id, "default");
        QTRY_COMPARE_WITH_TIMEOUT(clicked.count(), 1, 30000);
        QTest::qWait(50);
        QCOMPARE(clicked.count(), 1);
    }
};

QTEST_GUILESS_MAIN(NotifierTest)
#include "notifier_test.moc"
