// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/notifier.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QVariantMap>

#include "app/desktop/session_bus.h"

namespace denoir::app {
namespace {

const QString service = QStringLiteral("org.freedesktop.Notifications");
const QString path = QStringLiteral("/org/freedesktop/Notifications");

/// The session bus; not connected if there is none.
QDBusConnection session_bus() {
    return has_session_bus() ? QDBusConnection::sessionBus() : QDBusConnection(QStringLiteral("no bus"));
}

} // namespace

Notifier::Notifier(QObject* parent) : QObject(parent) {
    if (QDBusConnection bus = session_bus(); bus.isConnected())
        bus.connect(service, path, service, QStringLiteral("ActionInvoked"), this, SLOT(action_invoked(uint, QString)));
}

void Notifier::notify(const QString& title, const QString& text, const QString& image) {
    QDBusConnection bus = session_bus();
    if (!bus.isConnected()) return;
    QVariantMap hints{{QStringLiteral("desktop-entry"), QStringLiteral("denoir")}};
    if (!image.isEmpty()) hints[QStringLiteral("image-path")] = image;
    QDBusMessage call = QDBusMessage::createMethodCall(service, path, service, QStringLiteral("Notify"));
    // Escaped, as the service may interpret the body as markup.
    call << QStringLiteral("Denoir") << last_ << QStringLiteral("denoir") << title << text.toHtmlEscaped()
         << QStringList{QStringLiteral("default"), tr("Show")} << hints << -1;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<uint> reply = *watcher;
        if (!reply.isError()) last_ = reply.value();
        watcher->deleteLater();
    });
}

void Notifier::action_invoked(uint id, const QString&) {
    if (id == last_) emit activated();
}

} // namespace denoir::app
