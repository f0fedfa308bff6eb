// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/weights/weights.h"

namespace denoir::wan {

/// The sizes of one video VAE. Wan 2.1's (spec/vae21.md) and Wan 2.2's (spec/vae22.md) are values of this.
struct VaeConfig {
    /// One resolution of the encoder or decoder: residual blocks, then perhaps a resampling by two.
    struct Level {
        std::vector<std::string> blocks; ///< prefixes of the residual blocks
        std::string resample;            ///< prefix of the resampling; empty: none
        bool temporal = false;           ///< the resampling also doubles or halves the number of frames
        std::int64_t in = 0, width = 0;  ///< channels entering; channels of the blocks' results
        std::int64_t out = 0;            ///< channels leaving
    };
    std::vector<Level> encoder, decoder;
    std::int64_t z = 0;             ///< latent channels
    std::int64_t encoder_width = 0; ///< channels after encoder.conv1
    std::int64_t decoder_width = 0; ///< channels after decoder.conv1
    std::int64_t patch = 1;         ///< side in pixels of the squares folded into channels before the network (2.2: 2)
    bool shortcuts = false;         ///< 2.2: parameter-free shortcuts around each level
    std::vector<float> mean, std;   ///< [z], mean and standard deviation of the latent's channels
    std::string assumed;            ///< a warning if mean or std had to be guessed; else empty

    std::int64_t spatial() const;  ///< pixels per latent pixel: 8 or 16
    std::int64_t temporal() const; ///< frames per latent frame: 4
    std::int64_t latent_frames(std::int64_t frames) const { return 1 + (frames - 1) / temporal(); }
    std::int64_t frames(std::int64_t latent_frames) const { return (latent_frames - 1) * temporal() + 1; }

    /// Number of values that the causal convolutions keep between frames: those of the encoder for pictures of height x
    /// width pixels, those of the decoder for latents of height x width.
    std::int64_t encoder_state(std::int64_t height, std::int64_t width) const;
    std::int64_t decoder_state(std::int64_t height, std::int64_t width) const;

    /// Reads the widths off the shapes. mean and std are config.json's latents_mean and latents_std, else the published
    /// constants (z 16 and 48), else 0 and 1; `assumed` warns in the last case, and if config.json has only one of the
    /// two. Throws Error naming the tensor or the field.
    static VaeConfig read(const Weights&);
    std::map<std::string, Shape> expected() const;
};

} // namespace denoir::wan
