// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Makes what is chosen in a combo box a part of what is said of it: Qt 6.4 gives it as the name alone, and a screen
/// reader takes the label beside the box for the name. Any number of times.
void install_choice_accessibility();

} // namespace denoir::ui
