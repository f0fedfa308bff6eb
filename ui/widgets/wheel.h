// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QEvent>
#include <QWidget>

namespace denoir::ui {

/// The wheel changes a field that has the focus and no other: what lies behind the others scrolls instead, and their
/// values stay. Nor does it give the focus.
inline void wheel_when_focused(QWidget* field) {
    struct Guard : QObject {
        using QObject::QObject;
        bool eventFilter(QObject* watched, QEvent* event) override {
            if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus()) return false;
            event->ignore(); // goes on to the parent
            return true;
        }
    };
    field->setFocusPolicy(Qt::StrongFocus);
    field->installEventFilter(new Guard(field));
}

} // namespace denoir::ui
