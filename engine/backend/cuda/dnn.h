// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "engine/backend/cuda/kernels/number.h"
#include "engine/backend/cuda/runtime.h"

namespace denoir::cuda {

/// softmax(scale · q·kᵀ)·v of bf16 [Lq|Lk, H, D], with any strides but the last, which is 1.
struct FusedAttention {
    const void *q = nullptr, *k = nullptr, *v = nullptr;
    void* out = nullptr;
    float* log_sum = nullptr; ///< [H, Lq] natural log of the sum of exponentials, or null
    std::int64_t queries = 0, keys = 0, heads = 0, size = 0;
    std::int64_t all_keys = 0; ///< block-causal attention: keys that the last block of queries sees; else `keys`
    std::int64_t q_token = 0, q_head = 0, k_token = 0, k_head = 0, v_token = 0, v_head = 0, out_token = 0, out_head = 0;
    float scale = 1;
    std::int64_t multiplications() const { return 2 * queries * keys * heads * size; }
};

/// Convolution of dense channels-last frames x [T,H,W,C] with w [O,kt,kh,kw,C], without padding in time. out is
/// [T',H',W',O] and dense. bias [O] and residual, which has the layout of `out`, are added unless they are null.
struct FusedConv {
    Type type = Type::bf16; ///< of all tensors: bf16, or f32, which may be rounded to TF32 before it is multiplied
    const void *x = nullptr, *w = nullptr, *bias = nullptr, *residual = nullptr;
    void* out = nullptr;
    std::int64_t time = 1, height = 0, width = 0, in = 0, out_channels = 0;
    std::int64_t taps_time = 1, taps_down = 1, taps_across = 1, time_stride = 1, stride = 1;
    std::int64_t pad_down = 0, pad_across = 0; ///< the same on both sides
    std::int64_t out_time() const { return (time - taps_time) / time_stride + 1; }
    std::int64_t out_height() const { return (height + 2 * pad_down - taps_down) / stride + 1; }
    std::int64_t multiplications() const {
        return out_time() * out_height() * out_width() * out_channels * taps_time * taps_down * taps_across * in;
    }
    std::int64_t out_width() const { return (width + 2 * pad_across - taps_across) / stride + 1; }
};

/// The library for fused attention and convolution (cuDNN), opened at run time. A plan is made for each shape on its
/// first use.
class Dnn {
public:
    /// What the library needs from its caller.
    struct Caller {
        /// Gives device memory of at least so many bytes, for this call only.
        std::function<std::byte*(std::size_t bytes)> workspace;
        /// Throws Cancelled if the run was stopped; called between plans, since trying them takes seconds.
        std::function<void()> throw_if_stopped;
    };
    virtual ~Dnn() = default;
    /// False if the library has no plan for this; the caller falls back to plain kernels. Block-causal attention takes
    /// one call for each block, the last block first.
    virtual bool attention(const FusedAttention&, const Caller&) = 0;
    virtual bool conv(const FusedConv&, const Caller&) = 0;
    /// Whether the kt input frames are better given as one picture, with their channels stacked.
    virtual bool prefers_stacked_frames(Type, std::int64_t out_channels) const = 0;
};

/// Null, with the reason in `why`, if the library is missing or was not known to this build.
std::unique_ptr<Dnn> open_dnn(Runtime&, std::string& why);

} // namespace denoir::cuda
