// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace denoir::ui {

/// Asked for twice, a dialog comes to the front instead of a second time. False: `parent` has none of this title open.
bool raise_dialog(const QWidget& parent, const QString& title);

} // namespace denoir::ui
