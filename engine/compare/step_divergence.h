// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/progress.h"
#include "engine/metrics/tensor_difference.h"
#include "engine/report/chart.h"
#include "engine/session/run_folder.h"

namespace denoir {

/// How far apart the latents of two runs are after a step. Errors are measured against B.
struct StepDivergence {
    int a = 0, b = 0; ///< steps; 0 is the noise
    metrics::TensorDifference latent;
    std::optional<metrics::TensorDifference> x0; ///< of the estimated clean latents, if both runs keep them

    double relative() const { return latent.relative(); }
};

struct StepDivergences {
    std::vector<StepDivergence> steps; ///< ascending; steps that are not stored on both sides are left out
    std::vector<std::string> notes;    ///< sentences for people: what did not fit, and what was done about it
    std::optional<std::size_t> first;  ///< index of the first step whose values differ
};

/// Compares step n of A with step n of B or, if the runs have different numbers of steps, with the step of the same
/// window of B whose noise level is nearest. Holds one pair of latents at a time. `progress` is told steps. Latents
/// that are damaged or of different sizes become a note. Throws Cancelled.
StepDivergences step_divergence(const RunFolder& a, const RunFolder& b, const ProgressCall& progress, std::stop_token);

/// "Latents are equal up to step 3; relative difference 1.2e-02 after step 4, 3.4e-01 after the last"; empty if nothing
/// was compared.
std::string to_text(const StepDivergences&);

/// Relative differences over the steps, logarithmic. Values of `x0` may be missing at any step. The chart has no series
/// if there are fewer than two steps, or if none differs.
report::Chart step_chart(const std::vector<double>& step, const std::vector<std::optional<double>>& latent,
                         const std::vector<std::optional<double>>& x0);
report::Chart step_chart(const StepDivergences&);

} // namespace denoir
