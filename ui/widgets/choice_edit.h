// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QComboBox>
#include <QWheelEvent>

namespace denoir::ui {

/// A choice in a panel that scrolls: the wheel is the panel's unless the box has the focus.
class ChoiceEdit : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    void wheelEvent(QWheelEvent* event) override {
        if (hasFocus())
            QComboBox::wheelEvent(event);
        else
            event->ignore();
    }
};

} // namespace denoir::ui
