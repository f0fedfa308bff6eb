// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/fit_row.h"

#include <QLayout>
#include <QVariant>
#include <QWidget>
#include <algorithm>

namespace denoir::ui {
namespace {

constexpr const char* mark = "denoir_left_out";

bool left_out(const QWidget& widget) { return widget.property(mark).toBool(); }
int width_of(const QWidget& widget) {
    return std::max(widget.minimumWidth(), std::min(widget.sizeHint().width(), widget.maximumWidth()));
}

} // namespace

void leave_out(QWidget& widget, bool out) { widget.setProperty(mark, out); }

int needed_width(const QWidget& row) {
    const QLayout& layout = *row.layout();
    int needed = layout.contentsMargins().left() + layout.contentsMargins().right() - layout.spacing();
    for (int i = 0; i < layout.count(); ++i) {
        QLayoutItem& item = *layout.itemAt(i);
        const QWidget* w = item.widget();
        if (w && !left_out(*w)) needed += width_of(*w) + layout.spacing();
        if (!w && !item.isEmpty()) needed += item.minimumSize().width() + layout.spacing(); // a nested row, no stretch
    }
    return needed;
}

bool fit_row(QWidget& row, int room, const QList<QWidget*>& least_needed_first) {
    int needed = needed_width(row);
    for (QWidget* w : least_needed_first) {
        const bool shown = !left_out(*w) && needed <= room;
        if (!left_out(*w) && !shown) needed -= width_of(*w) + row.layout()->spacing();
        if (shown == w->isHidden()) w->setVisible(shown);
    }
    return needed <= room;
}

} // namespace denoir::ui
