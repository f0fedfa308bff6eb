// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/announcer.h"

#include <QAccessibleWidget>

namespace denoir::ui {
namespace {

QAccessibleInterface* make(const QString&, QObject* object) {
    auto* announcer = qobject_cast<Announcer*>(object);
    return announcer ? new QAccessibleWidget(announcer, QAccessible::Notification) : nullptr;
}

} // namespace

Announcer::Announcer(QWidget* parent) : QWidget(parent) {
    QAccessible::installFactory(make); // Qt ignores it if it is installed already
    setAttribute(Qt::WA_TransparentForMouseEvents);
    resize(0, 0);
}

void Announcer::announce(const QString& text) {
    if (text.isEmpty()) return;
    setAccessibleName(text);
    // Screen readers speak a notification when it is shown.
    QAccessibleEvent event(this, QAccessible::ObjectShow);
    QAccessible::updateAccessibility(&event);
}

} // namespace denoir::ui
