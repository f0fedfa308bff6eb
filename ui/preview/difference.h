// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>

namespace denoir::ui {

/// The colour of a difference B - A of -255 … 255, amplified: dark where there is none, blue where A has more, orange
/// where B has more, towards white where it passes the range.
QRgb difference_colour(int difference, int gain);

/// Pixel by pixel, by the channel that differs most. Both RGB32 and of one size; null where they are not.
QImage signed_difference(const QImage& a, const QImage& b, int gain);

} // namespace denoir::ui
