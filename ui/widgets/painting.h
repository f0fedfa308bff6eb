// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPainter>
#include <QStyleOptionViewItem>
#include <QWidget>

#include "ui/theme/colours.h"

namespace denoir::ui {

/// What lies behind a row of a list that is selected or under the pointer.
inline void paint_behind_row(QPainter& painter, const QStyleOptionViewItem& option, const QRect& row) {
    if (!(option.state & (QStyle::State_Selected | QStyle::State_MouseOver))) return;
    const Colours& c = colours(option.palette);
    painter.setPen(Qt::NoPen);
    painter.setBrush(option.state & QStyle::State_Selected ? c.selection : c.hover);
    painter.drawRoundedRect(row, 4, 4);
}

/// The frame of a widget that paints itself and has the focus: comes last.
inline void paint_focus(QPainter& painter, const QWidget& widget) {
    if (!widget.hasFocus()) return;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(colours(widget.palette()).accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(widget.rect().adjusted(0, 0, -1, -1));
}

} // namespace denoir::ui
