// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace denoir::cpu {

/// Activation::gelu_tanh_steps of n bf16 values held in f32. In place is allowed.
void gelu_in_steps(const float* in, float* out, std::int64_t n);

} // namespace denoir::cpu
