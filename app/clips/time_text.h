// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <algorithm>
#include <cmath>

namespace denoir::app {

/// "00:01.12": minutes, seconds, frame at this rate; "00:01.08" at 24 fps is a third of a second past one. `fps` 0: not
/// known, frame 0.
inline QString time_text(double seconds, double fps) {
    const int whole = int(seconds + 1e-6); // sums of shots lie a little below
    // The nearest: containers round times to milliseconds.
    const int frame = std::clamp(int((seconds - whole) * fps + 0.5), 0, std::max(0, int(std::ceil(fps)) - 1));
    return QStringLiteral("%1:%2.%3")
        .arg(whole / 60, 2, 10, QLatin1Char('0'))
        .arg(whole % 60, 2, 10, QLatin1Char('0'))
        .arg(frame, 2, 10, QLatin1Char('0'));
}

} // namespace denoir::app
