// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/ops/ops.h"
#include "engine/weights/module.h"

/// Layers with weights: a cursor and a tensor in, a tensor out, on the tensor's backend. Shapes were checked when the
/// model was opened (Weights::require); a tensor that is missing all the same is an Error.
namespace denoir::nn {

/// The tensor `m.leaf`, or an Error that names it.
const Weight& weight(const Module& m, std::string_view leaf);

/// `m.weight`, and `m.bias` where there is one: x [..., K] -> [..., N]. `compute` is the dtype of the result too.
Tensor linear(const Module& m, const Tensor& x, DType compute, Activation activation = Activation::none);

/// linear() of x [M, K] by the children of `m` with these names: [M, N] each, perhaps columns of one tensor.
std::vector<Tensor> linear_joined(const Module& m, std::span<const char* const> names, const Tensor& x, DType compute);

/// `m.weight`, `m.bias` as small f32 parameters; `round` makes them bf16 values first.
Tensor layer_norm(const Module& m, const Tensor& x, float eps, DType out, bool round = false);

/// `m.weight` [C]; round_weight of the options rounds it.
Tensor rms_norm(const Module& m, const Tensor& x, const RmsOptions& options, DType out);

/// x·(1 + scale[r]) + shift[r], r = token · R / L; x [L, C], shift, scale [R, C] f32.
Tensor modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, DType out);

/// [rows, N·D] as [rows, N, D]; a view.
Tensor heads(const Tensor& x, std::int64_t count);

/// Attention's usual options: scores are divided by the root of the head size.
AttentionOptions attention_over(std::int64_t head_size, DType compute);

/// The tensor on `backend`: itself, or uploaded.
Tensor on(Backend& backend, const Tensor& x);
/// Its values as f32 in host memory, wherever it is.
Tensor host_f32(const Tensor& x);

/// All values of a weight as f32 in host memory, its scale applied.
Tensor host_values(const Weight& w);

/// A weight's values (host_values) rounded to bf16, as a weight of that dtype in host memory; itself where it is that.
Weight rounded_to_bf16(const Weight& w);

} // namespace denoir::nn
