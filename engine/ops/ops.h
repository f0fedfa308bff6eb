// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "engine/backend/backend.h"

/// Shape checks and allocation around the kernels (Backend). Each op checks its arguments, allocates the result on the
/// backend of its first tensor, and makes one call. The checks are assertions: shapes come from our own models, whose
/// files were checked before. `out` is the dtype of the result (f32 or bf16), or the tensor that receives it, which has
/// the result's shape, lies on the same backend and is dense unless stated otherwise.
///
/// L tokens, C channels, N heads, D head size, R rows of modulation, each shared by L / R neighbouring tokens. Weights,
/// biases, gammas and modulation given as Tensor are f32 (Backend::parameter).
namespace denoir::ops {

Tensor contiguous(const Tensor& x);      ///< a dense copy; x itself if it is dense
Tensor cast(const Tensor& x, DType out); ///< a dense copy in another dtype; x itself if it is dense and of this dtype
void copy(const Tensor& x, Tensor& out); ///< `out` may be any view of the same shape
void fill(Tensor& out, float value);
Tensor add(const Tensor& a, const Tensor& b, DType out);      ///< a, b of the same shape
Tensor multiply(const Tensor& a, const Tensor& b, DType out); ///< a, b of the same shape
Tensor activate(Activation, const Tensor& x, DType out);

/// x·Wᵀ + bias, then the activation: x [..., K], w [N, K], bias [N] or null -> [..., N]
Tensor linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, DType out);
/// The same for x [M, K]; the result goes to out [M, N].
void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, Tensor& out);
/// Several linear layers of the same x [M, K] -> [M, N] for each, of dtype options.compute. All have a bias, or none
/// has.
std::vector<Tensor> linear_joined(const Tensor& x, std::span<const LinearLayer> layers, const LinearOptions&);
/// Rows `ids` [n] of table [V, C] -> [n, C]
Tensor gather(Backend&, const Weight& table, std::span<const std::int64_t> ids, DType out);
/// Layer norm over the last axis of x [..., C]; weight, bias [C] or null.
Tensor layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, DType out);
/// LN(x)·(1 + scale[r]) + shift[r]; x [L, C], shift, scale [R, C].
Tensor layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps, DType out);
/// RMS norm over the last axis of x [..., C]; weight [C].
Tensor rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions&, DType out);
/// rms_norm over all C = N·D channels of x [L, C], then the rotation of each of the N `heads`.
Tensor rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions&, const Rope&, int heads, DType out);
/// x + y·gate[r]; x, y [L, C], gate [R, C].
Tensor gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, DType out);
/// Returns x + y·gate[r] (x + y if gate is null) in dtype `sum`, and its layer norm in dtype `out`; x, y [L, C].
std::pair<Tensor, Tensor> add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions&,
                                         DType sum, DType out);
/// softmax(scale·q·kᵀ + biases)·v for each head: q [Lq, N, D], k, v [Lk, N, D] -> [Lq, N, D]
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, DType out);
/// Convolution over frames [H, W, C], channels last. An undefined frame means zeros; at least one must be defined. w
/// [O, C, kt, kh, kw] or [O, C, kh, kw], bias [O] or null -> [n, H', W', O], to which `residual` is added unless it is
/// null.
Tensor conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
            const ConvOptions&, DType out);
/// The same; the result goes to `out`, which may be the residual.
void conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
          const ConvOptions&, Tensor& out);
/// x / |x|₂ · sqrt(C) · gamma over the last axis of x [..., C], then SiLU if `silu` (spec/vae21.md 2.2); gamma [C].
Tensor channel_norm(const Tensor& x, const Tensor& gamma, bool silu, DType out);
/// The same; the result goes to `out`, whose last axis must be dense.
void channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out);

} // namespace denoir::ops
