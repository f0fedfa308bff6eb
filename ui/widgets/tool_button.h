// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QIcon>
#include <QString>
#include <QToolButton>

namespace denoir::ui {

/// A button that shows a drawing: a screen reader says its name, which is its tip, too, unless another is given.
inline void set_drawing(QToolButton& button, const QIcon& drawing, const QString& name, const QString& tip = {}) {
    button.setIcon(drawing);
    button.setAccessibleName(name);
    button.setToolTip(tip.isEmpty() ? name : tip);
}

inline QToolButton* flat_button(QWidget* parent, const QIcon& drawing, const QString& name, const QString& tip = {}) {
    auto* button = new QToolButton(parent);
    button->setAutoRaise(true);
    set_drawing(*button, drawing, name, tip);
    return button;
}

} // namespace denoir::ui
