// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <algorithm>
#include <cmath>

namespace denoir::app {

/// "00:01.12": minutes, seconds and frames at this rate; "00:01.08" at 24 fps is 1 1/3 seconds. With `fps` 0, for a
/// rate that is not known, the frame is 0.
inline QString time_text(double seconds, double fps) {
    const int whole = int(seconds + 1e-6); // rounding may make a sum of shots a little too small
    // The nearest frame, as containers round times to milliseconds.
    const int frame = std::clamp(int((seconds - whole) * fps + 0.5), 0, std::max(0, int(std::ceil(fps)) - 1));
    return QStringLiteral("%1:%2.%3")
        .arg(whole / 60, 2, 10, QLatin1Char('0'))
        .arg(whole % 60, 2, 10, QLatin1Char('0'))
        .arg(frame, 2, 10, QLatin1Char('0'));
}

} // namespace denoir::app
