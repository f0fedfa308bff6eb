// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to the timeline: its measures, on the 8-pixel grid.
#include "app/project/project.h"

namespace denoir::ui::timeline {

constexpr int ruler_height = 24, most_track = 88, least_track = 56, title_height = 20, gap = 8, margin = 16;
constexpr int edge_width = 8; ///< of a shot's trim handles
constexpr int extend_width = 88, extend_height = 32;

} // namespace denoir::ui::timeline
