// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Makes screen readers say what is chosen in a combo box. Qt 6.4 reports it only as the box's name, for which readers
/// use the label beside the box. May be called more than once.
void install_choice_accessibility();

} // namespace denoir::ui
