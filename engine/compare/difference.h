// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>

#include "engine/compare/canvas.h"
#include "engine/compare/comparison.h"

namespace denoir {

/// |a - b| · factor for every sample, at most 255. Both of one size (asserted).
Image amplified_difference(const Image& a, const Image& b, double factor);

/// The colour of a difference b - a of -255 … 255, times `factor`: dark for none, blue where A is brighter, orange
/// where B is, and nearer to white beyond the range.
Colour signed_colour(int difference, double factor);
/// Of the differences of a pixel's channels, the one farthest from 0.
inline int largest_of(int red, int green, int blue) {
    const int most = std::abs(red) >= std::abs(green) ? red : green;
    return std::abs(blue) > std::abs(most) ? blue : most;
}
/// The colour of every pixel's largest_of() differences. Both of one size (asserted).
Image signed_difference(const Image& a, const Image& b, double factor);

/// The largest power of two, from 1 to 64, that keeps the 99th percentile of the differences at or below white.
int fitting_amplification(const metrics::PixelHistograms&);
/// The same for a single difference of 0 to 255.
int fitting_amplification(double largest);

} // namespace denoir
