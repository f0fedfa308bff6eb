// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

class QLineEdit;
class QWidget;

namespace denoir::ui {

// While the focused field has something to take back, Esc does that; otherwise Esc is the window's key to stop the run
// at work.

/// Esc in `field` calls `take_back` if `holds` returns true.
void escape_first(QWidget& field, std::function<bool()> holds, std::function<void()> take_back);
/// Esc restores the text from before typing. `edit` may be that of a combo box.
void escape_puts_back(QLineEdit& edit);
/// Esc clears the search.
void escape_clears(QLineEdit& search);

} // namespace denoir::ui
