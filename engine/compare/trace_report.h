// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/compare/comparison.h"
#include "engine/compare/trace_compare.h"
#include "engine/core/json.h"
#include "engine/media/image.h"
#include "engine/metrics/picture.h"
#include "engine/metrics/verdict.h"

namespace denoir {

/// What two traced runs show in the end: the part of a report that is about pictures.
struct PicturePart {
    std::string label_a, label_b; ///< "f32 on cpu"
    std::vector<metrics::FrameMetrics> frames;
    metrics::FrameMetrics mean;
    std::string verdict;
    struct Pair {
        std::size_t index;
        Image a, b, difference;
    };
    std::vector<Pair> shown; ///< frames that the report shows side by side, with their difference
    int amplified = 1;       ///< how many times the differences are larger than the true ones
};

/// The fields in which the requests of two traced runs differ; none if a trace does not hold its request.
std::vector<SettingDifference> request_differences(const metrics::TraceComparison&);

/// For a terminal: the verdict, where the error begins, the layers that make most of it, and what did not fit.
std::string to_text(const metrics::TraceComparison&);
/// `verdict`, `agree`, `first`, `worst`, `layers`, `only_a`, `only_b`, `missing_in_a`, `missing_in_b`, `shapes`,
/// `settings`; infinite errors are null.
Json to_json(const metrics::TraceComparison&);
/// A line of column names, then a line for each tensor.
std::string to_csv(const metrics::TraceComparison&);

/// A web page that needs nothing beside it: plots are SVG, pictures are inside, there is no script and nothing is
/// loaded from the network. It suits light and dark screens and paper. The histograms of the layer in which the error
/// begins are read from `files`; null leaves them out.
std::string trace_report(const metrics::TraceComparison&, const TraceFiles* files,
                         const std::optional<PicturePart>& pictures = {});

} // namespace denoir
