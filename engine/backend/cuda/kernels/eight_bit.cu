// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/eight_bit.h"

#include "engine/backend/cuda/kernels/dispatch.h"
#include "engine/backend/cuda/kernels/reduce.h"
#include "engine/backend/cuda/launch.h"

namespace denoir::cuda {
namespace {

constexpr unsigned threads = 256;

/// Block: one row, read twice.
template <class T, int V> __global__ void __launch_bounds__(threads)
    quantise_kernel(EightBit kind, Rows x, int channels, std::uint8_t* out, float* scale) {
    const std::int64_t token = blockIdx.x;
    const T* row = static_cast<const T*>(x.data) + token * x.stride;
    float values[V], top = 0;
    for (int c = static_cast<int>(threadIdx.x) * V; c < channels; c += static_cast<int>(threads) * V) {
        load<V>(row + c, values);
        for (int i = 0; i < V; ++i) top = Greatest::join(top, fabsf(values[i]));
    }
    top = row_greatest(top);
    const float inverse = top > 0 ? largest_of(kind) / top : 0.0f;
    if (threadIdx.x == 0) scale[token] = top / largest_of(kind);
    for (int c = static_cast<int>(threadIdx.x) * V; c < channels; c += static_cast<int>(threads) * V) {
        load<V>(row + c, values);
        Pack<std::uint8_t, V> pack;
        for (int i = 0; i < V; ++i) pack.value[i] = quantised(kind, values[i], inverse);
        std::uint8_t* to = out + token * channels + c;
        assert(lies_well<decltype(pack)>(to));
        *reinterpret_cast<Pack<std::uint8_t, V>*>(to) = pack;
    }
}

constexpr unsigned side = 16;

/// Thread: one value of C.
__global__ void __launch_bounds__(side* side) multiply_kernel(EightBitProduct p) {
    const std::int64_t across = divide_up(p.n, side), tile = blockIdx.x;
    const std::int64_t row = tile / across * side + threadIdx.y, column = tile % across * side + threadIdx.x;
    if (row >= p.m || column >= p.n) return;
    float sum = 0;
    for (std::int64_t k = 0; k < p.k; ++k)
        sum += eight_bit_value(p.kind, p.a[row * p.k + k]) * eight_bit_value(p.kind, p.b[column * p.k + k]);
    sum = sum * p.a_scale[row] * p.b_scale[column] + (p.bias ? p.bias[column] : 0.0f);
    static_cast<Bf16*>(p.c)[row * p.ldc + column] = narrow_bf16(sum);
}

__global__ void __launch_bounds__(threads) scale_kernel(EightBitProduct p, const std::int32_t* sums) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
    if (i >= p.m * p.n) return;
    const std::int64_t row = i / p.n, column = i - row * p.n;
    const float sum =
        static_cast<float>(sums[i]) * p.a_scale[row] * p.b_scale[column] + (p.bias ? p.bias[column] : 0.0f);
    static_cast<Bf16*>(p.c)[row * p.ldc + column] = narrow_bf16(sum);
}

} // namespace

void quantise_rows(Runtime& runtime, EightBit kind, const Rows& x, std::int64_t tokens, int channels, std::uint8_t* out,
                   float* scale) {
    if (tokens == 0 || channels == 0) return;
    const bool eights = channels % 8 == 0 && in_eights(x.data, x.type, x.stride);
    with_float(x.type, [&](auto element) {
        using T = decltype(element);
        if (eights)
            launch(runtime, tokens, {threads}, 0, quantise_kernel<T, 8>, kind, x, channels, out, scale);
        else
            launch(runtime, tokens, {threads}, 0, quantise_kernel<T, 1>, kind, x, channels, out, scale);
    });
}

void multiply_eight_bit(Runtime& runtime, const EightBitProduct& p) {
    if (p.m == 0 || p.n == 0) return;
    launch(runtime, divide_up(p.m, side) * divide_up(p.n, side), {side, side}, 0, multiply_kernel, p);
}

void scale_sums(Runtime& runtime, const EightBitProduct& p, const std::int32_t* sums) {
    if (p.m == 0 || p.n == 0) return;
    launch(runtime, divide_up(p.m * p.n, threads), {threads}, 0, scale_kernel, p, sums);
}

} // namespace denoir::cuda
