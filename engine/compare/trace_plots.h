// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "engine/metrics/trace_comparison.h"

/// The plots of a trace report: inline SVG for the report's style sheet, with a text for every mark.
namespace denoir {

/// The error of every layer of one column, logarithmic and in the order of execution, beside the error that rounding
/// explains, with a mark where the error begins. The column is that of the first error, else the first that has a step.
std::string layer_plot(const metrics::TraceComparison&);

/// A map for each component, with layers down and steps, branches and frames across: the colour shows the error, 1e-8
/// to 1. If there are more layers than a page can hold, a row stands for a block and shows its largest error.
std::string layer_maps(const metrics::TraceComparison&);

} // namespace denoir
