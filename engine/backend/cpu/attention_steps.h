// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/cpu/kernels.h"
#include "engine/core/thread_pool.h"

namespace denoir::cpu {

/// Attention with a bf16 bias, computed in bf16 as PyTorch does it operation by operation (UMT5, spec/umt5.md 1). Each
/// step is rounded: q·k, its sum with the bias, the probabilities, the sum of their products with v. The softmax itself
/// is f32.
void attention_in_steps(const Kernels&, ThreadPool&, const Tensor& q, const Tensor& k, const Tensor& v,
                        const AttentionOptions&, Tensor& out);

} // namespace denoir::cpu
