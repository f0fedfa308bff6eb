// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/sampling/sigmas.h"

namespace denoir {

/// For each forward (row) of a diffusion-forcing run: the timestep of every latent frame, and which frames take a
/// solver step.
struct ForcingPlan {
    int rows = 0;
    int frames = 0;                           ///< columns, appended end frames included
    std::vector<float> timesteps;             ///< [rows, frames]
    std::vector<std::uint8_t> update;         ///< [rows, frames] 0 or 1
    std::vector<std::pair<int, int>> windows; ///< [rows] frames [begin, end) that a window of `base` frames covers
};

/// What a ForcingPlan is made for; all counts are of latent frames.
struct ForcingFrames {
    int frames = 1;     ///< of the clip
    int base = 1;       ///< of a window
    int ar_step = 0;    ///< 0: all frames together
    int ready = 0;      ///< clean ones at the beginning
    int block = 1;      ///< that share a timestep
    int end_frames = 0; ///< clean ones appended at the end
};

/// The timestep matrix of spec/pipelines.md 7.1; without rows if every frame is ready. Throws UsageError naming frames,
/// base, ar_step, ready or block if it is out of range or does not fit the others.
ForcingPlan forcing_plan(const SigmaSchedule&, const ForcingFrames&);

} // namespace denoir
