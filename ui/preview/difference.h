// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>

namespace denoir::ui {

/// The colour of a difference B - A of -255 … 255, as signed_colour() of the engine has it.
QRgb difference_colour(int difference, int gain);

/// signed_difference() of the engine for the studio's pictures. Null unless both are RGB32 and of the same size.
QImage signed_difference(const QImage& a, const QImage& b, int gain);

} // namespace denoir::ui
