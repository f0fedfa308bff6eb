// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

namespace denoir {

/// Classifier-free guidance in f32: conditional <- unconditional + scale·(conditional - unconditional)
/// (spec/pipelines.md 1.3).
void guide(std::span<float> conditional, std::span<const float> unconditional, float scale);

} // namespace denoir
