// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>

namespace denoir::ui {

/// The colour of a difference B - A of -255 … 255, amplified: dark for none, blue if A is larger, orange if B is, and
/// nearer to white beyond the range.
QRgb difference_colour(int difference, int gain);

/// The difference of each pixel, by the channel that differs most. Null unless both are RGB32 and of the same size.
QImage signed_difference(const QImage& a, const QImage& b, int gain);

} // namespace denoir::ui
