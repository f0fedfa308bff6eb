// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "engine/backend/backend.h"

namespace denoir::wan {

/// Complex pairs of a head given to time, height and width: height and width a third each, time the rest (spec/dit.md
/// 6).
std::array<std::int64_t, 3> rope_pairs(std::int64_t head_dim);

/// Rotations of the tokens of a [frames, height, width] patch grid, frame slowest: cos, sin [frames·height·width,
/// head_dim/2] f32 in host memory. Angles in f64; any position.
Rope rope_table(std::int64_t frames, std::int64_t height, std::int64_t width, std::int64_t head_dim);

} // namespace denoir::wan
