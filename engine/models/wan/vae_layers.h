// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/nn/layers.h"
#include "engine/nn/probe.h"

/// The layers of the video VAE, each fed one frame [H, W, C] (channels last) at a time (spec/vae21.md 2 and 4).
namespace denoir::wan::vae {

/// What one stage remembers between frames.
struct Memory {
    std::array<Tensor, 2> past; ///< the two previous frames, oldest first; undefined, if there is none yet, means zeros
    bool started = false;       ///< frame 0 has passed
    Tensor ring;                ///< [H, W, 3, C]: `past` and the next frame side by side, if ring_slot() is used
    int next_slot = 0;          ///< place of the next frame in `ring`
    // For `steady`: its last input, how often in a row that came before, and the result once it repeats.
    std::weak_ptr<Buffer> input;
    std::byte* address = nullptr;
    int repeats = 0;
    Tensor output;
};

/// One pass over one video.
struct Stream {
    Backend& backend;
    DType dtype;                                       ///< of frames and of the state
    DType compute;                                     ///< of matrix products and convolutions
    bool tf32 = false;                                 ///< as in ConvOptions
    nn::Probe* probe = nullptr;                        ///< told each frame as [C, H, W]
    bool side_by_side = false;                         ///< ring_slot() may be used
    std::map<std::string, Memory, std::less<>> memory; ///< the causal state of every stage, by its prefix

    /// Tells the probe `value`, a frame [H, W, C] or a function that returns one, in the reference's order [C, H, W].
    template <class Value> void tell(const Module& m, std::string_view leaf, Value&& value) const {
        nn::tell(probe, m, leaf, [&] {
            if constexpr (std::is_invocable_v<Value>)
                return channels_first(value());
            else
                return channels_first(value);
        });
    }
    Tensor channels_first(const Tensor& frame) const;
};

/// The result of `compute` for input x, reused when it must repeat. A stage that looks `reach` frames back repeats its
/// result exactly after it has seen the same frame more than `reach` + 1 times in a row. From then on nothing is
/// computed, which makes the grey tail of image-to-video almost free. "The same" means the same memory, not equal
/// values.
template <class Compute>
Tensor steady(Stream& s, const std::string& stage, int reach, const Tensor& x, Compute&& compute);

/// Kernel 1x1: [..., C] -> [..., O]
Tensor pointwise(const Module& m, Stream& s, const Tensor& x);
/// Kernel 3x3x3 with two frames of history; `residual` is added to the result.
Tensor causal_conv(const Module& m, Stream& s, Tensor x, const Tensor* residual = nullptr);
/// The place to write the next input frame of this causal convolution to: beside the two before it, so that a device
/// which wants all three side by side (Backend::wants_frames_side_by_side) need not gather them. Undefined if it may be
/// anywhere. Keeps a third frame in memory as long as the two, so that it is only done if `side_by_side` allows it.
Tensor ring_slot(const Module& conv, Stream& s, const Tensor& frame);
/// The norm m[index] and the SiLU after it. The result is written to `out` if that is defined.
Tensor norm_silu(const Module& m, int index, const Stream& s, const Tensor& x, Tensor out = {});
/// Norm, SiLU and causal convolution, twice, added to x or its shortcut. May overwrite an x that nobody else holds.
Tensor residual_block(const Module& m, Stream& s, Tensor x);
/// Single-head attention over the positions of one frame.
Tensor attention_block(const Module& m, Stream& s, const Tensor& x);
/// Residual block, attention, residual block.
Tensor middle(const Module& m, Stream& s, Tensor x);
/// Norm, SiLU, causal convolution.
Tensor head(const Module& m, Stream& s, const Tensor& x);

Tensor downsample(const Module& m, Stream& s, const Tensor& x); ///< [H, W, C] -> [H/2, W/2, C]
Tensor upsample(const Module& m, Stream& s, const Tensor& x);   ///< [H, W, C] -> [2H, 2W, C']
/// Frame 0 passes unchanged; each two of the later ones give one. Undefined for the first of the two.
Tensor halve_frames(const Module& m, Stream& s, const Tensor& x);
/// Frame 0 passes unchanged; every later frame gives two.
std::vector<Tensor> double_frames(const Module& m, Stream& s, Tensor x);

/// AvgDown3D (spec/vae22.md 4): means over cells of all `frames` x `scale` x `scale` pixels and consecutive groups of
/// input channels, [H, W, C] -> [H/scale, W/scale, `channels`]. An undefined frame is zero.
Tensor average_down(Stream& s, std::span<const Tensor> frames, int scale, std::int64_t channels);
/// DupUp3D (spec/vae22.md 4): number `dt` of the `factor_t` frames that x becomes by duplication, [H, W, C] ->
/// [2H, 2W, `channels`].
Tensor duplicate_up(Stream& s, const Tensor& x, std::int64_t channels, int dt, int factor_t);

template <class Compute>
Tensor steady(Stream& s, const std::string& stage, int reach, const Tensor& x, Compute&& compute) {
    Memory& m = s.memory[stage];
    const bool same = m.address == x.raw() && !m.input.owner_before(x.buffer()) && !x.buffer().owner_before(m.input);
    m.repeats = same ? m.repeats + 1 : 0;
    m.input = x.buffer();
    m.address = x.raw();
    if (m.repeats > reach && !s.probe) return m.output; // a probe is told of every frame
    m.output = {};
    Tensor y = compute();
    if (m.repeats == reach) m.output = y;
    return y;
}

} // namespace denoir::wan::vae
