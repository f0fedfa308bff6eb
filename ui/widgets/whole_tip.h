// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHelpEvent>
#include <QToolTip>
#include <QWidget>

namespace denoir::ui {

/// Answers an event that asks for a tool tip: what the widget shows a part of, above its own tip.
inline void show_whole(const QHelpEvent& event, const QString& whole, QWidget& widget) {
    const QString tip = widget.toolTip();
    QToolTip::showText(event.globalPos(), tip.isEmpty() ? whole : whole + QLatin1Char('\n') + tip, &widget);
}

} // namespace denoir::ui
