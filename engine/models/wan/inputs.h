// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/models/wan/config.h"

namespace denoir::wan {

/// The patch grid of a latent: patches of one frame, two rows and two columns.
struct Grid {
    std::int64_t frames, height, width;
    std::int64_t tokens() const { return frames * height * width; }
};

/// Checks of what a user gives to the transformer. All throw Error naming the input, both figures and what to do.
namespace inputs {

Grid check_latent(const Config&, const Tensor& latent, const Tensor* condition);
/// The fewest rows that say the same: one for all, one per frame, or one per token.
std::vector<float> timestep_rows(std::span<const float> timesteps, const Grid&);
void check_fps(const Config&, std::optional<int> fps);
void check_text(const Config&, const Tensor& text);
void check_clip(const Config&, const Tensor* clip);

/// Rows of text [rows, text_dim] (host f32) before the zeros at the end.
std::int64_t rows_used(const Tensor& text);

} // namespace inputs
} // namespace denoir::wan
