// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QIcon>
#include <QString>

namespace denoir::ui {

/// One of our drawings (resources/icons/NAME.svg, 16 px), in the palette's text colour wherever it is shown; dimmed
/// when disabled. `checked`: another drawing for the "on" state. An unknown name asserts.
QIcon icon(const QString& name, const QString& checked = {});

} // namespace denoir::ui
