// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QComboBox>
#include <QEvent>

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

/// The same for a choice, which is as wide as so many letters where there is no room for more.
inline void make_narrow(QComboBox* choice, int letters) {
    wheel_when_focused(choice);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice->setMinimumContentsLength(letters);
}

} // namespace denoir::ui
