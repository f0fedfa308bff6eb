// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMargins>
#include <QWidget>

namespace denoir::ui {

/// A box layout for `parent` (null: to be put into another one), with these pixels between its parts and around them.
template <class Box> Box* make_layout(QWidget* parent, int between, const QMargins& around = {}) {
    auto* layout = new Box(parent);
    layout->setContentsMargins(around);
    layout->setSpacing(between);
    return layout;
}

} // namespace denoir::ui
