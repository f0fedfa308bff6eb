// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/ops.h"

#include <algorithm>

#include "engine/core/profile.h"

namespace denoir::ops {
namespace {

using profile::Scope, profile::Zone;

/// The backend of a tensor that an op works on.
Backend& backend_of(const Tensor& x) {
    assert(x.backend() && "an op's tensors must lie on a backend");
    return *x.backend();
}

/// x [..., C] as [L, C]: a view if possible, else a dense copy.
Tensor as_rows(const Tensor& x) {
    if (x.rank() == 2 && x.stride(1) == 1) return x;
    const std::int64_t channels = x.size(-1);
    return contiguous(x).reshape({channels ? x.elements() / channels : 0, channels});
}

Shape with_last(const Shape& shape, std::int64_t size) {
    Shape out = shape;
    out[-1] = size;
    return out;
}

[[maybe_unused]] bool is_vector(const Tensor* x, std::int64_t channels) {
    return !x || (x->elements() == channels && x->dtype() == DType::f32);
}

/// Whether `table` is [R, C] f32, with R rows for L / R neighbouring rows each of x [L, C].
[[maybe_unused]] bool is_table(const Tensor& table, const Tensor& x) {
    return table.rank() == 2 && table.dtype() == DType::f32 && table.size(1) == x.size(-1) && table.size(0) > 0 &&
           x.elements() / std::max<std::int64_t>(1, x.size(-1)) % table.size(0) == 0;
}

[[maybe_unused]] bool is_kernel(const Weight& w, const Weight* bias, std::int64_t depth) {
    return w.shape().rank() >= 2 && w.shape()[0] > 0 && w.shape().elements() / w.shape()[0] == depth &&
           (!bias || bias->shape().elements() == w.shape()[0]);
}

/// The first frame that is defined, for the backend and the sizes.
const Tensor& any_of(std::span<const Tensor> frames) {
    const auto first = std::find_if(frames.begin(), frames.end(), [](const Tensor& f) { return f.defined(); });
    assert(first != frames.end() && "all frames are zero");
    return *first;
}

/// The shape [n, H', W', O] of the convolution of frames [H, W, C].
Shape conv_shape(std::span<const Tensor> frames, const Shape& kernel, const ConvOptions& o) {
    const Tensor& frame = any_of(frames);
    const auto count = static_cast<std::int64_t>(frames.size());
    const std::int64_t times = kernel.rank() == 5 ? kernel[2] : 1, grown = o.duplicate ? 2 : 1;
    assert(kernel[1] == frame.size(2) && count >= times && (count - times) % o.time_stride == 0);
    const auto outputs = [&](std::int64_t size, int before, int after, std::int64_t taps) {
        return (size * grown + before + after - taps) / o.stride + 1;
    };
    return {(count - times) / o.time_stride + 1, outputs(frame.size(0), o.pad_top, o.pad_bottom, kernel[-2]),
            outputs(frame.size(1), o.pad_left, o.pad_right, kernel[-1]), kernel[0]};
}

/// The result of an op that works on the rows of x, in the shape of x.
template <class F> Tensor by_rows(const Tensor& x, DType out, F kernel) {
    Tensor result = backend_of(x).empty(x.shape(), out);
    Tensor rows = result.reshape({x.elements() / std::max<std::int64_t>(1, x.size(-1)), x.size(-1)});
    kernel(backend_of(x), as_rows(x), rows);
    return result;
}

} // namespace

Tensor contiguous(const Tensor& x) { return cast(x, x.dtype()); }

Tensor cast(const Tensor& x, DType out) {
    if (x.dtype() == out && x.is_contiguous()) return x;
    const Scope timed(Zone::cast);
    Tensor result = backend_of(x).empty(x.shape(), out);
    backend_of(x).copy(x, result);
    return result;
}

void copy(const Tensor& x, Tensor& out) {
    const Scope timed(Zone::cast);
    assert(x.shape() == out.shape());
    backend_of(out).copy(x, out);
}

void fill(Tensor& out, float value) {
    const Scope timed(Zone::elementwise);
    backend_of(out).fill(out, value);
}

Tensor add(const Tensor& a, const Tensor& b, DType out) {
    const Scope timed(Zone::elementwise);
    assert(a.shape() == b.shape());
    Tensor result = backend_of(a).empty(a.shape(), out);
    backend_of(a).add(a, b, result);
    return result;
}

Tensor multiply(const Tensor& a, const Tensor& b, DType out) {
    const Scope timed(Zone::elementwise);
    assert(a.shape() == b.shape());
    Tensor result = backend_of(a).empty(a.shape(), out);
    backend_of(a).multiply(a, b, result);
    return result;
}

Tensor activate(Activation activation, const Tensor& x, DType out) {
    const Scope timed(Zone::elementwise);
    Tensor result = backend_of(x).empty(x.shape(), out);
    backend_of(x).activate(activation, x, result);
    return result;
}

Tensor linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions& options, DType out) {
    const Scope timed(Zone::linear);
    assert(is_kernel(w, bias, x.size(-1)));
    const Tensor rows = as_rows(x);
    Tensor result = backend_of(x).empty({rows.size(0), w.shape()[0]}, out);
    backend_of(x).linear(rows, w, bias, options, result);
    return result.reshape(with_last(x.shape(), w.shape()[0]));
}

void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions& options, Tensor& out) {
    const Scope timed(Zone::linear);
    assert(x.rank() == 2 && is_kernel(w, bias, x.size(1)));
    assert(out.is_contiguous() && out.shape() == Shape({x.size(0), w.shape()[0]}));
    backend_of(x).linear(x, w, bias, options, out);
}

std::vector<Tensor> linear_joined(const Tensor& x, std::span<const LinearLayer> layers, const LinearOptions& options) {
    const Scope timed(Zone::linear);
    assert(x.rank() == 2 && !layers.empty());
    for ([[maybe_unused]] const auto& [w, bias] : layers) {
        assert(w->shape().rank() == 2 && w->shape()[0] > 0 && w->shape()[1] == x.size(1));
        assert(!bias == !layers[0].bias && (!bias || bias->shape().elements() == w->shape()[0]));
    }
    return backend_of(x).linear_joined(x, layers, options);
}

Tensor gather(Backend& backend, const Weight& table, std::span<const std::int64_t> ids, DType out) {
    const Scope timed(Zone::gather);
    assert(table.shape().rank() == 2);
    Tensor result = backend.empty({static_cast<std::int64_t>(ids.size()), table.shape()[1]}, out);
    backend.gather(table, ids, result);
    return result;
}

Tensor layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, DType out) {
    const Scope timed(Zone::norm);
    assert(is_vector(weight, x.size(-1)) && is_vector(bias, x.size(-1)));
    return by_rows(x, out,
                   [&](Backend& b, const Tensor& rows, Tensor& to) { b.layer_norm(rows, weight, bias, eps, to); });
}

Tensor layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps, DType out) {
    const Scope timed(Zone::norm);
    assert(shift.shape() == scale.shape() && is_table(shift, x) && is_table(scale, x));
    return by_rows(x, out, [&](Backend& b, const Tensor& rows, Tensor& to) {
        b.layer_norm_modulate(rows, shift, scale, eps, to);
    });
}

Tensor rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions& options, DType out) {
    const Scope timed(Zone::norm);
    assert(is_vector(&weight, x.size(-1)));
    return by_rows(x, out, [&](Backend& b, const Tensor& rows, Tensor& to) { b.rms_norm(rows, weight, options, to); });
}

Tensor rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions& options, const Rope& rope, int heads,
                     DType out) {
    const Scope timed(Zone::norm);
    assert(is_vector(&weight, x.size(-1)) && x.size(-1) % heads == 0 && rope.cos.shape() == rope.sin.shape());
    assert(rope.cos.size(0) == x.elements() / x.size(-1) && rope.cos.size(1) * 2 * heads == x.size(-1));
    return by_rows(x, out, [&](Backend& b, const Tensor& rows, Tensor& to) {
        b.rms_norm_rope(rows, weight, options, rope, heads, to);
    });
}

Tensor gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, DType out) {
    const Scope timed(Zone::elementwise);
    assert(x.shape() == y.shape() && is_table(gate, x));
    return by_rows(x, out,
                   [&](Backend& b, const Tensor& rows, Tensor& to) { b.gated_add(rows, as_rows(y), gate, to); });
}

std::pair<Tensor, Tensor> add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate,
                                         const LayerNormOptions& options, DType sum, DType out) {
    const Scope timed(Zone::norm);
    assert(x.rank() == 2 && x.shape() == y.shape() && (!gate || is_table(*gate, x)));
    assert(options.modulate ? is_table(*options.weight, x) && is_table(*options.bias, x)
                            : is_vector(options.weight, x.size(1)) && is_vector(options.bias, x.size(1)));
    Backend& backend = backend_of(x);
    Tensor added = backend.empty(x.shape(), sum), normalised = backend.empty(x.shape(), out);
    backend.add_layer_norm(as_rows(x), as_rows(y), gate, options, added, normalised);
    return {added, normalised};
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options, DType out) {
    const Scope timed(Zone::attention);
    assert(q.rank() == 3 && k.rank() == 3 && v.shape() == k.shape() && k.size(1) == q.size(1) &&
           k.size(2) == q.size(2));
    assert(!options.bias || options.bias.shape() == Shape({q.size(1), q.size(0), k.size(0)}));
    assert(!options.key_bias || options.key_bias.shape() == Shape({k.size(0)}));
    assert(!options.added || (options.added.shape() == q.shape() && options.added.dtype() == out));
    Tensor result = backend_of(q).empty(q.shape(), out);
    backend_of(q).attention(q, k, v, options, result);
    return result;
}

Tensor conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
            const ConvOptions& o, DType out) {
    Tensor result = backend_of(any_of(frames)).empty(conv_shape(frames, w.shape(), o), out);
    conv(frames, w, bias, residual, o, result);
    return result;
}

void conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
          const ConvOptions& o, Tensor& out) {
    const Scope timed(Zone::convolution);
    assert(out.is_contiguous() && out.shape() == conv_shape(frames, w.shape(), o));
    assert(!residual || residual->shape() == out.shape());
    backend_of(any_of(frames)).conv(frames, w, bias, residual, o, out);
}

Tensor channel_norm(const Tensor& x, const Tensor& gamma, bool silu, DType out) {
    const Scope timed(Zone::norm);
    assert(is_vector(&gamma, x.size(-1)));
    return by_rows(x, out, [&](Backend& b, const Tensor& rows, Tensor& to) { b.channel_norm(rows, gamma, silu, to); });
}

void channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) {
    const Scope timed(Zone::norm);
    assert(is_vector(&gamma, x.size(-1)) && out.shape() == x.shape());
    backend_of(x).channel_norm(x, gamma, silu, out);
}

} // namespace denoir::ops
