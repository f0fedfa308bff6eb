// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"
#include "engine/weights/checkpoint.h"

namespace denoir {

/// What the shapes of a group of tensors tell about its transformer (spec/checkpoints.md 7), which may be incomplete.
/// Sizes are those of wan::Config; -1 if the tensors do not tell.
struct TransformerTraits {
    std::int64_t dim = -1, ffn_dim = -1, layers = -1, in_channels = -1, out_channels = -1, text_dim = -1, freq_dim = -1,
                 clip_dim = -1;
    bool clip = false;       ///< image branch: img_emb, k_img, v_img
    bool first_last = false; ///< position table of the first-last-frame model
    bool fps = false;        ///< embedding of the frame rate (SkyReels' diffusion forcing)
    std::string outside; ///< the unsupported relative that it is: "VACE", "Animate", "S2V", "Fun-Control …"; or empty

    /// Whether it makes latents of Wan 2.2's VAE (spec/vae22.md 1), as only TI2V-5B does; A14B uses Wan 2.1's.
    bool makes_vae22_latents() const { return out_channels == 48; }
    static TransformerTraits read(const TensorGroup&);
};

/// TransformerTraits::outside as a sentence for the user.
std::string describe_relative(std::string_view outside);

/// The sizes of a recognised network by name: "dim", "layers", …; an empty object for an unknown one.
Json describe_sizes(const TensorGroup&);

} // namespace denoir
