// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMainWindow;

namespace denoir::ui {

/// Lets the Tab key go through the visible widgets as one reads: the docks on the left from top to bottom, the middle
/// of the window with what lies above and below it, the docks on the right; the tabs of docks before their content.
void order_tabs(QMainWindow& window);

} // namespace denoir::ui
