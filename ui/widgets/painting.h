// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPainter>
#include <QStyleOptionViewItem>
#include <QWidget>

#include <algorithm>

#include "ui/theme/colours.h"

namespace denoir::ui {

/// Paints the background of a list's row that is selected or under the pointer.
inline void paint_behind_row(QPainter& painter, const QStyleOptionViewItem& option, const QRect& row) {
    if (!(option.state & (QStyle::State_Selected | QStyle::State_MouseOver))) return;
    const Colours& c = colours(option.palette);
    painter.setPen(Qt::NoPen);
    painter.setBrush(option.state & QStyle::State_Selected ? c.selection : c.hover);
    painter.drawRoundedRect(row, 4, 4);
}

/// Paints a progress bar; `share` is 0 … 1.
inline void paint_progress(QPainter& painter, QRectF bar, double share, const Colours& c) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.rim);
    painter.drawRoundedRect(bar, 2, 2);
    bar.setWidth(std::max(4.0, bar.width() * std::clamp(share, 0.0, 1.0)));
    painter.setBrush(c.accent);
    painter.drawRoundedRect(bar, 2, 2);
}

/// Paints the focus ring of a widget that paints itself; to be called last.
inline void paint_ring(QPainter& painter, const QWidget& widget) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(colours(widget.palette()).accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(widget.rect().adjusted(0, 0, -1, -1));
}

inline void paint_focus(QPainter& painter, const QWidget& widget) {
    if (widget.hasFocus()) paint_ring(painter, widget);
}

} // namespace denoir::ui
