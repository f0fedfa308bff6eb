// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/rows.h"

#include "engine/backend/cuda/kernels/dispatch.h"
#include "engine/backend/cuda/kernels/reduce.h"
#include "engine/backend/cuda/launch.h"

namespace denoir::cuda {
namespace {

template <class T> __device__ const T* row_at(const Rows& x, std::int64_t token) {
    return static_cast<const T*>(x.data) + token * x.stride;
}

/// Token of this thread's row; blocks of several rows hold neighbours.
__device__ std::int64_t token_here() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y; }

/// V parameters from channel c on, zeros where there are none.
template <int V> __device__ void parameters(const float* from, int c, float* values) {
    for (int i = 0; i < V; ++i) values[i] = 0;
    if (from) load<V>(from + c, values);
}

/// Writes the layer norm of a row that its threads hold.
template <class Out, class In, int V, int W, int P>
__device__ void write_layer_norm(const Row<In, V, W, P>& row, const LayerNorm& a, std::int64_t token) {
    float sum = 0;
    row.each([&](int, bool, const float* v) {
        for (int i = 0; i < V; ++i) sum += v[i];
    });
    const float mean = row_sum<W>(sum) / static_cast<float>(a.channels);
    float squares = 0;
    row.each([&](int, bool inside, const float* v) {
        const float m = inside ? mean : 0.0f;
        for (int i = 0; i < V; ++i) squares += (v[i] - m) * (v[i] - m);
    });
    const float factor = reciprocal_root(quotient(row_sum<W>(squares), static_cast<float>(a.channels)) + a.eps);
    const std::int64_t group = token / a.tokens_per_group;
    const float* weight = a.weight.data ? a.weight.data + group * a.weight.stride : nullptr;
    const float* bias = a.bias.data ? a.bias.data + group * a.bias.stride : nullptr;
    const float one = a.one_plus || !weight ? 1.0f : 0.0f;
    Out* out = const_cast<Out*>(row_at<Out>(a.out, token));
    row.each([&](int c, bool inside, const float* v) {
        if (!inside) return;
        float w[V], b[V], result[V];
        parameters<V>(weight, c, w);
        parameters<V>(bias, c, b);
        for (int i = 0; i < V; ++i) result[i] = normalised(v[i], mean, factor, w[i] + one, b[i]);
        store<V>(out + c, result);
    });
}

template <class In, class Out, int V, int W, int P>
__global__ void __launch_bounds__(RowShape::block, RowShape::blocks(P)) layer_norm_kernel(LayerNorm a) {
    const std::int64_t token = token_here();
    if (token >= a.tokens) return; // a whole row leaves, so no barrier waits for it
    write_layer_norm<Out>(Row<In, V, W, P>(row_at<In>(a.x, token), a.channels), a, token);
}

template <class X, class Y, class S, int V, int W, int P>
__global__ void __launch_bounds__(RowShape::block, RowShape::blocks(P)) add_layer_norm_kernel(AddLayerNorm a) {
    const std::int64_t token = token_here();
    if (token >= a.norm.tokens) return;
    const X* x = row_at<X>(a.x, token);
    const Y* y = row_at<Y>(a.y, token);
    S* sum = const_cast<S*>(row_at<S>(a.norm.x, token));
    const float* gate = a.gate.data ? a.gate.data + token / a.tokens_per_gate * a.gate.stride : nullptr;
    Row<float, V, W, P> row(a.norm.channels, [&](int c, float* v) {
        float added[V], factor[V];
        for (int i = 0; i < V; ++i) factor[i] = 1;
        load<V>(x + c, v);
        load<V>(y + c, added);
        if (gate) load<V>(gate + c, factor);
        for (int i = 0; i < V; ++i) v[i] = multiply_add(added[i], factor[i], v[i]);
    });
    // Not in the loop that reads: a compiler must not move a read before a write, so reads would wait for each other.
    row.each([&](int c, bool inside, const float* v) {
        if (inside) store<V>(sum + c, v);
    });
    if (a.round_before || std::is_same_v<S, Bf16>) row.round();
    write_layer_norm<Y>(row, a.norm, token);
}

template <class In, class Out, int V, int W, int P>
__global__ void __launch_bounds__(RowShape::block, RowShape::blocks(P)) rms_norm_kernel(RmsNorm a) {
    const std::int64_t token = token_here();
    if (token >= a.tokens) return;
    const Row<In, V, W, P> row(row_at<In>(a.x, token), a.channels);
    float squares = 0;
    row.each([&](int, bool, const float* v) {
        for (int i = 0; i < V; ++i) squares += v[i] * v[i];
    });
    if (a.factor != RmsNorm::Factor::none) squares = row_sum<W>(squares);
    const float factor = rms_factor(a.factor, squares, a.channels, a.eps);
    Out* out = const_cast<Out*>(row_at<Out>(a.out, token));
    // From one pack to the next the channel in a head moves by `step`; if that is 0, a thread turns all its packs
    // alike.
    const unsigned head = static_cast<unsigned>(a.head);
    unsigned channel = 0, step = 0;
    constexpr int pairs = V > 1 ? V / 2 : 1;
    float cosine[pairs] = {}, sine[pairs] = {};
    const auto load_angles = [&] {
        load<pairs>(a.cos + token * a.cos_stride + channel / 2, cosine);
        load<pairs>(a.sin + token * a.sin_stride + channel / 2, sine);
    };
    if (a.cos) {
        channel = static_cast<unsigned>(row.place(0)) % head;
        step = static_cast<unsigned>(row.width() * V) % head;
        load_angles();
    }
    row.each([&](int c, bool inside, const float* v) {
        if (!inside) return;
        float result[V];
        for (int i = 0; i < V; ++i) result[i] = v[i] * factor;
        if (a.round_normalised)
            for (int i = 0; i < V; ++i) result[i] = rounded(result[i]);
        if (a.weight) {
            float weight[V];
            load<V>(a.weight + c, weight);
            if (a.round_weight)
                for (int i = 0; i < V; ++i) weight[i] = rounded(weight[i]);
            for (int i = 0; i < V; ++i) result[i] *= weight[i];
        }
        if constexpr (V > 1)
            if (a.cos) {
                for (int i = 0; i < V; i += 2) rotate(result[i], result[i + 1], cosine[i / 2], sine[i / 2]);
                if (step != 0) {
                    channel += step;
                    if (channel >= head) channel -= head;
                    load_angles();
                }
            }
        if (a.silu)
            for (int i = 0; i < V; ++i) result[i] = curve(Curve::silu, result[i]);
        store<V>(out + c, result);
    });
}

constexpr unsigned gated_threads = 256;

template <class X, class Y, class Out, int V> __global__ void __launch_bounds__(gated_threads)
    gated_add_kernel(GatedAdd a) {
    const std::int64_t packs = a.channels / V;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * gated_threads + threadIdx.x;
    if (i >= a.tokens * packs) return;
    const std::int64_t token = i / packs;
    const int c = static_cast<int>(i - token * packs) * V;
    float x[V], y[V];
    load<V>(row_at<X>(a.x, token) + c, x);
    load<V>(row_at<Y>(a.y, token) + c, y);
    float gate[V];
    load<V>(a.gate.data + token / a.tokens_per_group * a.gate.stride + c, gate);
    for (int k = 0; k < V; ++k) x[k] = multiply_add(y[k], gate[k], x[k]); // as add_layer_norm_kernel does
    store<V>(const_cast<Out*>(row_at<Out>(a.out, token)) + c, x);
}

bool in_eights(const Rows& x) { return in_eights(x.data, x.type, x.stride); }
bool in_eights(const float* data, std::int64_t stride) { return in_eights(data, Type::f32, stride); }
bool in_eights(const GroupRows& x) { return in_eights(x.data, x.stride); }

/// Calls f(Constant<values in a pack>) with the widest pack that fits.
template <int narrow, class F> void by_pack(bool eights, F f) {
    if (eights)
        f(Constant<8>{});
    else
        f(Constant<narrow>{});
}

/// f(Constant<W>, Constant<P>) is the kernel for rows of W threads that keep P packs each.
template <int V, class A, class F> void launch_rows(Runtime& runtime, const A& a, F kernel) {
    const RowShape shape = RowShape::of(a.channels, V);
    const auto run = [&](auto width, auto packs) {
        launch(runtime, divide_up(a.tokens, shape.rows),
               {static_cast<unsigned>(shape.width), static_cast<unsigned>(shape.rows)}, 0, kernel(width, packs), a);
    };
    if constexpr (V == RowShape::widest_pack) {
        constexpr Constant<RowShape::few> few{};
        if (shape.packs == RowShape::many) return run(Constant<RowShape::warp>{}, Constant<RowShape::many>{});
        if (shape.packs == RowShape::few) {
            if (shape.width == 4) return run(Constant<4>{}, few);
            if (shape.width == 8) return run(Constant<8>{}, few);
            if (shape.width == 16) return run(Constant<16>{}, few);
            if (shape.width == 32) return run(Constant<32>{}, few);
            return run(Constant<0>{}, few);
        }
    }
    run(Constant<0>{}, Constant<0>{});
}

} // namespace

void layer_norm(Runtime& runtime, const LayerNorm& a) {
    if (a.tokens == 0 || a.channels == 0) return;
    const bool eights =
        a.channels % 8 == 0 && in_eights(a.x) && in_eights(a.out) && in_eights(a.weight) && in_eights(a.bias);
    by_pack<1>(eights, [&](auto pack) {
        with_float(a.x.type, [&](auto in) {
            with_float(a.out.type, [&](auto out) {
                launch_rows<decltype(pack)::value>(runtime, a, [](auto width, auto packs) {
                    return layer_norm_kernel<decltype(in), decltype(out), decltype(pack)::value, width.value,
                                             packs.value>;
                });
            });
        });
    });
}

void rms_norm(Runtime& runtime, const RmsNorm& a) {
    if (a.tokens == 0 || a.channels == 0) return;
    const bool eights =
        a.channels % 8 == 0 && in_eights(a.x) && in_eights(a.out) && in_eights(a.weight, 0) &&
        (!a.cos || (a.head % 8 == 0 && in_eights(a.cos, a.cos_stride) && in_eights(a.sin, a.sin_stride)));
    const auto run = [&](auto pack) {
        with_float(a.x.type, [&](auto in) {
            with_float(a.out.type, [&](auto out) {
                launch_rows<decltype(pack)::value>(runtime, a, [](auto width, auto packs) {
                    return rms_norm_kernel<decltype(in), decltype(out), decltype(pack)::value, width.value,
                                           packs.value>;
                });
            });
        });
    };
    // A rotation needs both channels of a pair in one pack. Heads are even; rows and addresses must be even as well
    // (the caller copies rows that are not).
    if (a.cos && !eights)
        run(Constant<2>{});
    else
        by_pack<1>(eights, run);
}

void gated_add(Runtime& runtime, const GatedAdd& a) {
    if (a.tokens == 0 || a.channels == 0) return;
    const bool eights =
        a.channels % 8 == 0 && in_eights(a.x) && in_eights(a.y) && in_eights(a.out) && in_eights(a.gate);
    by_pack<1>(eights, [&](auto pack) {
        constexpr int V = decltype(pack)::value;
        with_float(a.x.type, [&](auto x) {
            with_float(a.y.type, [&](auto y) {
                with_float(a.out.type, [&](auto out) {
                    launch(runtime, divide_up(a.tokens * (a.channels / V), gated_threads), {gated_threads}, 0,
                           gated_add_kernel<decltype(x), decltype(y), decltype(out), V>, a);
                });
            });
        });
    });
}

bool add_layer_norm(Runtime& runtime, const AddLayerNorm& a) {
    constexpr int V = RowShape::widest_pack;
    const LayerNorm& norm = a.norm;
    const RowShape shape = RowShape::of(norm.channels, V);
    const bool eights = norm.channels % V == 0 && in_eights(a.x) && in_eights(a.y) && in_eights(a.gate) &&
                        in_eights(norm.x) && in_eights(norm.out) && in_eights(norm.weight) && in_eights(norm.bias);
    const bool many = shape.packs == RowShape::many, long_row = shape.packs == RowShape::few && shape.rows == 1;
    const bool narrow_sum = norm.x.type == Type::bf16;
    if (!eights || !(many || long_row) || a.y.type != norm.out.type || (narrow_sum && a.y.type != Type::bf16))
        return false;
    if (norm.tokens == 0) return true;
    with_float(a.x.type, [&](auto x) {
        with_float(a.y.type, [&](auto y) {
            using X = decltype(x);
            using Y = decltype(y);
            const auto run = [&](auto sum) {
                using S = decltype(sum);
                launch(runtime, divide_up(norm.tokens, shape.rows),
                       {static_cast<unsigned>(shape.width), static_cast<unsigned>(shape.rows)}, 0,
                       many ? add_layer_norm_kernel<X, Y, S, V, RowShape::warp, RowShape::many>
                            : add_layer_norm_kernel<X, Y, S, V, 0, RowShape::few>,
                       a);
            };
            if constexpr (std::is_same_v<Y, Bf16>)
                if (narrow_sum) return run(Bf16{});
            run(float{});
        });
    });
    return true;
}

} // namespace denoir::cuda
