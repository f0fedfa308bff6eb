// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to the timeline: its measures, on the 8-pixel grid.
#include <QString>
#include <algorithm>
#include <cmath>

#include "app/project/project.h"

namespace denoir::ui::timeline {

constexpr int ruler_height = 24, most_track = 88, least_track = 56, title_height = 20, gap = 8, margin = 16;
constexpr int edge_width = 8; ///< of a shot's trim handles
constexpr int extend_width = 88, extend_height = 32;

/// "00:01.12": minutes, seconds, frame.
inline QString time_text(double seconds, double fps) {
    const int whole = int(seconds + 1e-6); // sums of shots lie a little below
    const int frame = std::clamp(int((seconds - whole) * fps + 0.5), 0, std::max(0, int(std::ceil(fps)) - 1));
    return QStringLiteral("%1:%2.%3")
        .arg(whole / 60, 2, 10, QLatin1Char('0'))
        .arg(whole % 60, 2, 10, QLatin1Char('0'))
        .arg(frame, 2, 10, QLatin1Char('0'));
}

} // namespace denoir::ui::timeline
