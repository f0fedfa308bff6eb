// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/models/wan/transformer.h"
#include "engine/models/wan/vae.h"
#include "engine/pipeline/request.h"

namespace denoir {

/// What a transformer asks of its pipeline, read from its tensors and config.json.
struct Variant {
    int channels = 0;  ///< of the latent
    int condition = 0; ///< channels appended to it: 0, or 4 mask + latent channels
    int text_len = 512;
    int clip_images = 0; ///< pictures whose CLIP features it takes: 0, 1, or first and last
    std::int64_t dim = 0, layers = 0, ffn = 0;
    static Variant read(const Weights& transformer);
};

/// Latent size of a request: [C,T,h,w].
Shape latent_shape(const Request&, int channels);

/// A clip of diffusion forcing that goes on after a video.
bool goes_on(const Request&);
/// Clean latent frames that a clip of diffusion forcing begins with: of its start image or of the video before it.
int ready_frames(const Request&);

/// Whether classifier-free guidance needs a second forward: at 1 it changes nothing, and SkyReels' forcing loop leaves
/// it out below 1 too (spec/pipelines.md 1.3).
bool guided(const Request&, double guidance);
/// guided() at any of the run's steps: the negative prompt is encoded.
bool uses_negative(const Request&);

/// What a backend makes of a transformer's weights depends on this (Residency::get).
std::string weights_use(const Request&);

/// SkyReels' entry points run the VAE's convolutions in bf16, Wan's in f32 (spec/pipelines.md 1.4).
DType vae_dtype(const Request&);
/// Memory of decoding: the exact causal state (spec/vae21.md 4) and the frames at work, for a decoder that ends `width`
/// channels wide.
constexpr int most_strips = 8;
std::size_t decode_bytes(const Request&, std::int64_t width, int strips);
std::int64_t decoder_width(const Weights& vae);
wan::Precision transformer_precision(const Request&);

} // namespace denoir
