// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/weights/weights.h"

namespace denoir::wan {

/// Number of tokens of a latent [C,T,h,w]: patches of 1x2x2.
inline std::int64_t tokens_of(const Shape& latent) { return latent[1] * (latent[2] / 2) * (latent[3] / 2); }

/// The sizes of one transformer (spec/dit.md 2). Each released variant is a value of this.
struct Config {
    std::int64_t dim = 0; ///< D, model width
    std::int64_t ffn_dim = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t in_channels = 0; ///< latent and condition channels together
    std::int64_t out_channels = 0;
    std::int64_t freq_dim = 0; ///< width of the timestep sinusoid
    std::int64_t text_dim = 0;
    std::int64_t text_len = 512;     ///< rows of the padded prompt
    std::int64_t clip_dim = 0;       ///< width of the CLIP features; 0: no image branch
    std::int64_t clip_positions = 0; ///< rows of the first-last-frame position table; 0: none
    std::int64_t fps_rows = 0;       ///< rows of the fps table; 0: no fps branch
    std::int64_t causal_block = 0;   ///< latent frames per causal block, from config.json; 0: full attention
    float eps = 1e-6f;

    std::int64_t head_dim() const { return dim / heads; }

    /// Reads the sizes off the shapes of the tensors; what config.json says must agree. The number of heads is that of
    /// config.json, else `heads`, else dim / 128. Throws Error naming the wrong field, or every tensor that is missing,
    /// superfluous or of a wrong shape.
    static Config read(const Weights&, std::optional<std::int64_t> heads = {});

    /// Names and shapes of all tensors of this network (spec/dit.md 3).
    std::map<std::string, Shape> expected() const;
};

} // namespace denoir::wan
