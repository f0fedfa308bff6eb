// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAction>
#include <QMenu>

#include "ui/widgets/literal.h"

namespace denoir::ui {

/// Adds a heading for the entries below it. Not by QMenu::addSection(), which with a style sheet draws only a line
/// without its text.
inline void add_heading(QMenu& menu, const QString& text) { menu.addAction(literal(text))->setEnabled(false); }

} // namespace denoir::ui
