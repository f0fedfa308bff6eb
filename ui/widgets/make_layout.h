// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMargins>
#include <QWidget>

namespace denoir::ui {

/// A box layout for `parent`, or to be put into another layout if that is null, with these pixels between its items and
/// around them.
template <class Box> Box* make_layout(QWidget* parent, int between, const QMargins& around = {}) {
    auto* layout = new Box(parent);
    layout->setContentsMargins(around);
    layout->setSpacing(between);
    return layout;
}

} // namespace denoir::ui
