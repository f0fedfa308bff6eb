// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "engine/compare/comparison.h"

namespace denoir {

/// A pair that a report shows. `pair`: its index in Comparison::frames.
struct ReportPicture {
    std::size_t pair = 0;
    Image a, b, difference;
};

/// Indices of the pairs worth showing: the few worst ones, no two of them close together; of equal videos the middle
/// one.
std::vector<std::size_t> pairs_to_show(const Comparison&);

/// One HTML file: verdict, figures, curves, pictures, histograms, the settings that differ, and the figures of every
/// frame. `amplification`: how many times the pictures' differences are larger than the true ones.
std::string comparison_report(const Comparison&, std::span<const ReportPicture> pictures, double amplification);

} // namespace denoir
