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

/// What it is made for, in latent frames.
struct ForcingFrames {
    int frames = 1;     ///< of the clip
    int base = 1;       ///< of a window
    int ar_step = 0;    ///< 0: all frames together
    int ready = 0;      ///< so many first frames are clean
    int block = 1;      ///< frames that share a time
    int end_frames = 0; ///< clean ones appended
};

/// The timestep matrix of spec/pipelines.md 7.1. No rows where everything is ready. Throws UsageError naming frames,
/// base, ar_step, ready or block.
ForcingPlan forcing_plan(const SigmaSchedule&, const ForcingFrames&);

} // namespace denoir
