// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "engine/backend/backend.h"

/// Shape checks and allocation around the kernel list: each op checks its arguments (assert: they come from our own
/// models, files were checked before), allocates the result on the backend of its first tensor, makes one call. `out`
/// is the dtype of the result, or where it goes: dense, of the result's shape, on the same backend.
namespace denoir::ops {

Tensor contiguous(const Tensor& x);      ///< itself where dense
Tensor cast(const Tensor& x, DType out); ///< dense copy in another dtype; itself where it is that
void copy(const Tensor& x, Tensor& out); ///< into any view of the same shape
void fill(Tensor& out, float value);
Tensor add(const Tensor& a, const Tensor& b, DType out);
Tensor multiply(const Tensor& a, const Tensor& b, DType out);
Tensor activate(Activation, const Tensor& x, DType out);

/// x [..., K] -> [..., N]
Tensor linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, DType out);
/// x [M, K] -> out [M, N]
void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, Tensor& out);
/// x [M, K] -> [M, N] for each layer, dtype options.compute; all with a bias or none
std::vector<Tensor> linear_joined(const Tensor& x, std::span<const LinearLayer> layers, const LinearOptions&);
Tensor gather(Backend&, const Weight& table, std::span<const std::int64_t> ids, DType out);
Tensor layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, DType out);
Tensor layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps, DType out);
Tensor rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions&, DType out);
Tensor rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions&, const Rope&, int heads, DType out);
Tensor gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, DType out);
/// { x + y·gate (null: x + y) in `sum`, its layer norm in `out` }; x, y [L, C]
std::pair<Tensor, Tensor> add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions&,
                                         DType sum, DType out);
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, DType out);
Tensor conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
            const ConvOptions&, DType out);
/// `out` may be the residual.
void conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
          const ConvOptions&, Tensor& out);
Tensor channel_norm(const Tensor& x, const Tensor& gamma, bool silu, DType out);
/// `out`: any strides but the last.
void channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out);

} // namespace denoir::ops
