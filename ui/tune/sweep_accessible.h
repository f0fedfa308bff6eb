// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Makes screen readers present the grid as a table with a current cell, and the plot as a chart. May be called more
/// than once.
void install_sweep_roles();

} // namespace denoir::ui
