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
    int frames = 0;                           ///< columns: the latent frames, with appended end frames
    std::vector<float> timesteps;             ///< [rows, frames]
    std::vector<std::uint8_t> update;         ///< [rows, frames], 1 if the frame takes a solver step, else 0
    std::vector<std::pair<int, int>> windows; ///< [rows], the frames [begin, end) that the forward computes
};

/// What a ForcingPlan is made for. All but ar_step are numbers of latent frames.
struct ForcingFrames {
    int frames = 1;     ///< of the clip
    int base = 1;       ///< of a window
    int ar_step = 0;    ///< rows by which a block is behind the one before it; 0: all frames together
    int ready = 0;      ///< clean frames at the beginning
    int block = 1;      ///< frames that share a timestep
    int end_frames = 0; ///< clean frames appended at the end
};

/// The timestep matrix of spec/pipelines.md 7.1. It has no rows if every frame is ready. Throws UsageError naming
/// frames, base, ar_step, ready, block or end_frames if it is out of range or does not fit the others.
ForcingPlan forcing_plan(const SigmaSchedule&, const ForcingFrames&);

} // namespace denoir
