// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "engine/core/tensor.h"

namespace denoir {

/// Whether guidance that ends at the time `until` (Request::guidance_until) reaches a step: any of its timesteps, one
/// or one per latent frame, is as large.
bool guided_at(std::span<const float> timesteps, double until);

/// Classifier-free guidance in f32: conditional <- unconditional + scale·(conditional - unconditional)
/// (spec/pipelines.md 1.3), in the latent frames that guided_at holds for. Both [C,T,h,w] f32 host.
void guide(const Tensor& conditional, const Tensor& unconditional, float scale, std::span<const float> timesteps,
           double until);

} // namespace denoir
