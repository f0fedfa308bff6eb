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
    std::vector<Pair> shown; ///< the frames side by side; the difference amplified
    int amplified = 1;
};

/// The fields in which the requests of two traced runs differ; none where a trace does not say its request.
std::vector<SettingDifference> request_differences(const metrics::TraceComparison&);

/// Verdict, where the error begins, the layers that make most of it, and what did not fit: for a terminal.
std::string to_text(const metrics::TraceComparison&);
/// `verdict`, `agree`, `first`, `worst`, `layers`, `only_a`, `only_b`, `missing_in_a`, `missing_in_b`, `shapes`,
/// `settings`; errors that are infinite as null.
Json to_json(const metrics::TraceComparison&);
/// One line a tensor, with a line of names.
std::string to_csv(const metrics::TraceComparison&);

/// A page that stands alone: plots as SVG, pictures inside, no script, no network; light, dark and printed.
/// `files`: for the histograms of the layer where the error begins; null leaves them out.
std::string trace_report(const metrics::TraceComparison&, const TraceFiles* files,
                         const std::optional<PicturePart>& pictures = {});

} // namespace denoir
