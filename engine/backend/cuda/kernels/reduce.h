// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/kernels/number.h"
#include "engine/backend/cuda/launch.h"

// A row and the threads (x) that hold it. These are either a power of two of a warp's lanes, with any number of such
// rows in a block, or whole warps, with one row in a block. Their number W is known to the compiler, or it is 0 for as
// many as the block has.
namespace denoir::cuda {

struct Sum {
    static DENOIR_HD float join(float a, float b) { return a + b; }
    static DENOIR_HD float neutral() { return 0.0f; }
};
/// NaN wins, so that it can be seen in the result.
struct Greatest {
    static DENOIR_HD float join(float a, float b) { return a > b || a != a ? a : b; }
    static DENOIR_HD float neutral() { return -INFINITY; }
};

/// The values of `lanes` neighbouring threads of a warp, joined, for each of them.
template <class Op> __device__ inline float lanes_reduce(float value, int lanes) {
    // The mask names the whole warp, although threads of the rows beside this one may have left the kernel. A thread
    // that has ended need not come, and nobody reads from it, since partners belong to one row. All others come here,
    // as this is never called in a branch.
    for (int lane = lanes / 2; lane > 0; lane /= 2) value = Op::join(value, __shfl_xor_sync(0xFFFFFFFFu, value, lane));
    return value;
}

/// Sum or maximum over a row, for each of its threads. The order of addition is fixed. If the block holds one row, all
/// its threads must call this.
template <class Op, int W = 0> __device__ inline float row_reduce(float value) {
    constexpr int warp = 32;
    static_assert(W <= warp);
    const int width = W > 0 ? W : static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    value = lanes_reduce<Op>(value, width < warp ? width : warp);
    if constexpr (W == 0)
        if (width > warp) {
            __shared__ float parts[warp];
            __syncthreads(); // the result of the call before has been read
            if (thread % warp == 0) parts[thread / warp] = value;
            __syncthreads();
            value = lanes_reduce<Op>(thread % warp < width / warp ? parts[thread % warp] : Op::neutral(), warp);
        }
    return value;
}

template <int W = 0> __device__ inline float row_sum(float value) { return row_reduce<Sum, W>(value); }
__device__ inline float row_greatest(float value) { return row_reduce<Greatest>(value); }

/// One row as its threads see it: thread t of W (0: of the block's) has the packs t, t + W, … With P > 0 these are at
/// most P, which stay in its registers; with P = 0 there may be any number, and they are read again for each pass.
template <class T, int V, int W, int P> struct Row {
    const T* from;
    int channels;
    Pack<T, V> kept[P > 0 ? P : 1] = {};

    __device__ Row(const T* first, int count) : from(first), channels(count) {
        if constexpr (P > 0)
            for (int p = 0; p < P; ++p)
                if (place(p) < channels) kept[p] = fetch<V>(from + place(p));
    }
    /// A row that is computed, not read: f(first channel, values) makes each pack of this thread. f32, all kept.
    template <class F> __device__ Row(int count, F f) : from(nullptr), channels(count) {
        static_assert(P > 0 && std::is_same_v<T, float>);
        for (int p = 0; p < P; ++p)
            if (place(p) < channels) f(place(p), kept[p].value);
    }
    /// Rounds the values of such a row to bf16.
    __device__ void round() {
        for (auto& pack : kept)
            for (float& v : pack.value) v = rounded(v);
    }
    __device__ static int width() { return W > 0 ? W : static_cast<int>(blockDim.x); }
    __device__ static int place(int p) { return (p * width() + static_cast<int>(threadIdx.x)) * V; }

    /// f(first channel, whether it is in the row, values) for each pack of this thread; zeros past the end of the row.
    template <class F> __device__ void each(F f) const {
        float values[V];
        if constexpr (P > 0)
            for (int p = 0; p < P; ++p) {
                widen(kept[p], values);
                f(place(p), place(p) < channels, values);
            }
        else
            for (int p = 0; place(p) < channels; ++p) {
                load<V>(from + place(p), values);
                f(place(p), true, values);
            }
    }
};

} // namespace denoir::cuda
