// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHelpEvent>
#include <QToolTip>
#include <QWidget>

namespace denoir::ui {

/// Shows a tool tip with the whole text of which the widget shows only a part, above its own tip.
inline void show_whole(const QHelpEvent& event, const QString& whole, QWidget& widget) {
    const QString tip = widget.toolTip();
    QToolTip::showText(event.globalPos(), tip.isEmpty() ? whole : whole + QLatin1Char('\n') + tip, &widget);
}

} // namespace denoir::ui
