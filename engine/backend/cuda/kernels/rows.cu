// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/rows.h"

#include "engine/backend/cuda/kernels/dispatch.h"
#include "engine/backend/cuda/kernels/reduce.h"
#include "engine/backend/cuda/launch.h"

namespace denoir::cuda {
namespace {

/// One row as its threads see it: thread t holds the packs t, t + width, …
template <class T, int V> struct RowReader {
    const T* from;
    float* kept; ///< shared, [packs of a thread, V, width], or null: neighbouring threads use neighbouring banks
    int channels;

    /// f(first channel, values) for each pack of this thread, read from memory and kept.
    template <class F> __device__ void first(F f) const {
        const int width = static_cast<int>(blockDim.x);
        float* place = kept + threadIdx.x;
        for (int c = static_cast<int>(threadIdx.x) * V; c < channels; c += width * V, place += width * V) {
            float values[V];
            load<V>(from + c, values);
            for (int i = 0; i < V && kept; ++i) place[i * width] = values[i];
            f(c, values);
        }
    }
    /// The same again. A thread reads only what it kept itself, so no barrier is needed.
    template <class F> __device__ void again(F f) const {
        const int width = static_cast<int>(blockDim.x);
        const float* place = kept + threadIdx.x;
        for (int c = static_cast<int>(threadIdx.x) * V; c < channels; c += width * V, place += width * V) {
            float values[V];
            if (kept)
                for (int i = 0; i < V; ++i) values[i] = place[i * width];
            else
                load<V>(from + c, values);
            f(c, values);
        }
    }
};

template <class T> __device__ const T* row_at(const Rows& x, std::int64_t token) {
    return static_cast<const T*>(x.data) + token * x.stride;
}

/// Token of this thread's row; blocks of several rows hold neighbours.
__device__ std::int64_t token_here() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y; }

__device__ float* kept_row(bool cached, int channels) {
    const int width = static_cast<int>(blockDim.x);
    return cached ? shared_memory<float>() + static_cast<int>(threadIdx.y) * RowShape::kept(channels, width) : nullptr;
}

/// V parameters from channel c on, or `otherwise` where there are none.
template <int V> __device__ void parameters(const float* from, int c, float otherwise, float* values) {
    if (from)
        load<V>(from + c, values);
    else
        for (int i = 0; i < V; ++i) values[i] = otherwise;
}

template <class In, class Out, int V> __global__ void __launch_bounds__(RowShape::block, 4)
    layer_norm_kernel(LayerNorm a, bool cached) {
    const std::int64_t token = token_here();
    if (token >= a.tokens) return; // a whole warp of a block whose rows are warps: no barrier waits for it
    const RowReader<In, V> row{row_at<In>(a.x, token), kept_row(cached, a.channels), a.channels};
    float sum = 0;
    row.first([&](int, const float* v) {
        for (int i = 0; i < V; ++i) sum += v[i];
    });
    const float mean = row_sum(sum) / static_cast<float>(a.channels);
    float squares = 0;
    row.again([&](int, const float* v) {
        for (int i = 0; i < V; ++i) squares += (v[i] - mean) * (v[i] - mean);
    });
    const float factor = reciprocal_root(row_sum(squares) / static_cast<float>(a.channels) + a.eps);
    const std::int64_t group = token / a.tokens_per_group;
    const float* weight = a.weight.data ? a.weight.data + group * a.weight.stride : nullptr;
    const float* bias = a.bias.data ? a.bias.data + group * a.bias.stride : nullptr;
    const float one = a.one_plus ? 1.0f : 0.0f;
    Out* out = const_cast<Out*>(row_at<Out>(a.out, token));
    row.again([&](int c, const float* v) {
        float w[V], b[V], result[V];
        parameters<V>(weight, c, 1.0f - one, w);
        parameters<V>(bias, c, 0.0f, b);
        for (int i = 0; i < V; ++i) result[i] = normalised(v[i], mean, factor, w[i] + one, b[i]);
        store<V>(out + c, result);
    });
}

template <class In, class Out, int V> __global__ void __launch_bounds__(RowShape::block, 4)
    rms_norm_kernel(RmsNorm a, bool cached) {
    const std::int64_t token = token_here();
    if (token >= a.tokens) return;
    const RowReader<In, V> row{row_at<In>(a.x, token), kept_row(cached, a.channels), a.channels};
    float squares = 0;
    row.first([&](int, const float* v) {
        for (int i = 0; i < V; ++i) squares += v[i] * v[i];
    });
    if (a.factor != RmsNorm::Factor::none) squares = row_sum(squares);
    const float factor = rms_factor(a.factor, squares, a.channels, a.eps);
    Out* out = const_cast<Out*>(row_at<Out>(a.out, token));
    row.again([&](int c, const float* v) {
        float weight[V], result[V];
        parameters<V>(a.weight, c, 1.0f, weight);
        for (int i = 0; i < V; ++i) {
            result[i] = v[i] * factor;
            if (a.round_normalised) result[i] = rounded(result[i]);
            result[i] *= a.round_weight ? rounded(weight[i]) : weight[i];
        }
        if constexpr (V > 1)
            if (a.cos) {
                const int pair = c % a.head / 2;
                float cosine[V / 2], sine[V / 2];
                load<V / 2>(a.cos + token * a.cos_stride + pair, cosine);
                load<V / 2>(a.sin + token * a.sin_stride + pair, sine);
                for (int i = 0; i < V; i += 2) rotate(result[i], result[i + 1], cosine[i / 2], sine[i / 2]);
            }
        for (int i = 0; i < V && a.silu; ++i) result[i] = curve(Curve::silu, result[i]);
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
    for (int k = 0; k < V; ++k) x[k] += y[k] * gate[k];
    store<V>(const_cast<Out*>(row_at<Out>(a.out, token)) + c, x);
}

bool in_eights(const Rows& x) { return in_eights(x.data, x.type, x.stride); }
bool in_eights(const float* data, std::int64_t stride) { return in_eights(data, Type::f32, stride); }
bool in_eights(const GroupRows& x) { return in_eights(x.data, x.stride); }

/// launch_row(width of a pack) with the widest that fits.
template <int narrow, class F> void by_pack(bool eights, F f) {
    if (eights)
        f(Constant<8>{});
    else
        f(Constant<narrow>{});
}

} // namespace

void layer_norm(Runtime& runtime, const LayerNorm& a) {
    if (a.tokens == 0 || a.channels == 0) return;
    const RowShape shape = RowShape::of(a.channels);
    const bool eights =
        a.channels % 8 == 0 && in_eights(a.x) && in_eights(a.out) && in_eights(a.weight) && in_eights(a.bias);
    by_pack<1>(eights, [&](auto pack) {
        with_float(a.x.type, [&](auto in) {
            with_float(a.out.type, [&](auto out) {
                launch(runtime, divide_up(a.tokens, shape.rows),
                       {static_cast<unsigned>(shape.width), static_cast<unsigned>(shape.rows)},
                       shape.shared(a.channels), layer_norm_kernel<decltype(in), decltype(out), decltype(pack)::value>,
                       a, shape.cached);
            });
        });
    });
}

void rms_norm(Runtime& runtime, const RmsNorm& a) {
    if (a.tokens == 0 || a.channels == 0) return;
    const RowShape shape = RowShape::of(a.channels);
    const bool eights =
        a.channels % 8 == 0 && in_eights(a.x) && in_eights(a.out) && in_eights(a.weight, 0) &&
        (!a.cos || (a.head % 8 == 0 && in_eights(a.cos, a.cos_stride) && in_eights(a.sin, a.sin_stride)));
    const auto run = [&](auto pack) {
        with_float(a.x.type, [&](auto in) {
            with_float(a.out.type, [&](auto out) {
                launch(runtime, divide_up(a.tokens, shape.rows),
                       {static_cast<unsigned>(shape.width), static_cast<unsigned>(shape.rows)},
                       shape.shared(a.channels), rms_norm_kernel<decltype(in), decltype(out), decltype(pack)::value>, a,
                       shape.cached);
            });
        });
    };
    // A rotation needs both channels of a pair in one pack; heads are even, and so must rows and addresses then be (the
    // caller copies rows that are not).
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

} // namespace denoir::cuda
