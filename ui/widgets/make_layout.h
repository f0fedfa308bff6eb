// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMargins>
#include <QWidget>

namespace denoir::ui {

/// A box layout: of `parent`, null for one that is put into another; so far between its parts, and so far around them.
template <class Box> Box* make_layout(QWidget* parent, int between, const QMargins& around = {}) {
    auto* layout = new Box(parent);
    layout->setContentsMargins(around);
    layout->setSpacing(between);
    return layout;
}

} // namespace denoir::ui
