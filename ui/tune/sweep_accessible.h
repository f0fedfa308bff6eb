// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Makes the grid a table that has its current cell, and the plot a chart, for who reads the window aloud. Any number
/// of times.
void install_sweep_roles();

} // namespace denoir::ui
