// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/backend/device.h"
#include "engine/backend/weight.h"
#include "engine/core/tensor.h"

namespace denoir {

/// gelu_tanh_steps is tanh GELU as a sequence of operations that each round to bf16, as PyTorch computes it without a
/// fused kernel (UMT5). Only `activate` knows it, for bf16 values.
enum class Activation { none, silu, gelu_tanh, gelu_erf, gelu_tanh_steps };

/// How Backend::linear and ops::linear compute.
struct LinearOptions {
    Activation activation = Activation::none; ///< applied to the (rounded) sum
    /// f32: everything is f32. bf16: x, weight, bias, the sum (accumulated in f32) and the activation are each rounded
    /// to bf16.
    DType compute = DType::f32;
};

/// One of several linear layers of the same input.
struct LinearLayer {
    const Weight* weight = nullptr; ///< [N, K]
    const Weight* bias = nullptr;   ///< [N] or null
};

/// What Backend::attention adds to the scores q·k, and how it computes.
struct AttentionOptions {
    float scale = 1.0f; ///< > 0
    /// Block-causal attention: query token i sees key token j iff j / block <= i / block. 0: it sees every key.
    std::int64_t causal_block = 0;
    /// Added to the scores: [N, Lq, Lk] f32 or bf16, or undefined. If it is bf16, every step is rounded, as PyTorch
    /// does it operation by operation (UMT5).
    Tensor bias;
    /// Added to the scores of each key: [Lk] f32 or undefined. log(m) stands for m equal keys (collapsed text padding).
    Tensor key_bias;
    /// If not 0: key_bias is zero except for the last key, which stands for this many equal ones. A backend may then
    /// leave that key out and join it afterwards.
    std::int64_t last_key_count = 0;
    /// Added to the result after that was rounded to the type of `out`: [Lq, N, D] of that type, dense, or undefined.
    Tensor added;
    /// f32, or bf16: q, k, v, the probabilities and the result are rounded, as in a flash-attention kernel with bf16
    /// inputs; softmax and accumulation are f32.
    DType compute = DType::f32;
};

/// The rotation of each token: [L, D/2] f32 cosines and sines for the pairs (2j, 2j+1) of a head (spec/dit.md 6).
struct Rope {
    Tensor cos, sin;
};

/// The places where an RMS norm rounds.
struct RmsOptions {
    float eps = 1e-6f;
    bool round_normalised = false; ///< round x/rms to bf16 before multiplying by the weight (Wan, T5 in bf16)
    bool round_weight = false;     ///< round the weight itself to bf16 (SkyReels stores bf16)
};

/// The layer norm of Backend::add_layer_norm.
struct LayerNormOptions {
    const Tensor *weight = nullptr, *bias = nullptr; ///< [C] f32 or null; with `modulate` scale and shift [R,C] f32
    bool modulate = false;                           ///< as layer_norm_modulate: ·(1 + weight[r]) + bias[r]
    bool round_before = false;                       ///< round the norm's input to bf16 first
    float eps = 1e-6f;
};

/// Strides, padding and arithmetic of Backend::conv.
struct ConvOptions {
    int stride = 1; ///< spatial
    int time_stride = 1;
    int pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0; ///< rows and columns of zeros, after duplication
    bool duplicate = false;     ///< duplicate each input pixel 2x2 before the convolution, without storing the result
    DType compute = DType::f32; ///< as in LinearOptions
    /// With compute f32: a card may round frames and weights to TF32 (10 bits of mantissa, sums in f32), as PyTorch's
    /// convolutions do by default (torch.backends.cudnn.allow_tf32). Errors are up to 2e-3 of the largest value.
    bool tf32 = false;
};

/// The memory that a stage needs on a device, in bytes.
struct MemoryNeeds {
    std::size_t weights = 0, largest_weight = 0; ///< matrices, in the kernels' format
    std::size_t activations = 0;                 ///< the most other memory in use at the same time
    bool once = false;                           ///< each weight is used once or twice, not at every step
};

/// The kernels of one device, and its memory. One engine thread uses a backend at a time. Every kernel writes a dense
/// `out` that the caller allocated. Inputs may be strided views; their last stride is 1 unless stated otherwise.
/// Activations are f32 or bf16, and a kernel rounds once when it writes bf16. L tokens, C channels, N heads, D head
/// size; R rows of modulation, each shared by `rows` = L / R neighbouring tokens. Internal arithmetic is f32. Shapes
/// are checked by the callers, in ops.
class Backend {
public:
    virtual ~Backend() = default;

    virtual Device device() const = 0;
    /// Whether bf16 matrix products run faster than f32 ones.
    virtual bool fast_bf16() const = 0;
    virtual int threads() const = 0;
    virtual void set_stop(std::stop_token) = 0;

    // Memory. Blocks return to the backend's arena when their last Tensor is destroyed.
    virtual Tensor empty(const Shape&, DType) = 0;
    virtual Tensor upload(const Tensor& host) = 0; ///< a dense copy of the same dtype on the device
    virtual Tensor download(const Tensor&) = 0;    ///< a dense copy of the same dtype on the host
    /// As download, but a device may continue meanwhile: the copy has its values only after `finish` was called with
    /// it. Copies must be finished in the order in which they were requested.
    virtual Tensor download_later(const Tensor& x) { return download(x); }
    virtual void finish(const Tensor& host);
    struct MemoryStats {
        std::size_t in_use, held; ///< in bytes
        std::size_t peak;         ///< the peak of in_use; on a card that of held
        std::size_t system_allocations;
    };
    virtual MemoryStats memory() const = 0;
    virtual std::size_t free_memory(); ///< bytes that are available in addition to those held; 0: not known
    virtual void trim() = 0;           ///< returns unused blocks (and recordings, see `captured`) to the system
    /// To be called before a stage's weights are first used. A device with less memory than needed may decide to keep
    /// some of them elsewhere; it then returns one line for the user. Throws Error if the stage cannot run at all.
    /// Empty needs end the plan.
    virtual std::string plan_memory(const MemoryNeeds&) { return {}; }

    /// Whether plan_memory can keep a stage's weights elsewhere, so that a stage that ran out of memory may be planned
    /// again with greater needs.
    virtual bool streams_weights() const { return false; }

    /// Whether getting memory from the system is so slow that memory should be returned only between stages.
    virtual bool keeps_memory() const { return false; }

    using Body = std::function<Tensor(std::span<const Tensor> inputs)>;
    /// body(inputs), which must only call kernels and depend on nothing but its inputs and `key`. A device may record
    /// the kernels and, at later calls with this key, repeat them on other inputs of the same shapes without running
    /// the body. `inputs` must be on this backend and dense, or undefined.
    virtual Tensor captured(const std::string& key, std::span<const Tensor> inputs, const Body& body);

    /// A small parameter (norm, bias, modulation, table) as f32 on the device, converted from its storage dtype and
    /// scaled; kept in the Weight. `round_bf16`: rounded to bf16 first. Has the stored shape.
    virtual Tensor parameter(const Weight&, bool round_bf16) = 0;

    /// Copies between any strides of the same shape, f32 <-> bf16; `in` may also be f16 or i64.
    virtual void copy(const Tensor& in, Tensor& out) = 0;
    virtual void fill(Tensor& out, float value) = 0;
    virtual void add(const Tensor& a, const Tensor& b, Tensor& out) = 0; ///< all of the same shape
    virtual void multiply(const Tensor& a, const Tensor& b, Tensor& out) = 0;
    virtual void activate(Activation, const Tensor& in, Tensor& out) = 0;

    /// x [M,K] · w[N,K]ᵀ + bias[N] -> out [M,N]. w may have any storage dtype; trailing axes of a convolution weight
    /// are part of K.
    virtual void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, Tensor& out) = 0;
    /// linear() of the same x [M,K] with several layers, of which all or none have a bias: a result [M,N] in
    /// options.compute for each. A device may store their weights as one matrix; the results are then columns of one
    /// tensor.
    virtual std::vector<Tensor> linear_joined(const Tensor& x, std::span<const LinearLayer> layers,
                                              const LinearOptions&);
    /// Rows `ids` [n] of table [V,C] -> out [n,C].
    virtual void gather(const Weight& table, std::span<const std::int64_t> ids, Tensor& out) = 0;

    /// x [L,C] -> out [L,C]; weight, bias [C] f32 (parameter()) or null.
    virtual void layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, Tensor& out) = 0;
    /// LN(x)·(1 + scale[r]) + shift[r]; shift, scale [R,C] f32, whose rows may be strided.
    virtual void layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps, Tensor& out);
    /// x / sqrt(mean(x²) + eps) · weight over all C channels of a token; weight [C] f32.
    virtual void rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions&, Tensor& out) = 0;
    /// rms_norm over C = N·D, then the rotation of every head. `out` has the shape of x.
    virtual void rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions&, const Rope&, int heads,
                               Tensor& out);
    /// x [L, N·D] rotated. In place is allowed.
    virtual void rope(const Tensor& x, const Rope&, int heads, Tensor& out) = 0;
    /// x + y·gate[r]; gate [R,C] f32.
    virtual void gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, Tensor& out) = 0;
    /// sum = x + y·gate[r] (x + y if gate is null), and out = the layer norm of sum after it was rounded to its type. A
    /// device may read x and y once for both.
    virtual void add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions&,
                                Tensor& sum, Tensor& out);

    /// q [Lq,N,D], k, v [Lk,N,D] -> out [Lq,N,D]. Uses an online softmax, so that no Lq x Lk matrix is stored.
    virtual void attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, Tensor& out) = 0;

    /// `frames`: (n-1)·time_stride + kt frames [H,W,C], channels last; an undefined Tensor is a frame of zeros. w
    /// [O,C,kt,kh,kw] or [O,C,kh,kw]. `residual` [n,H',W',O], which is added, may be `out` itself, or null. out
    /// [n,H',W',O].
    virtual void conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
                      const ConvOptions&, Tensor& out) = 0;
    /// Whether this convolution needs its kt frames side by side, pixel by pixel: as views [H,W,C] of one tensor
    /// [H,W,kt,C], in any order. If they are not, it copies them.
    virtual bool wants_frames_side_by_side(const Weight& /*w*/, const ConvOptions&) const { return false; }
    /// y[c] = x[c] / max(|x|₂, 1e-12) · sqrt(C) · gamma[c] for each row of x [..., C], then SiLU if `silu`
    /// (spec/vae21.md 2.2). `out` may be one of several frames side by side (wants_frames_side_by_side).
    virtual void channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) = 0;
};

/// Opens a device. `threads` 0: one per core. A card that was kept open is reused if `threads` is 0 or its number, and
/// closed first otherwise. Throws Error that says why the device cannot be used and what to do. May be called from any
/// thread.
std::shared_ptr<Backend> open_backend(const Device&, int threads = 0);

/// Keeps a card open for the next open_backend() of it, since opening its libraries takes time. The caller must not use
/// it any more, nor hold any of its tensors. Throws Error if the card has failed. Just drops the processor's backend.
/// May be called from any thread.
void keep_open(std::shared_ptr<Backend>);

/// Throws Error like open_backend() if the device cannot be used. Keeps a card open. May be called from any thread.
void require_device(const Device&);

/// The type in which `device` keeps a copy of a matrix for products of `rows` rows in `compute`; empty if its kernels
/// read the weight as it is stored. Opens no device.
std::optional<DType> matrices_held_as(const Device& device, DType compute, std::int64_t rows);

} // namespace denoir
