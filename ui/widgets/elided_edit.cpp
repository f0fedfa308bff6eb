// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_edit.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyleOptionFrame>

#include "ui/widgets/whole_tip.h"

namespace denoir::ui {

QRect ElidedEdit::room() const {
    constexpr int beside = 2; // the margin of Qt's own text
    QStyleOptionFrame option;
    initStyleOption(&option);
    return style()
        ->subElementRect(QStyle::SE_LineEditContents, &option, this)
        .marginsRemoved(textMargins())
        .adjusted(beside, 0, -beside, 0);
}

QString ElidedEdit::shown_text() const {
    return fontMetrics().elidedText(displayText(), Qt::ElideRight, room().width());
}

bool ElidedEdit::event(QEvent* event) {
    const bool told = event->type() == QEvent::ToolTip && shown_text() != displayText();
    if (!told) return QLineEdit::event(event);
    show_whole(*static_cast<QHelpEvent*>(event), displayText(), *this);
    return true;
}

void ElidedEdit::paintEvent(QPaintEvent* event) {
    const QString shown = shown_text();
    if (hasFocus() || shown == displayText()) return QLineEdit::paintEvent(event);
    QStyleOptionFrame option;
    initStyleOption(&option);
    QPainter painter(this);
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &painter, this);
    style()->drawItemText(&painter, room(), Qt::AlignLeft | Qt::AlignVCenter, palette(), isEnabled(), shown,
                          QPalette::Text);
}

} // namespace denoir::ui
