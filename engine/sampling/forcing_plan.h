// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/sampling/sigmas.h"

namespace denoir {

/// Which latent frame sees which time in each forward of a diffusion-forcing run, and which frames take a solver step
/// there.
struct ForcingPlan {
    int rows = 0;
    int frames = 0;                           ///< columns, appended end frames included
    std::vector<float> timesteps;             ///< [rows, frames]
    std::vector<std::uint8_t> update;         ///< [rows, frames] 0 or 1
    std::vector<std::pair<int, int>> windows; ///< [rows] frames [begin, end) that a window of `base` frames covers
};

/// The timestep matrix of spec/pipelines.md 7.1, in latent frames: `frames` of the clip, window `base`, `ar_step` 0 for
/// all frames together, the first `ready` frames clean, `block` frames sharing a time; `end_frames` clean frames
/// appended. No rows where everything is ready. Throws UsageError naming frames, base, ar_step, ready or block.
ForcingPlan forcing_plan(const SigmaSchedule&, int frames, int base, int ar_step, int ready, int block,
                         int end_frames = 0);

} // namespace denoir
