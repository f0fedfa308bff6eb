// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "engine/backend/backend.h"

namespace denoir::wan {

/// How many of a head's channel pairs encode time, height and width, in this order: a third each for height and width,
/// the rest for time (spec/dit.md 6).
std::array<std::int64_t, 3> rope_pairs(std::int64_t head_dim);

/// Rotations of the tokens of a [frames, height, width] patch grid, width fastest: cos, sin [frames·height·width,
/// head_dim/2] f32 in host memory. Angles are computed in f64.
Rope rope_table(std::int64_t frames, std::int64_t height, std::int64_t width, std::int64_t head_dim);

} // namespace denoir::wan
