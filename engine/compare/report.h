// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "engine/compare/comparison.h"

namespace denoir {

/// A pair that is shown in a report.
struct ReportPicture {
    std::size_t pair = 0;
    Image a, b, difference;
};

/// The pairs worth showing: the worst few, not next to each other; of equal videos the middle one.
std::vector<std::size_t> pairs_to_show(const Comparison&);

/// One HTML file: verdict, figures, curves, histograms, the pictures, what differs in the settings, every frame's
/// figures. `amplification`: of the pictures' differences.
std::string comparison_report(const Comparison&, std::span<const ReportPicture> pictures, double amplification);

} // namespace denoir
