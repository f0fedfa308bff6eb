// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QIcon>
#include <QString>

namespace denoir::ui {

/// One of the studio's icons (resources/icons/NAME.svg, 16 px) in the palette's text colour, dimmed when disabled.
/// `checked` names another one for the "on" state. The names must exist.
QIcon icon(const QString& name, const QString& checked = {});

} // namespace denoir::ui
