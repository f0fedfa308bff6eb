// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/vae_layers.h"

#include <utility>

namespace denoir::wan::vae {
namespace {

/// `options` with the arithmetic of this pass.
ConvOptions in(const Stream& s, ConvOptions options) {
    options.compute = s.compute;
    options.tf32 = s.tf32;
    return options;
}

Tensor conv(const Module& m, Stream& s, std::span<const Tensor> frames, const Tensor* residual,
            const ConvOptions& options) {
    const Weight &weight = nn::weight(m, "weight"), &bias = nn::weight(m, "bias");
    return ops::conv(frames, weight, &bias, residual, in(s, options), s.dtype).select(0, 0);
}

/// A causal convolution over x and the two frames before it. Stores x in `memory` for the next ones.
Tensor conv_in_time(const Module& m, Stream& s, Memory& memory, Tensor x, const Tensor* residual,
                    const ConvOptions& options) {
    const std::array<Tensor, 3> frames{memory.past[0], memory.past[1], x};
    memory.past[0] = {};
    Tensor out;
    if (residual) {
        const Tensor frame = residual->unsqueeze(0);
        out = conv(m, s, frames, &frame, options);
    } else {
        out = conv(m, s, frames, nullptr, options);
    }
    memory.past[0] = std::move(memory.past[1]);
    memory.past[1] = std::move(x);
    return out;
}

ConvOptions same_size() {
    ConvOptions options;
    options.pad_top = options.pad_left = options.pad_bottom = options.pad_right = 1;
    return options;
}

/// sum + convolution. Written to the memory of `sum` if nobody else holds it.
Tensor add_conv(const Module& m, Stream& s, std::span<const Tensor> frames, const Weight* bias, Tensor sum) {
    const ConvOptions options = in(s, same_size());
    const bool own = sum.buffer().use_count() == 1 && sum.is_contiguous();
    const Tensor residual = sum.unsqueeze(0);
    Tensor out = own ? residual : s.backend.empty(residual.shape(), s.dtype);
    ops::conv(frames, nn::weight(m, "weight"), bias, &residual, options, out);
    return out.select(0, 0);
}

/// The first half of a causal convolution: adds to `sum` what the two previous frames contribute, and forgets the
/// older.
Tensor add_history(const Module& m, Stream& s, Tensor sum) {
    Memory& memory = s.memory[m.prefix()];
    if (!memory.past[1].defined()) return sum;
    const std::array<Tensor, 3> frames{std::move(memory.past[0]), memory.past[1], Tensor{}};
    memory.past[0] = {};
    return add_conv(m, s, frames, nullptr, std::move(sum));
}

/// The second half: adds what frame x contributes, and the bias.
Tensor add_present(const Module& m, Stream& s, Tensor x, Tensor sum) {
    Memory& memory = s.memory[m.prefix()];
    const std::array<Tensor, 3> frames{Tensor{}, Tensor{}, x};
    memory.past = {std::move(memory.past[1]), std::move(x)};
    return add_conv(m, s, frames, &nn::weight(m, "bias"), std::move(sum));
}

/// The convolution for a probe: without the residual that add_history and add_present add it to, and leaving the
/// history as it is.
Tensor conv_alone(const Module& m, Stream& s, const std::array<Tensor, 2>& past, const Tensor& x) {
    const std::array<Tensor, 3> frames{past[0], past[1], x};
    return conv(m, s, frames, nullptr, same_size());
}

Tensor channel_norm(const Module& m, const Tensor& x, bool silu, Tensor out = {}) {
    const Tensor stored = x.backend()->parameter(nn::weight(m, "gamma"), false),
                 gamma = stored.reshape({stored.elements()});
    if (!out.defined()) return ops::channel_norm(x, gamma, silu, x.dtype());
    ops::channel_norm(x, gamma, silu, out);
    return out;
}

} // namespace

Tensor Stream::channels_first(const Tensor& frame) const { return ops::contiguous(frame.permute({2, 0, 1})); }

Tensor pointwise(const Module& m, Stream& s, const Tensor& x) {
    Tensor y = ops::linear(x, nn::weight(m, "weight"), &nn::weight(m, "bias"), {Activation::none, s.compute}, s.dtype);
    s.tell(m, "", y);
    return y;
}

Tensor causal_conv(const Module& m, Stream& s, Tensor x, const Tensor* residual) {
    Memory& memory = s.memory[m.prefix()];
    if (residual) s.tell(m, "", [&] { return conv_alone(m, s, memory.past, x); });
    Tensor y = conv_in_time(m, s, memory, std::move(x), residual, same_size());
    if (!residual) s.tell(m, "", y);
    return y;
}

Tensor ring_slot(const Module& conv, Stream& s, const Tensor& frame) {
    if (!s.side_by_side || frame.dtype() != s.compute) return {};
    const Weight& weight = nn::weight(conv, "weight");
    if (!s.backend.wants_frames_side_by_side(weight, in(s, same_size()))) return {};
    constexpr int frames = 3;
    assert(weight.shape()[2] == frames);
    Memory& memory = s.memory[conv.prefix()];
    if (!memory.ring.defined()) { // the two frames before the first are zero
        memory.ring = s.backend.empty({frame.size(0), frame.size(1), frames, weight.shape()[1]}, s.compute);
        ops::fill(memory.ring, 0.0f);
        memory.past = {memory.ring.select(2, 1), memory.ring.select(2, 2)};
    }
    const int slot = std::exchange(memory.next_slot, (memory.next_slot + 1) % frames);
    return memory.ring.select(2, slot); // replaces the third last frame, which no convolution reads any more
}

Tensor norm_silu(const Module& m, int index, const Stream& s, const Tensor& x, Tensor out) {
    const Module norm = m[index];
    s.tell(norm, "", [&] { return channel_norm(norm, x, false); });
    Tensor y = channel_norm(norm, x, true, std::move(out));
    s.tell(m[index + 1], "", y);
    return y;
}

Tensor residual_block(const Module& m, Stream& s, Tensor x) {
    return steady(s, m.prefix(), 4, x, [&] {
        const Module branch = m["residual"], last = branch[6];
        Tensor y = norm_silu(branch, 0, s, x, ring_slot(branch[2], s, x));
        Tensor sum = m["shortcut"].exists() ? pointwise(m["shortcut"], s, x) : x;
        x = {};
        // Adding what the previous frames contribute to the last convolution now frees one of them before more are
        // made. Not in bf16, where this would round once more, nor on a device that keeps its memory anyway: there all
        // three frames are computed at once.
        const bool early = s.dtype == DType::f32 && !s.backend.keeps_memory();
        const auto past = early && s.probe ? s.memory[last.prefix()].past : std::array<Tensor, 2>{};
        if (early) sum = add_history(last, s, std::move(sum));
        y = causal_conv(branch[2], s, std::move(y));
        y = norm_silu(branch, 3, s, y, ring_slot(last, s, y));
        if (early) s.tell(last, "", [&] { return conv_alone(last, s, past, y); });
        y = early ? add_present(last, s, std::move(y), std::move(sum)) : causal_conv(last, s, std::move(y), &sum);
        s.tell(m, "", y);
        return y;
    });
}

Tensor attention_block(const Module& m, Stream& s, const Tensor& x) {
    return steady(s, m.prefix(), 0, x, [&] {
        const std::int64_t positions = x.size(0) * x.size(1), channels = x.size(2);
        const Tensor normalised = channel_norm(m["norm"], x, false);
        s.tell(m["norm"], "", normalised);
        const Tensor qkv = pointwise(m["to_qkv"], s, normalised).reshape({positions, 3 * channels});
        auto part = [&](int i) { return nn::heads(qkv.slice(1, i * channels, (i + 1) * channels), 1); };
        Tensor y = ops::attention(part(0), part(1), part(2), nn::attention_over(channels, s.compute), s.dtype)
                       .reshape(x.shape());
        s.tell(m["proj"], "input", y);
        y = ops::add(x, pointwise(m["proj"], s, y), s.dtype);
        s.tell(m, "", y);
        return y;
    });
}

Tensor middle(const Module& m, Stream& s, Tensor x) {
    x = residual_block(m[0], s, std::move(x));
    x = attention_block(m[1], s, x);
    return residual_block(m[2], s, std::move(x));
}

Tensor head(const Module& m, Stream& s, const Tensor& x) {
    return steady(s, m.prefix(), 2, x,
                  [&] { return causal_conv(m[2], s, norm_silu(m, 0, s, x, ring_slot(m[2], s, x))); });
}

Tensor downsample(const Module& m, Stream& s, const Tensor& x) {
    return steady(s, m.prefix(), 0, x, [&] {
        ConvOptions options;
        options.stride = 2;
        options.pad_bottom = options.pad_right = 1;
        Tensor y = conv(m["resample"][1], s, {&x, 1}, nullptr, options);
        s.tell(m["resample"][1], "", y);
        return y;
    });
}

Tensor upsample(const Module& m, Stream& s, const Tensor& x) {
    ConvOptions options;
    options.duplicate = true;
    options.pad_top = options.pad_left = options.pad_bottom = options.pad_right = 1;
    Tensor y = conv(m["resample"][1], s, {&x, 1}, nullptr, options);
    s.tell(m["resample"][1], "", y);
    return y;
}

Tensor halve_frames(const Module& m, Stream& s, const Tensor& x) {
    const Module time_conv = m["time_conv"];
    Memory& memory = s.memory[time_conv.prefix()];
    if (!memory.started) {
        memory.started = true;
        memory.past[0] = x;
        return x;
    }
    if (!memory.past[1].defined()) {
        memory.past[1] = x;
        return {};
    }
    const std::array<Tensor, 3> frames{std::move(memory.past[0]), std::move(memory.past[1]), x};
    memory.past = {x, Tensor{}};
    // The same frame three times, as for the previous result, gives the same result again (as in `steady`).
    const bool still = frames[0].raw() == x.raw() && frames[1].raw() == x.raw();
    if (still && memory.output.defined() && !s.probe) return memory.output;
    Tensor y = conv(time_conv, s, frames, nullptr, {});
    s.tell(time_conv, "", y);
    memory.output = still ? y : Tensor{};
    return y;
}

std::vector<Tensor> double_frames(const Module& m, Stream& s, Tensor x) {
    const Module time_conv = m["time_conv"];
    Memory& memory = s.memory[time_conv.prefix()];
    if (!memory.started) {
        memory.started = true;
        return {x};
    }
    const std::int64_t channels = x.size(2);
    const Tensor y = conv_in_time(time_conv, s, memory, std::move(x), nullptr, {});
    s.tell(time_conv, "", y);
    // Copies, so that the first can be freed while the second is still needed.
    return {ops::contiguous(y.slice(2, 0, channels)), ops::contiguous(y.slice(2, channels, 2 * channels))};
}

Tensor average_down(Stream& s, std::span<const Tensor> frames, int scale, std::int64_t channels) {
    const Shape& in = frames.back().shape();
    const std::int64_t height = in[0] / scale, width = in[1] / scale, cell = std::ssize(frames) * scale * scale;
    const std::int64_t group = in[2] * cell / channels;                  // input values averaged into one
    const std::int64_t across = std::max<std::int64_t>(1, group / cell); // input channels of a group
    const std::int64_t parts = std::max<std::int64_t>(1, cell / group);  // groups within an input channel's cell

    /// Pixel (dh, dw) of each cell of frame dt, every `across`-th channel from j: [h, w, channels / parts]
    auto corner = [&](std::int64_t sub, std::int64_t j) {
        const Tensor& frame = frames[static_cast<std::size_t>(sub / (scale * scale))];
        if (!frame.defined()) return Tensor{};
        const Tensor columns = frame.slice(1, 0, width * scale).split(1, scale).select(2, sub % scale);
        const Tensor pixels = columns.slice(0, 0, height * scale).split(0, scale).select(1, sub / scale % scale);
        return across == 1 ? pixels : ops::contiguous(pixels.split(2, across).select(3, j));
    };
    Tensor share = s.backend.empty({1, 1, channels / parts}, DType::f32);
    ops::fill(share, 1.0f / static_cast<float>(group));
    Tensor out = s.backend.empty({height, width, channels}, s.dtype);
    for (std::int64_t part = 0; part < parts; ++part) {
        Tensor sum = s.backend.empty({height, width, channels / parts}, DType::f32);
        ops::fill(sum, 0.0f);
        for (std::int64_t sub = part * cell / parts; sub < (part + 1) * cell / parts; ++sub)
            for (std::int64_t j = 0; j < across; ++j)
                if (const Tensor term = corner(sub, j)) sum = ops::add(sum, term, DType::f32);
        Tensor target = out.split(2, parts).select(3, part);
        ops::copy(ops::multiply(sum, share.expand(0, height).expand(1, width), s.dtype), target);
    }
    return out;
}

Tensor duplicate_up(Stream& s, const Tensor& x, std::int64_t channels, int dt, int factor_t) {
    const std::int64_t cell = factor_t * 4, repeats = channels * cell / x.size(2);
    const std::int64_t step = cell / repeats; // input channels that serve one output channel
    Tensor out = s.backend.empty({x.size(0) * 2, x.size(1) * 2, channels}, s.dtype);
    const Tensor pixels = out.split(1, 2).split(0, 2); // [h, 2, w, 2, C]
    for (int dh = 0; dh < 2; ++dh)
        for (int dw = 0; dw < 2; ++dw) {
            const std::int64_t part = (dt * 2 + dh) * 2 + dw;
            Tensor target = pixels.select(3, dw).select(1, dh);
            ops::copy(x.split(2, step).select(3, part / repeats), target);
        }
    return out;
}

} // namespace denoir::wan::vae
