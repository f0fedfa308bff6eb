// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <numeric>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/kernels/window.h"
#include "engine/backend/cuda/tensors.h"

namespace denoir::cuda {
namespace {

/// The most bytes of unfolded pixels that exist at a time.
constexpr std::int64_t unfolded_bytes = std::int64_t{192} << 20;

/// If all frames are views of one tensor [H, W, kt, C]: which frame lies first, second … in each of its pixels. Empty
/// if they lie otherwise.
std::vector<int> order_in_pixels(std::span<const Tensor> frames, DType dtype) {
    const auto time = static_cast<std::int64_t>(frames.size());
    const std::byte* first = frames[0] ? frames[0].raw() : nullptr;
    for (const Tensor& f : frames) {
        if (!f || f.dtype() != dtype || f.buffer() != frames[0].buffer() || f.stride(2) != 1 ||
            f.stride(1) != time * f.size(2) || f.stride(0) != f.stride(1) * f.size(1))
            return {};
        first = std::min<const std::byte*>(first, f.raw());
    }
    std::vector<int> order(frames.size(), -1);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const std::int64_t offset = frames[i].raw() - first, frame = frames[i].size(2) * element_bytes(dtype),
                           place = offset / frame;
        if (offset % frame != 0 || place >= time || order[static_cast<std::size_t>(place)] >= 0) return {};
        order[static_cast<std::size_t>(place)] = static_cast<int>(i);
    }
    return order;
}

/// Whether the library can pad by itself: it can only pad both sides alike, and cannot duplicate.
bool pads_evenly(const ConvOptions& o) {
    return o.pad_top == o.pad_bottom && o.pad_left == o.pad_right && !o.duplicate;
}

/// Whether conv_in_phases() can be used: on a duplicated picture several taps of a 3x3 kernel fall on the same original
/// pixel, so that each of four neighbouring results needs only 2x2 original pixels.
bool has_phases(const Shape& kernel, const ConvOptions& o) {
    return o.duplicate && kernel[-2] == 3 && kernel[-1] == 3 && (kernel.rank() == 4 || kernel[2] == 1) &&
           kernel[0] % 8 == 0 && o.pad_top == 1 && o.pad_left == 1 && o.pad_bottom == 1 && o.pad_right == 1;
}

std::int64_t in_eights(std::int64_t channels) { return divide_up(channels, 8) * 8; }

/// The window of a weight [O, C, (kt,) kh, kw], still without frames.
Window window_of(const Shape& weight, const ConvOptions& options) {
    const std::int64_t time = weight.rank() == 5 ? weight[2] : 1;
    assert(time <= Window::max_time);
    Window window;
    window.channels = static_cast<int>(weight[1]);
    window.time = static_cast<int>(time);
    window.taps_down = static_cast<int>(weight[-2]);
    window.taps_across = static_cast<int>(weight[-1]);
    window.stride = options.stride;
    window.pad_top = options.pad_top;
    window.pad_left = options.pad_left;
    window.duplicate = options.duplicate;
    return window;
}

/// `frames` [H, W, C] on the card; undefined ones are zeros.
void set_frames(Window& window, std::span<const Tensor> frames) {
    for (std::size_t t = 0; t < frames.size(); ++t) {
        const Tensor& frame = frames[t];
        window.frame[t] = {};
        if (!frame) continue;
        assert(frame.size(2) == 1 || frame.stride(2) == 1);
        window.height = frame.size(0);
        window.width = frame.size(1);
        window.frame[t] = {frame.raw(), frame.stride(0), frame.stride(1), type_of(frame.dtype())};
    }
}

} // namespace

/// What makes one output frame.
struct CudaBackend::ConvCall {
    Window window;
    const Weight& weight;
    Bias bias;
    ConvOptions options;
    std::vector<Tensor> frames; ///< on this card, in the order of the window's
};

void CudaBackend::conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
                       const ConvOptions& options, Tensor& out) {
    throw_if_stopped();
    if (out.elements() == 0) return;
    ConvCall call{window_of(w.shape(), options), w, bias_of(bias, options.compute), options, {}};
    const auto time = static_cast<std::size_t>(call.window.time);
    assert(out.is_contiguous() && (!options.duplicate || options.stride == 1));
    assert(static_cast<std::int64_t>(frames.size()) == (out.size(0) - 1) * options.time_stride + call.window.time);
    for (std::int64_t i = 0; i < out.size(0); ++i) {
        call.frames.clear();
        for (const Tensor& frame : frames.subspan(static_cast<std::size_t>(i * options.time_stride), time))
            call.frames.push_back(frame ? here(frame) : Tensor());
        set_frames(call.window, call.frames);
        Tensor frame_out = out.select(0, i);
        const Tensor beside = residual ? here(residual->select(0, i)) : Tensor();
        conv_frame(call, residual ? &beside : nullptr, frame_out);
    }
}

/// Makes one output frame: with the library if it has a plan, if possible with the residual, otherwise by unfolding.
void CudaBackend::conv_frame(const ConvCall& call, const Tensor* residual, Tensor& out) {
    const DType compute = call.options.compute;
    const bool has_bias = call.bias.wide.defined();
    const bool all_zero =
        std::none_of(call.frames.begin(), call.frames.end(), [](const Tensor& f) { return f.defined(); });
    // Not if the residual is `out` itself: trying several plans would add it several times.
    if (residual && has_bias && !all_zero && out.dtype() == compute && residual->dtype() == compute &&
        residual->is_contiguous() && residual->raw() != out.raw() && conv_fused(call, residual, out))
        return;
    const bool in_place = !residual && out.dtype() == compute;
    Tensor sum = in_place ? out : allocate(out.shape(), compute);
    if (all_zero || !conv_fused(call, nullptr, sum)) {
        if (residual && compute == DType::bf16) { // f32, so that it is rounded once, with the residual
            sum = {};
            sum = allocate(out.shape(), DType::f32);
        }
        if (!all_zero)
            conv_plain(call, sum);
        else if (has_bias)
            copy(call.bias.wide.reshape({1, 1, out.size(2)}).expand(0, out.size(0)).expand(1, out.size(1)), sum);
        else
            fill(sum, 0.0f);
    }
    if (residual)
        add(sum, *residual, out);
    else if (!in_place)
        copy(sum, out);
}

bool CudaBackend::fuses(const Weight& w, const ConvOptions& o) const {
    return options_.dnn && (o.compute != DType::f32 || o.tf32) && w.shape()[1] % 8 == 0;
}

/// Whether the library gets the frames side by side, as channels of one picture.
bool CudaBackend::stacks(const Weight& w, const ConvOptions& o) const {
    const Shape& shape = w.shape();
    return shape.rank() == 5 && shape[2] > 1 &&
           options_.dnn->prefers_stacked_frames(type_of(o.compute), in_eights(shape[0]));
}

bool CudaBackend::wants_frames_side_by_side(const Weight& w, const ConvOptions& o) const {
    return fuses(w, o) && stacks(w, o) && pads_evenly(o);
}

/// False if the library cannot do it. out: [H', W', O] of type `compute`. residual: the same, dense, is added; or null.
bool CudaBackend::conv_fused(const ConvCall& call, const Tensor* residual, Tensor& out) {
    const Window& w = call.window;
    const ConvOptions& o = call.options;
    const DType compute = o.compute;
    if (!fuses(call.weight, o)) return false;
    assert(out.dtype() == compute);
    if (!residual && has_phases(call.weight.shape(), o) && conv_in_phases(call, out)) return true;
    // The library wants a multiple of eight output channels. Those added have zeros for weights, and are dropped.
    const std::int64_t channels = out.size(2), padded = in_eights(channels);
    if (residual && padded != channels) return false;
    const std::int64_t grown = o.duplicate ? 2 : 1;
    const bool stacked = stacks(call.weight, o), even = pads_evenly(o);
    FusedConv f;
    f.type = type_of(compute);
    f.time = f.taps_time = stacked ? 1 : w.time;
    f.height = even ? w.height : w.height * grown + o.pad_top + o.pad_bottom;
    f.width = even ? w.width : w.width * grown + o.pad_left + o.pad_right;
    f.in = stacked ? w.time * w.channels : w.channels;
    f.out_channels = padded;
    f.taps_down = w.taps_down;
    f.taps_across = w.taps_across;
    f.stride = w.stride;
    f.pad_down = even ? o.pad_top : 0;
    f.pad_across = even ? o.pad_left : 0;
    assert(f.out_height() == out.size(0) && f.out_width() == out.size(1));
    Tensor gathered;
    std::vector<int> order;
    if (even && (stacked || w.time == 1)) order = order_in_pixels(call.frames, compute);
    if (!order.empty()) {
        f.x = call.frames[static_cast<std::size_t>(order[0])].raw();
    } else {
        order.resize(call.frames.size());
        std::iota(order.begin(), order.end(), 0);
        gathered = allocate({w.time, f.height, f.width, w.channels}, compute);
        Window whole = w;
        if (even) whole.pad_top = whole.pad_left = 0;
        gather_frames(*runtime_, whole, f.height, f.width, stacked, gathered.raw(), f.type);
        f.x = gathered.raw();
    }
    if (!stacked) order.clear();
    Tensor taps = taps_first(call.weight, compute, order), bias = call.bias.narrow, wide = out;
    if (padded != channels) {
        taps = zero_padded(taps, padded);
        if (bias) bias = zero_padded(bias.reshape({channels}), padded);
        wide = allocate({out.size(0), out.size(1), padded}, compute);
    }
    f.w = taps.raw();
    f.bias = bias ? bias.raw() : nullptr;
    f.residual = residual ? residual->raw() : nullptr;
    f.out = wide.raw();
    Tensor memory;
    if (!options_.dnn->conv(f, dnn_caller(memory))) return false;
    if (padded != channels) copy(wide.slice(2, 0, channels), out);
    return true;
}

/// Convolves a duplicated picture with four ninths of the arithmetic and without making that picture. One 2x2
/// convolution with 4·O output channels gives, for each corner between pixels (the border included), all four results
/// that see the 2x2 pixels around it; then the results are interleaved.
bool CudaBackend::conv_in_phases(const ConvCall& call, Tensor& out) {
    const Window& w = call.window;
    const DType compute = call.options.compute;
    const std::int64_t channels = out.size(2);
    FusedConv f;
    f.type = type_of(compute);
    f.height = w.height;
    f.width = w.width;
    f.in = w.channels;
    f.out_channels = 4 * channels;
    f.taps_down = f.taps_across = 2;
    f.pad_down = f.pad_across = 1;
    Tensor frame = call.frames[0];
    if (frame.dtype() != compute || !frame.is_contiguous()) {
        frame = allocate(frame.shape(), compute);
        copy(call.frames[0], frame);
    }
    f.x = frame.raw();
    const Tensor taps = phase_taps(call.weight, compute);
    f.w = taps.raw();
    Tensor bias;
    if (call.bias.narrow) {
        bias = allocate({4, channels}, compute);
        copy(call.bias.narrow.reshape({1, channels}).expand(0, 4), bias);
        f.bias = bias.raw();
    }
    Tensor all = allocate({f.out_height(), f.out_width(), 4, channels}, compute);
    f.out = all.raw();
    Tensor memory;
    if (!options_.dnn->conv(f, dnn_caller(memory))) return false;
    const Tensor cells = out.split(1, 2).split(0, 2); // [H, 2, W, 2, O]
    for (int down = 0; down < 2; ++down)
        for (int across = 0; across < 2; ++across) {
            Tensor to = cells.select(3, across).select(1, down);
            copy(all.select(2, 2 * down + across).slice(0, down, down + f.height).slice(1, across, across + f.width),
                 to);
        }
    return true;
}

/// x [O, …] with zeros behind it, [rows, …], dense.
Tensor CudaBackend::zero_padded(const Tensor& x, std::int64_t rows) {
    Shape shape = x.shape();
    shape[0] = rows;
    Tensor out = allocate(shape, x.dtype());
    runtime_->set(out.raw(), 0, out.bytes());
    Tensor part = out.slice(0, 0, x.size(0));
    copy(x, part);
    return out;
}

/// Unfolds the picture (im2col), a part at a time, and multiplies by the taps. Zero frames at the beginning and end of
/// the window are left out. out: of type `compute`, or f32.
void CudaBackend::conv_plain(const ConvCall& call, Tensor& out) {
    Window w = call.window;
    const DType compute = call.options.compute;
    const std::int64_t width = out.size(1), pixels = out.size(0) * width, channels = out.size(2);
    const Tensor taps = taps_first(call.weight, compute);
    const std::int64_t whole_depth = taps.elements() / channels, frame_depth = whole_depth / w.time;
    int begin = 0;
    while (!w.frame[begin].data) ++begin;
    while (!w.frame[w.time - 1].data) --w.time;
    w.time -= begin;
    std::copy_n(call.window.frame + begin, w.time, w.frame);
    const std::int64_t depth = frame_depth * w.time;
    const std::int64_t chunk = std::clamp<std::int64_t>(unfolded_bytes / (depth * element_bytes(compute)), 1, pixels);
    Tensor unfolded = allocate({chunk, depth}, compute);
    const Tensor flat = out.reshape({pixels, channels});
    for (std::int64_t first = 0; first < pixels; first += chunk) {
        throw_if_stopped();
        const std::int64_t rows = std::min(chunk, pixels - first);
        unfold(*runtime_, w, width, first, rows, unfolded.raw(), type_of(compute));
        Tensor c = flat.slice(0, first, first + rows);
        Product p;
        p.m = rows;
        p.n = channels;
        p.k = depth;
        p.type = type_of(compute);
        p.tf32 = compute == DType::f32 && call.options.tf32;
        p.c_type = type_of(out.dtype());
        p.a = unfolded.raw();
        p.lda = depth;
        p.b = taps.raw() + begin * frame_depth * element_bytes(compute);
        p.ldb = whole_depth;
        p.c = c.raw();
        p.ldc = channels;
        if (call.bias.wide) {
            p.bias = call.bias.wide.data<float>();
            p.bias_as_c = call.bias.narrow.raw();
        }
        p.round_sum = out.dtype() == DType::bf16;
        product(p, c);
    }
}

} // namespace denoir::cuda
