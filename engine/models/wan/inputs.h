// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/models/wan/config.h"

namespace denoir::wan {

/// The grid of the patches of a latent, each of one frame, two rows and two columns.
struct Grid {
    std::int64_t frames, height, width;
    std::int64_t tokens() const { return frames * height * width; }
};

/// Checks of the transformer's inputs, which may come from a user. All throw Error naming the input, what it is, what
/// it should be, and what to do.
namespace inputs {

/// Checks latent [C,T,H,W] and `condition` [Cc,T,H,W] or null. Returns the grid.
Grid check_latent(const Config&, const Tensor& latent, const Tensor* condition);
/// Checks timesteps: one, one per latent frame, or one per token. Returns a single one if all are equal, one per frame
/// if they are equal within each frame, else all.
std::vector<float> timestep_rows(std::span<const float> timesteps, const Grid&);
void check_fps(const Config&, std::optional<int> fps);
void check_text(const Config&, const Tensor& text);
void check_clip(const Config&, const Tensor* clip);

/// Number of rows of text [rows, text_dim] (f32 host) without the zero rows at its end.
std::int64_t rows_used(const Tensor& text);

} // namespace inputs
} // namespace denoir::wan
