// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/kernels/number.h"
#include "engine/backend/cuda/launch.h"

// A row and the threads (x) that hold it: a power of two of a warp's lanes, any number of such rows in a block; or
// whole warps, then one row in a block. Their number W is known to the compiler or 0: as many as the block has.
namespace denoir::cuda {

struct Sum {
    static DENOIR_HD float join(float a, float b) { return a + b; }
    static DENOIR_HD float neutral() { return 0.0f; }
};
/// NaN wins: what diverged must stay seen.
struct Greatest {
    static DENOIR_HD float join(float a, float b) { return a > b || a != a ? a : b; }
    static DENOIR_HD float neutral() { return -INFINITY; }
};

/// What `lanes` neighbouring threads of a warp have, joined; each of them gets it.
template <class Op> __device__ inline float lanes_reduce(float value, int lanes) {
    // The mask names the whole warp. Rows beside this one may have left the kernel: a thread that has ended need not
    // come, and nobody reads from it, since partners are of one row; all others are here, not in a branch.
    for (int lane = lanes / 2; lane > 0; lane /= 2) value = Op::join(value, __shfl_xor_sync(0xFFFFFFFFu, value, lane));
    return value;
}

/// Sum or maximum over a row, for each of its threads. The order of addition is fixed. All threads of a block call
/// where it holds one row.
template <class Op, int W = 0> __device__ inline float row_reduce(float value) {
    constexpr int warp = 32;
    static_assert(W <= warp);
    const int width = W > 0 ? W : static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    value = lanes_reduce<Op>(value, width < warp ? width : warp);
    if constexpr (W == 0)
        if (width > warp) {
            __shared__ float parts[warp];
            __syncthreads(); // the sum before has been read
            if (thread % warp == 0) parts[thread / warp] = value;
            __syncthreads();
            value = lanes_reduce<Op>(thread % warp < width / warp ? parts[thread % warp] : Op::neutral(), warp);
        }
    return value;
}

template <int W = 0> __device__ inline float row_sum(float value) { return row_reduce<Sum, W>(value); }
__device__ inline float row_greatest(float value) { return row_reduce<Greatest>(value); }

/// One row as its threads see it: thread t of W (0: of the block's) has the packs t, t + W, … Up to P of them stay in
/// its registers; with P = 0 any number is read again for each pass.
template <class T, int V, int W, int P> struct Row {
    const T* from;
    int channels;
    Pack<T, V> kept[P > 0 ? P : 1] = {};

    __device__ Row(const T* first, int count) : from(first), channels(count) {
        if constexpr (P > 0)
            for (int p = 0; p < P; ++p)
                if (place(p) < channels) kept[p] = fetch<V>(from + place(p));
    }
    /// A row that is made, not read: f(first channel, values) for each pack of this thread. In f32, kept as a whole.
    template <class F> __device__ Row(int count, F f) : from(nullptr), channels(count) {
        static_assert(P > 0 && std::is_same_v<T, float>);
        for (int p = 0; p < P; ++p)
            if (place(p) < channels) f(place(p), kept[p].value);
    }
    /// What is kept of such a row becomes bf16 values.
    __device__ void round() {
        for (auto& pack : kept)
            for (float& v : pack.value) v = rounded(v);
    }
    __device__ static int width() { return W > 0 ? W : static_cast<int>(blockDim.x); }
    __device__ static int place(int p) { return (p * width() + static_cast<int>(threadIdx.x)) * V; }

    /// f(first channel, whether it is one of the row's, values) for each pack of this thread; zeros past the row's end.
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
