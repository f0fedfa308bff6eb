// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::ui {

/// A text from elsewhere (a prompt, a file's name) for a button or a menu entry: its ampersands are themselves, and
/// mark no letter as a key.
inline QString literal(QString text) { return text.replace(QLatin1Char('&'), QLatin1String("&&")); }

} // namespace denoir::ui
