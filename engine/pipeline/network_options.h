// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/models/wan/transformer.h"
#include "engine/models/wan/vae.h"
#include "engine/pipeline/request.h"

namespace denoir {

/// SkyReels' entry points run the VAE's convolutions in bf16, Wan's in f32 (spec/pipelines.md 1.4), which on a card is
/// TF32 (spec/vae21.md 1) unless the request's precision is f32.
wan::Vae::Options vae_options(const Request&, int strips = 1);
constexpr int most_strips = 8;
/// Memory of decoding: the exact causal state (spec/vae21.md 4), the frames at work, and what threads take each.
std::size_t decode_bytes(const Request&, const wan::VaeConfig&, int strips);
/// Where the transformer rounds under a policy (spec/dit.md 7).
wan::Precision cast_points(PrecisionPolicy);

} // namespace denoir
