// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "engine/backend/backend.h"

/// Shape checks and allocation around the kernel list (Backend). Each op checks its arguments, allocates the result on
/// the backend of its first tensor, and makes one call. The checks are assertions: shapes come from our own models,
/// whose files were checked before. `out` is the dtype of the result (f32 or bf16), or the tensor that receives it:
/// dense unless said, of the result's shape, on the same backend.
///
/// L tokens, C channels, N heads, D head size, R rows of modulation that L / R neighbouring tokens share each. Weights,
/// biases, gammas and modulation given as Tensor are f32 (Backend::parameter).
namespace denoir::ops {

Tensor contiguous(const Tensor& x);      ///< dense copy; x itself if it is dense
Tensor cast(const Tensor& x, DType out); ///< dense copy in another dtype; x itself if it is that already
void copy(const Tensor& x, Tensor& out); ///< into any view of the same shape
void fill(Tensor& out, float value);
Tensor add(const Tensor& a, const Tensor& b, DType out);      ///< a, b of one shape
Tensor multiply(const Tensor& a, const Tensor& b, DType out); ///< a, b of one shape
Tensor activate(Activation, const Tensor& x, DType out);

/// x·Wᵀ + bias, then the activation: x [..., K], w [N, K], bias [N] or null -> [..., N]
Tensor linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, DType out);
/// The same for x [M, K], into out [M, N].
void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, Tensor& out);
/// Several layers of one x [M, K], all with a bias or none -> [M, N] for each, of dtype options.compute.
std::vector<Tensor> linear_joined(const Tensor& x, std::span<const LinearLayer> layers, const LinearOptions&);
/// Rows `ids` [n] of table [V, C] -> [n, C]
Tensor gather(Backend&, const Weight& table, std::span<const std::int64_t> ids, DType out);
/// Over the last axis of x [..., C]; weight, bias [C] or null.
Tensor layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, DType out);
/// LN(x)·(1 + scale[r]) + shift[r]; x [L, C], shift, scale [R, C].
Tensor layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps, DType out);
/// Over the last axis of x [..., C]; weight [C].
Tensor rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions&, DType out);
/// rms_norm over all C = N·D channels of x [L, C], then the rotation of each of the N `heads`.
Tensor rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions&, const Rope&, int heads, DType out);
/// x + y·gate[r]; x, y [L, C], gate [R, C].
Tensor gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, DType out);
/// First x + y·gate[r] (null gate: x + y) in dtype `sum`, second its layer norm in dtype `out`; x, y [L, C].
std::pair<Tensor, Tensor> add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions&,
                                         DType sum, DType out);
/// softmax(scale·q·kᵀ + biases)·v of each head: q [Lq, N, D], k, v [Lk, N, D] -> [Lq, N, D]
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, DType out);
/// Convolution over frames [H, W, C], channels last, where an undefined frame is zero (not all may be). w [O, C, kt,
/// kh, kw] or [O, C, kh, kw], bias [O] or null -> [n, H', W', O], to which `residual` is added unless it is null.
Tensor conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
            const ConvOptions&, DType out);
/// The same into `out`, which may be the residual.
void conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
          const ConvOptions&, Tensor& out);
/// x / |x|₂ · sqrt(C) · gamma over the last axis of x [..., C], then SiLU if asked (spec/vae21.md 2.2); gamma [C].
Tensor channel_norm(const Tensor& x, const Tensor& gamma, bool silu, DType out);
/// The same into `out`, which may have any strides but the last.
void channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out);

} // namespace denoir::ops
