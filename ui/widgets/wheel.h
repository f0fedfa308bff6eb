// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QComboBox>
#include <QEvent>

namespace denoir::ui {

/// Lets the wheel change a field only while it has the focus; otherwise the page behind it is scrolled. The wheel does
/// not give the field the focus either.
inline void wheel_when_focused(QWidget* field) {
    struct Guard : QObject {
        using QObject::QObject;
        bool eventFilter(QObject* watched, QEvent* event) override {
            if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus()) return false;
            event->ignore(); // so that the parent gets it
            return true;
        }
    };
    field->setFocusPolicy(Qt::StrongFocus);
    field->installEventFilter(new Guard(field));
}

/// The same for a combo box, and lets it become as narrow as this number of letters.
inline void make_narrow(QComboBox* choice, int letters) {
    wheel_when_focused(choice);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice->setMinimumContentsLength(letters);
}

} // namespace denoir::ui
