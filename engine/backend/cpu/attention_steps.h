// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/cpu/kernels.h"
#include "engine/core/thread_pool.h"

namespace denoir::cpu {

/// Attention with a bf16 bias: in bf16 with every step rounded, as PyTorch computes it operation by operation (UMT5,
/// spec/umt5.md 1): q·k, its sum with the bias, the probabilities, their sum with v. The softmax itself is f32.
void attention_in_steps(const Kernels&, ThreadPool&, const Tensor& q, const Tensor& k, const Tensor& v,
                        const AttentionOptions&, Tensor& out);

} // namespace denoir::cpu
