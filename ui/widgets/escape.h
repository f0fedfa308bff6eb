// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

class QLineEdit;
class QWidget;

namespace denoir::ui {

// Esc belongs to the field that has the focus while there is something in it to take back; only then it is the
// window's, where it stops the run at work.

/// Esc in `field` does `take_back` where `holds`.
void escape_first(QWidget& field, std::function<bool()> holds, std::function<void()> take_back);
/// Esc puts back the text from before the typing. `edit` may be that of a combo box.
void escape_puts_back(QLineEdit& edit);
/// Esc ends the search.
void escape_clears(QLineEdit& search);

} // namespace denoir::ui
