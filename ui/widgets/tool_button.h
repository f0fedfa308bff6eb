// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QIcon>
#include <QMenu>
#include <QString>
#include <QToolButton>

#include "ui/theme/icons.h"

namespace denoir::ui {

/// Gives a button its icon, and its name for screen readers, which is also the tool tip unless `tip` is given.
inline void set_drawing(QToolButton& button, const QIcon& drawing, const QString& name, const QString& tip = {}) {
    button.setIcon(drawing);
    button.setAccessibleName(name);
    button.setToolTip(tip.isEmpty() ? name : tip);
}

/// Makes a button open a new empty menu, and shows an arrow beside its text.
inline void give_menu(QToolButton& button) {
    button.setIcon(icon(QStringLiteral("down")));
    button.setIconSize({10, 10});
    button.setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button.setPopupMode(QToolButton::InstantPopup);
    button.setMenu(new QMenu(&button));
}

inline QToolButton* flat_button(QWidget* parent, const QIcon& drawing, const QString& name, const QString& tip = {}) {
    auto* button = new QToolButton(parent);
    button->setAutoRaise(true);
    set_drawing(*button, drawing, name, tip);
    return button;
}

} // namespace denoir::ui
