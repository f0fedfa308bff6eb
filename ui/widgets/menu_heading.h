// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAction>
#include <QMenu>

#include "ui/widgets/literal.h"

namespace denoir::ui {

/// What the entries below it have in common. Not QMenu::addSection: a style sheet draws its line alone, without the
/// text.
inline void add_heading(QMenu& menu, const QString& text) { menu.addAction(literal(text))->setEnabled(false); }

} // namespace denoir::ui
