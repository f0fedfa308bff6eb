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

/// gelu_tanh_steps: tanh GELU as a row of operations that each round to bf16, as PyTorch computes it where it is not
/// one kernel (UMT5); by `activate` alone, of bf16 values.
enum class Activation { none, silu, gelu_tanh, gelu_erf, gelu_tanh_steps };

/// How Backend::linear and ops::linear compute.
struct LinearOptions {
    Activation activation = Activation::none; ///< applied to the (rounded) sum
    /// f32: everything f32. bf16: x, weight and bias rounded to bf16, f32 accumulation, sum rounded to bf16, activation
    /// rounded to bf16.
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
    /// Block-causal: key token j is seen by query token i iff j / block <= i / block. 0: every key.
    std::int64_t causal_block = 0;
    /// Added to the scores. [N, Lq, Lk] f32, or bf16: then every step is rounded, as PyTorch does it operation by
    /// operation (UMT5). Or undefined.
    Tensor bias;
    /// Added to the scores of each key. [Lk] f32 or undefined; log(m) stands for m equal keys (collapsed text padding).
    Tensor key_bias;
    /// Says that key_bias is zero but for the last key, which stands for this many equal ones: a backend may leave that
    /// key out and join it afterwards. 0: not said.
    std::int64_t last_key_count = 0;
    /// Added to the result, once that has the type of `out`: [Lq, N, D] of that type, dense, or undefined.
    Tensor added;
    /// f32, or bf16: q, k, v and probabilities-times-v as a flash-attention kernel with bf16 inputs gives them (f32
    /// softmax and accumulation).
    DType compute = DType::f32;
};

/// The rotation of each token: [L, D/2] f32 cosines and sines, for pairs (2j, 2j+1) of a head (spec/dit.md 6).
struct Rope {
    Tensor cos, sin;
};

/// Where an RMS norm rounds.
struct RmsOptions {
    float eps = 1e-6f;
    bool round_normalised = false; ///< round x/rms to bf16 before the weight (Wan, T5 in bf16)
    bool round_weight = false;     ///< the weight itself rounded to bf16 (SkyReels stores bf16)
};

/// The layer norm of Backend::add_layer_norm.
struct LayerNormOptions {
    const Tensor *weight = nullptr, *bias = nullptr; ///< [C] f32 or null; with `modulate` scale and shift [R,C] f32
    bool modulate = false;                           ///< ·(1 + weight[r]) + bias[r], as layer_norm_modulate
    bool round_before = false;                       ///< what is normalised is rounded to bf16 first
    float eps = 1e-6f;
};

/// Strides, padding and arithmetic of Backend::conv.
struct ConvOptions {
    int stride = 1; ///< spatial
    int time_stride = 1;
    int pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0; ///< zeros; pixels of the (duplicated) input
    bool duplicate = false;     ///< nearest 2x2 duplication of the input before the convolution, never materialised
    DType compute = DType::f32; ///< as in LinearOptions
    /// With compute f32: a card may round frames and weights to TF32 (10 bits of mantissa, sums in f32), as PyTorch's
    /// convolutions do there unless told otherwise (torch.backends.cudnn.allow_tf32). Off by up to 2e-3 of the largest.
    bool tf32 = false;
};

/// What a stage asks of a device's memory, in bytes.
struct MemoryNeeds {
    std::size_t weights = 0, largest_weight = 0; ///< matrices, as the kernels hold them
    std::size_t activations = 0;                 ///< what is alive at once beside them
    bool once = false;                           ///< each weight is used once or twice, not at every step
};

/// The kernels of one device, and its memory. One engine thread uses a backend at a time. Every kernel writes a dense
/// `out` that the caller allocated; inputs may be strided views whose last stride is 1 unless said. Activations are f32
/// or bf16, and a kernel rounds once when it writes bf16. L tokens, C channels, N heads, D head size; R rows of
/// modulation, each shared by `rows` = L / R neighbouring tokens. The arithmetic inside is f32. Shapes are checked
/// above, in ops.
class Backend {
public:
    virtual ~Backend() = default;

    virtual Device device() const = 0;
    /// True where bf16 matrix products run faster than f32 ones.
    virtual bool fast_bf16() const = 0;
    virtual int threads() const = 0;
    virtual void set_stop(std::stop_token) = 0;

    // Memory. Blocks return to the backend's arena when the last Tensor lets go.
    virtual Tensor empty(const Shape&, DType) = 0;
    virtual Tensor upload(const Tensor& host) = 0; ///< dense copy, same dtype
    virtual Tensor download(const Tensor&) = 0;    ///< dense host copy, same dtype
    /// As download, but a device may go on meanwhile: the copy holds its values once `finish` was called with it.
    /// Finish in the order of asking.
    virtual Tensor download_later(const Tensor& x) { return download(x); }
    virtual void finish(const Tensor& host);
    struct MemoryStats {
        std::size_t in_use, held; ///< bytes
        std::size_t peak;         ///< of in_use, on a card of held
        std::size_t system_allocations;
    };
    virtual MemoryStats memory() const = 0;
    virtual std::size_t free_memory(); ///< bytes that could be had beside what is held; 0: not known
    virtual void trim() = 0;           ///< give unused blocks (and recordings, see `captured`) back to the system
    /// Before a stage's weights are first used: a device with less memory than that may choose to keep some of them
    /// elsewhere. Returns one line for the user where it does. Throws Error where the stage cannot run at all. Empty
    /// needs: nothing is planned any more.
    virtual std::string plan_memory(const MemoryNeeds&) { return {}; }

    /// True where plan_memory can keep a stage's weights elsewhere: one that ran out of memory may be planned again
    /// with greater needs.
    virtual bool streams_weights() const { return false; }

    /// True where asking for memory again is so slow that it should be given back between stages alone.
    virtual bool keeps_memory() const { return false; }

    using Body = std::function<Tensor(std::span<const Tensor> inputs)>;
    /// body(inputs), which calls kernels alone and depends on nothing but its inputs and `key`. A device may record the
    /// kernels and, at later calls with this key, repeat them on other inputs of the same shapes without running the
    /// body. `inputs` on this backend, dense; undefined ones are passed on.
    virtual Tensor captured(const std::string& key, std::span<const Tensor> inputs, const Body& body);

    /// A small parameter (norm, bias, modulation, table) as f32 on the device, widened from its storage dtype and
    /// scaled; kept in the Weight. `round_bf16`: rounded to bf16 first. Shape as stored.
    virtual Tensor parameter(const Weight&, bool round_bf16) = 0;

    /// Same shape, any strides on both sides, f32 <-> bf16 (f16, i64 in).
    virtual void copy(const Tensor& in, Tensor& out) = 0;
    virtual void fill(Tensor& out, float value) = 0;
    virtual void add(const Tensor& a, const Tensor& b, Tensor& out) = 0; ///< same shapes
    virtual void multiply(const Tensor& a, const Tensor& b, Tensor& out) = 0;
    virtual void activate(Activation, const Tensor& in, Tensor& out) = 0;

    /// x [M,K] · w[N,K]ᵀ + bias[N] -> out [M,N]. w: any storage dtype, trailing axes of a convolution weight folded
    /// into K.
    virtual void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, Tensor& out) = 0;
    /// linear() of one x [M,K] by several layers, all with a bias or none: for each a result [M,N] in options.compute.
    /// A device may hold their weights as one matrix; the results are then columns of one tensor.
    virtual std::vector<Tensor> linear_joined(const Tensor& x, std::span<const LinearLayer> layers,
                                              const LinearOptions&);
    /// Rows `ids` [n] of table [V,C] -> out [n,C].
    virtual void gather(const Weight& table, std::span<const std::int64_t> ids, Tensor& out) = 0;

    /// x [L,C] -> out [L,C]; weight, bias [C] f32 (parameter()) or null.
    virtual void layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, Tensor& out) = 0;
    /// LN(x)·(1 + scale[r]) + shift[r]; shift, scale [R,C] f32, possibly strided rows.
    virtual void layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps, Tensor& out);
    /// x / sqrt(mean(x²) + eps) · weight over all C channels of a token; weight [C] f32.
    virtual void rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions&, Tensor& out) = 0;
    /// rms_norm over C = N·D, then the rotation of every head. out as x.
    virtual void rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions&, const Rope&, int heads,
                               Tensor& out);
    /// x [L, N·D] rotated. In place is allowed.
    virtual void rope(const Tensor& x, const Rope&, int heads, Tensor& out) = 0;
    /// x + y·gate[r]; gate [R,C] f32.
    virtual void gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, Tensor& out) = 0;
    /// sum = x + y·gate[r], without a gate x + y, and out = the layer norm of sum as it was written, in f32 or bf16. A
    /// device may read x and y once for both.
    virtual void add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions&,
                                Tensor& sum, Tensor& out);

    /// q [Lq,N,D], k, v [Lk,N,D] (any strides but the last) -> out [Lq,N,D]. Online softmax: no Lq x Lk matrix is held.
    virtual void attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, Tensor& out) = 0;

    /// `frames`: (n-1)·time_stride + kt frames [H,W,C], channels last; an undefined Tensor is a frame of zeros. w
    /// [O,C,kt,kh,kw] or [O,C,kh,kw]. `residual` [n,H',W',O] is added, or null; it may be `out` itself. out
    /// [n,H',W',O].
    virtual void conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
                      const ConvOptions&, Tensor& out) = 0;
    /// True where this convolution had better find its kt frames side by side, pixel by pixel: as the views [H,W,C] of
    /// one tensor [H,W,kt,C], in any order. It would copy them there else.
    virtual bool wants_frames_side_by_side(const Weight& /*w*/, const ConvOptions&) const { return false; }
    /// y[c] = x[c] / max(|x|₂, 1e-12) · sqrt(C) · gamma[c] for each row of x [..., C], then SiLU if asked
    /// (spec/vae21.md 2.2). Where frames are wanted side by side, `out` may be one of them.
    virtual void channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) = 0;
};

/// Opens a device. `threads` 0: every core. Throws Error saying why a device cannot be used and what to do. A card that
/// was kept open is handed over where it has that many threads, else closed first. From any thread.
std::shared_ptr<Backend> open_backend(const Device&, int threads = 0);

/// Keeps a card, opened for every core, open for the next open_backend() of it: that takes time for its libraries and
/// their handles. Its user needs it no more and has let go of its tensors. Throws Error where the card has failed. The
/// processor is let go. From any thread.
void keep_open(std::shared_ptr<Backend>);

/// Throws as open_backend() does where a device cannot be used; a card is kept open. From any thread.
void require_device(const Device&);

/// The type in which `device` holds a matrix while products of `rows` rows in `compute` use it: its kernels' own, or
/// nothing where they read the weight as it is stored. Opens no device.
std::optional<DType> matrices_held_as(const Device& device, DType compute, std::int64_t rows);

} // namespace denoir
