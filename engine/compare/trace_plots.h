// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "engine/metrics/trace_comparison.h"

/// The pictures of a trace report: inline SVG with a text for every mark, on the report's style sheet.
namespace denoir {

/// Error of every layer of one column in the order of execution, logarithmic, with what rounding explains and the place
/// where the error begins. The column is the one of the first error, else the first that has a step.
std::string layer_plot(const metrics::TraceComparison&);

/// Layers down, steps, branches and frames across, one map for each component: the error in colour, 1e-8 to 1. More
/// layers than a page can hold are drawn block by block, each block with its largest error.
std::string layer_maps(const metrics::TraceComparison&);

} // namespace denoir
