// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"
#include "engine/weights/checkpoint.h"

namespace denoir {

/// What the shapes of a group of tensors tell about its transformer (spec/checkpoints.md 7), be it complete or not.
/// Sizes are as in wan::Config; -1: cannot be told.
struct TransformerTraits {
    std::int64_t dim = -1, ffn_dim = -1, layers = -1, in_channels = -1, out_channels = -1, text_dim = -1, freq_dim = -1,
                 clip_dim = -1;
    bool clip = false;       ///< image branch: img_emb, k_img, v_img
    bool first_last = false; ///< position table of the first-last-frame model
    bool fps = false;        ///< embedding of the frame rate (SkyReels' diffusion forcing)
    std::string outside; ///< a relative that is not supported: "VACE", "Animate", "S2V", "Fun-Control …"; else empty

    /// True for the latents of Wan 2.2's VAE (spec/vae22.md 1), which only TI2V-5B makes; A14B uses Wan 2.1's.
    bool makes_vae22_latents() const { return out_channels == 48; }
    static TransformerTraits read(const TensorGroup&);
};

/// TransformerTraits::outside as a sentence for people.
std::string describe_relative(std::string_view outside);

/// Sizes of any recognised network as numbers by name: "dim", "layers", …; an empty object for unknown ones.
Json describe_sizes(const TensorGroup&);

} // namespace denoir
