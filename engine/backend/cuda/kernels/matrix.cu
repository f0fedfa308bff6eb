// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/matrix.h"

#include "engine/backend/cuda/kernels/dispatch.h"
#include "engine/backend/cuda/kernels/reduce.h"
#include "engine/backend/cuda/launch.h"

namespace denoir::cuda {
namespace {

/// Block: one tile of 64 x 64 of one product of the batch. Thread (x, y) of 16 x 16: rows y + 16·i, columns x + 16·j.
template <class T, class C> __global__ void __launch_bounds__(ProductTile::threads)
    multiply_kernel(Product p, std::int64_t tiles_m, std::int64_t tiles_n) {
    constexpr int side = ProductTile::side, depth = ProductTile::depth, each = ProductTile::each, across = side / each;
    __shared__ float a_tile[depth][side + 1], b_tile[depth][side + 1];
    const std::int64_t tile = blockIdx.x, batch = tile / (tiles_m * tiles_n),
                       in_batch = tile - batch * tiles_m * tiles_n;
    const std::int64_t row = in_batch / tiles_n * side, column = in_batch % tiles_n * side;
    const T* a = static_cast<const T*>(p.a) + batch * p.a_step;
    const T* b = static_cast<const T*>(p.b) + batch * p.b_step;
    const int t = static_cast<int>(threadIdx.x), x = t % across, y = t / across;
    float sums[each][each] = {};
    for (std::int64_t k0 = 0; k0 < p.k; k0 += depth) {
        for (int i = t; i < side * depth; i += ProductTile::threads) {
            // Neighbouring threads read neighbouring elements.
            const int k = i % depth, r = i / depth;
            const bool inside = row + r < p.m && k0 + k < p.k;
            a_tile[k][r] = inside ? widen(a[(row + r) * p.lda + k0 + k]) : 0.0f;
            const int kb = p.b_is_kn ? i / side : k, c = p.b_is_kn ? i % side : r;
            const bool there = column + c < p.n && k0 + kb < p.k;
            const std::int64_t at = p.b_is_kn ? (k0 + kb) * p.ldb + column + c : (column + c) * p.ldb + k0 + kb;
            b_tile[kb][c] = there ? widen(b[at]) : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < depth; ++k) {
            float left[each], right[each];
            for (int i = 0; i < each; ++i) {
                left[i] = a_tile[k][y + across * i];
                right[i] = b_tile[k][x + across * i];
            }
            for (int i = 0; i < each; ++i)
                for (int j = 0; j < each; ++j) sums[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    C* out = static_cast<C*>(p.c) + batch * p.c_step;
    for (int i = 0; i < each; ++i)
        for (int j = 0; j < each; ++j) {
            const std::int64_t r = row + y + across * i, c = column + x + across * j;
            if (r >= p.m || c >= p.n) continue;
            float value = sums[i][j] + (p.bias ? p.bias[c] : 0.0f);
            if (p.round_sum) value = rounded(value);
            out[r * p.ldc + c] = narrow<C>(curve(p.activation, value));
        }
}

constexpr unsigned softmax_threads = 256;

/// Block: one row. The scores are read three times; the second and third time they come from the cache.
template <class Bias, class Out> __global__ void __launch_bounds__(softmax_threads) softmax_kernel(Softmax a) {
    const std::int64_t index = blockIdx.x, head = index / a.rows, row = index - head * a.rows;
    const std::int64_t visible = visible_keys(a.first_row + row, a.keys, a.causal_block);
    const float* scores = a.scores + index * a.stride;
    const Bias* bias =
        a.bias ? static_cast<const Bias*>(a.bias) + head * a.bias_head + (a.first_row + row) * a.bias_row : nullptr;
    const auto at = [&](std::int64_t j) {
        return score(a, scores[j], bias ? widen(bias[j]) : 0.0f, a.key_bias ? a.key_bias[j] : 0.0f);
    };
    float top = -INFINITY, total = 0;
    for (std::int64_t j = threadIdx.x; j < visible; j += softmax_threads) top = Greatest::join(top, at(j));
    top = row_greatest(top);
    if (top == -INFINITY) top = 0; // no key is seen
    for (std::int64_t j = threadIdx.x; j < visible; j += softmax_threads) total += expf(at(j) - top);
    total = row_sum(total);
    const float share = total > 0 ? 1.0f / total : 0.0f;
    Out* out = static_cast<Out*>(a.out) + index * a.stride;
    for (std::int64_t j = threadIdx.x; j < a.keys; j += softmax_threads)
        out[j] = narrow<Out>(j < visible ? expf(at(j) - top) * share : 0.0f);
}

constexpr int extra_lanes = 16, extra_rows = 8;

/// Half a warp: one query of one head.
template <int V, int P> __global__ void __launch_bounds__(extra_lanes* extra_rows) extra_key_kernel(ExtraKey a) {
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * extra_rows + threadIdx.y;
    if (index >= a.tokens * a.heads) return;
    const std::int64_t token =
        index < 0x80000000ll ? static_cast<std::uint32_t>(index) / static_cast<unsigned>(a.heads) : index / a.heads;
    const int head = static_cast<int>(index - token * a.heads);
    const Bf16* k = static_cast<const Bf16*>(a.k) + head * a.k_head;
    const Bf16* v = static_cast<const Bf16*>(a.v) + head * a.v_head;
    Bf16* out = static_cast<Bf16*>(a.out) + token * a.out_token + head * a.out_head;
    using Head = Row<Bf16, V, extra_lanes, P>;
    const Head q(static_cast<const Bf16*>(a.q) + token * a.q_token + head * a.q_head, a.size), old(out, a.size);
    float dot = 0;
    q.each([&](int c, bool inside, const float* x) {
        if (!inside) return;
        float y[V];
        load<V>(k + c, y);
        for (int i = 0; i < V; ++i) dot += x[i] * y[i];
    });
    // Weight of the old result: e^lse / (e^lse + count · e^s).
    const float s = row_sum<extra_lanes>(dot) * a.scale + a.log_count;
    const float kept = logistic(1.0f, a.log_sum[head * a.tokens + token] - s);
    const Bf16* added =
        a.added ? static_cast<const Bf16*>(a.added) + token * a.added_token + head * a.added_head : nullptr;
    old.each([&](int c, bool inside, const float* x) {
        if (!inside) return;
        float y[V];
        load<V>(v + c, y);
        for (int i = 0; i < V; ++i) y[i] = x[i] * kept + y[i] * (1.0f - kept);
        if (added) {
            float other[V];
            load<V>(added + c, other);
            for (int i = 0; i < V; ++i) y[i] = rounded(y[i]) + other[i];
        }
        store<V>(out + c, y);
    });
}

} // namespace

void multiply(Runtime& runtime, const Product& p) {
    if (p.m == 0 || p.n == 0 || p.batch == 0) return;
    const std::int64_t tiles_m = divide_up(p.m, ProductTile::side), tiles_n = divide_up(p.n, ProductTile::side);
    with_float(p.type, [&](auto in) {
        with_float(p.c_type, [&](auto out) {
            launch(runtime, p.batch * tiles_m * tiles_n, {ProductTile::threads}, 0,
                   multiply_kernel<decltype(in), decltype(out)>, p, tiles_m, tiles_n);
        });
    });
}

void softmax(Runtime& runtime, const Softmax& a) {
    if (a.heads * a.rows * a.keys == 0) return;
    with_float(a.bias_type, [&](auto bias) {
        with_float(a.out_type, [&](auto out) {
            launch(runtime, a.heads * a.rows, {softmax_threads}, 0, softmax_kernel<decltype(bias), decltype(out)>, a);
        });
    });
}

void join_extra_key(Runtime& runtime, const ExtraKey& a) {
    if (a.tokens * a.heads == 0) return;
    const auto fits = [](const void* data, std::int64_t token, std::int64_t head) {
        return in_eights(data, Type::bf16, token) && head % 8 == 0;
    };
    const bool eights = a.size % 8 == 0 && a.size <= 8 * extra_lanes && fits(a.q, a.q_token, a.q_head) &&
                        fits(a.k, 0, a.k_head) && fits(a.v, 0, a.v_head) && fits(a.out, a.out_token, a.out_head) &&
                        fits(a.added, a.added_token, a.added_head);
    launch(runtime, divide_up(a.tokens * a.heads, extra_rows), {extra_lanes, extra_rows}, 0,
           eights ? extra_key_kernel<8, 1> : extra_key_kernel<1, 0>, a);
}

} // namespace denoir::cuda
