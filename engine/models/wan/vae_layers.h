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
    std::array<Tensor, 2> past; ///< the two frames before, oldest first; undefined: none yet, counts as zeros
    bool started = false;       ///< frame 0 has passed
    Tensor room;                ///< [H, W, 3, C]: where `past` and the next frame lie side by side (see room_for)
    int place = 0;              ///< of the next frame
    // Repetition, see `steady`.
    std::weak_ptr<Buffer> input;
    std::byte* address = nullptr;
    int repeats = 0;
    Tensor output;
};

/// One pass over one video: the causal state of every stage, by its prefix.
struct Stream {
    Backend& backend;
    DType dtype;                ///< frames, state included
    DType compute;              ///< products of matrices and convolutions
    bool tf32 = false;          ///< as in ConvOptions
    nn::Probe* probe = nullptr; ///< told each frame as [C, H, W]
    bool side_by_side = false;  ///< see room_for
    std::map<std::string, Memory, std::less<>> memory;

    /// Tells `value`, a frame [H, W, C] or a function that gives one, as [C, H, W]: the reference's order.
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

/// Counts how often in a row the very same frame came before; one tensor handed on again, not equal values. A stage
/// that looks `reach` frames back and has seen one frame more than `reach` + 1 times repeats its last result exactly,
/// so it is not computed again: the grey tail of image-to-video costs almost nothing.
template <class Compute>
Tensor steady(Stream& s, const std::string& stage, int reach, const Tensor& x, Compute&& compute);

/// Kernel 1x1: [..., C] -> [..., O]
Tensor pointwise(const Module& m, Stream& s, const Tensor& x);
/// Kernel 3x3x3 with two frames of history; `residual` is added to the result.
Tensor causal_conv(const Module& m, Stream& s, Tensor x, const Tensor* residual = nullptr);
/// Where the next frame of this causal convolution goes: beside the two before it, so that a device which reads all
/// three pixel by pixel need not copy them. Undefined: anywhere. Costs the memory of a third frame for as long as two
/// are kept, so it is done where `side_by_side` says.
Tensor room_for(const Module& conv, Stream& s, const Tensor& frame);
/// `m.index` is the norm, the module after it the activation. The result lies in `room` where there is some.
Tensor norm_silu(const Module& m, int index, const Stream& s, const Tensor& x, Tensor room = {});
/// May use the memory of an x that nobody else holds.
Tensor residual_block(const Module& m, Stream& s, Tensor x);
/// Single-head attention over the positions of one frame.
Tensor attention_block(const Module& m, Stream& s, const Tensor& x);
Tensor middle(const Module& m, Stream& s, Tensor x);
/// Norm, SiLU, causal convolution.
Tensor head(const Module& m, Stream& s, const Tensor& x);

Tensor downsample(const Module& m, Stream& s, const Tensor& x); ///< [H, W, C] -> [H/2, W/2, C]
Tensor upsample(const Module& m, Stream& s, const Tensor& x);   ///< [H, W, C] -> [2H, 2W, C']
/// Frame 0 passes; then two frames make one: undefined for the first of them.
Tensor halve_frames(const Module& m, Stream& s, const Tensor& x);
/// Frame 0 passes; every later frame makes two.
std::vector<Tensor> double_frames(const Module& m, Stream& s, Tensor x);

/// Mean over cells of frames x 2x2 pixels (or single pixels: `scale` 1), channels in consecutive groups; an undefined
/// frame is zero (spec/vae22.md 4, AvgDown3D).
Tensor average_down(Stream& s, std::span<const Tensor> frames, int scale, std::int64_t channels);
/// Frame `dt` of `factor_t` that one frame becomes by duplication, twice as high and wide (spec/vae22.md 4, DupUp3D).
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
