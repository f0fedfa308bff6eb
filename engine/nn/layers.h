// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/ops/ops.h"
#include "engine/weights/module.h"

/// Layers with weights: each takes a module (a cursor into the weights) and a tensor, and returns a tensor on the same
/// backend. Shapes are not checked here: Weights::require did so when the model was opened. All throw Error naming a
/// weight that is missing.
namespace denoir::nn {

/// The weight `m.leaf`. Throws Error naming it if it is missing.
const Weight& weight(const Module& m, std::string_view leaf);

/// x·Wᵀ + bias, then the activation: x [..., K] -> [..., N] of dtype `compute`. Uses `m.weight` [N, K] and, if there is
/// one, `m.bias` [N].
Tensor linear(const Module& m, const Tensor& x, DType compute, Activation activation = Activation::none);

/// linear() of x [M, K] with each of the children of `m` that have these names -> [M, N] for each. The results may be
/// columns of one tensor.
std::vector<Tensor> linear_joined(const Module& m, std::span<const char* const> names, const Tensor& x, DType compute);

/// Layer norm over the last axis of x [..., C] with `m.weight` and `m.bias` [C]. `round`: both are rounded to bf16
/// first.
Tensor layer_norm(const Module& m, const Tensor& x, float eps, DType out, bool round = false);

/// RMS norm over the last axis of x [..., C] with `m.weight` [C].
Tensor rms_norm(const Module& m, const Tensor& x, const RmsOptions& options, DType out);

/// x·(1 + scale[r]) + shift[r] with r = token · R / L; x [L, C]; shift, scale [R, C] f32.
Tensor modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, DType out);

/// [rows, N·D] as [rows, N, D]; a view.
Tensor heads(const Tensor& x, std::int64_t count);

/// The options of usual attention: scores are divided by the square root of the head size.
AttentionOptions attention_over(std::int64_t head_size, DType compute);

/// x on `backend`: x itself if it is there already, else a copy.
Tensor on(Backend& backend, const Tensor& x);
/// x as f32 in host memory, wherever it is.
Tensor host_f32(const Tensor& x);

/// A weight's values as f32 in host memory, with its scale and its changes (LoRA) applied.
Tensor host_values(const Weight& w);

/// A weight with w's host_values() rounded to bf16, in host memory; w itself if it is plain bf16 already.
Weight rounded_to_bf16(const Weight& w);

} // namespace denoir::nn
