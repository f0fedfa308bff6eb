// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace denoir {

/// Noise levels of a run of n steps: n + 1 sigmas from near 1 down to 0, and the n timesteps, 0 … 1000, that the model
/// gets.
struct SigmaSchedule {
    std::vector<float> timesteps; ///< n
    std::vector<float> sigmas;    ///< n + 1, the last one 0
    int steps() const { return static_cast<int>(timesteps.size()); }
};

/// How the sigmas are spaced: lists A … E of spec/schedulers.md 2.
enum class SigmaList {
    original_unipc,   ///< A: the original repositories
    original_dpmpp,   ///< B
    diffusers_unipc,  ///< C: before version 0.37
    diffusers_037,    ///< D: UniPC since then
    flow_match_euler, ///< E: diffusers
};

/// The schedule of a run, computed in f64, then rounded to f32. Throws UsageError for steps outside 1 … 1000, for a
/// shift outside 0.01 … 1000, and if the sigmas do not fall at every step (list D, with many steps and a large shift).
SigmaSchedule sigma_schedule(SigmaList list, int steps, double shift);

} // namespace denoir
