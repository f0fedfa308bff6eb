// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "engine/core/tensor.h"

namespace denoir {

/// Whether guidance that ends at timestep `until` (Request::guidance_until) still applies at `timestep`.
inline bool guided_at(float timestep, double until) { return timestep >= until; }

/// Classifier-free guidance in f32, in place: conditional = unconditional + scale·(conditional - unconditional)
/// (spec/pipelines.md 1.3), for the latent frames that guided_at() holds for; the others stay as they are. `timesteps`:
/// one, or one per latent frame. Both tensors are [C,T,h,w] f32 host.
void guide(const Tensor& conditional, const Tensor& unconditional, float scale, std::span<const float> timesteps,
           double until);

} // namespace denoir
