// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/models/wan/transformer.h"
#include "engine/models/wan/vae.h"
#include "engine/pipeline/request.h"

namespace denoir {

/// How a request runs the VAE. SkyReels' entry points compute its convolutions in bf16 and Wan's in f32
/// (spec/pipelines.md 1.4), which on a card means TF32 (spec/vae21.md 1) unless the request's precision is f32.
wan::Vae::Options vae_options(const Request&, int strips = 1);
/// The most strips that a video is decoded in to save memory.
constexpr int most_strips = 8;
/// Bytes that decoding takes: the causal state (spec/vae21.md 4; exact), the frames being computed, and the threads'
/// scratch memory.
std::size_t decode_bytes(const Request&, const wan::VaeConfig&, int strips);
/// Where the transformer rounds under a precision policy (spec/dit.md 7).
wan::Precision cast_points(PrecisionPolicy);

} // namespace denoir
