// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace denoir {

/// Noise levels of a run: n + 1 sigmas from near 1 down to 0, and the n times 0 … 1000 that the model sees.
struct SigmaSchedule {
    std::vector<float> timesteps; ///< n
    std::vector<float> sigmas;    ///< n + 1, the last one 0
    int steps() const { return static_cast<int>(timesteps.size()); }
};

/// The lists A … E of spec/schedulers.md 2: A the original repositories' UniPC, B their DPM++, C and D diffusers' UniPC
/// before and since 0.37, E diffusers' FlowMatchEuler. f64 up to the last cast. Throws UsageError for steps outside 1 …
/// 1000, shift outside 0.01 … 1000, an unknown list.
SigmaSchedule sigma_schedule(char list, int steps, double shift);

} // namespace denoir
