// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/compare/comparison.h"

namespace denoir {

/// |a - b| · factor for every sample, at most 255. Both of one size (asserted).
Image amplified_difference(const Image& a, const Image& b, double factor);

/// The largest power of two, from 1 to 64, that keeps the 99th percentile of the differences at or below white.
int fitting_amplification(const metrics::PixelHistograms&);
/// The same for a single difference of 0 to 255.
int fitting_amplification(double largest);

} // namespace denoir
