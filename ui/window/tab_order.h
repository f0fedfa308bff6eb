// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMainWindow;

namespace denoir::ui {

/// The Tab key goes as the eye does: the docks on the left from top to bottom, the middle of the window with what lies
/// above and below it, the docks on the right; the tabs of docks before what they show. Of what is seen this moment.
void order_tabs(QMainWindow& window);

} // namespace denoir::ui
