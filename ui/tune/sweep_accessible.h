// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Lets screen readers take the grid for a table with a current cell, and the plot for a chart. May be called more than
/// once.
void install_sweep_roles();

} // namespace denoir::ui
