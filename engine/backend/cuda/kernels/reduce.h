// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/kernels/number.h"
#include "engine/backend/cuda/launch.h"

// Sums and maxima over the threads (x) that hold one row; every one of them gets the result. The order of addition is
// fixed. Rows of one warp: any number of them in a block. Longer rows: one in a block, all of its threads call.
namespace denoir::cuda {

struct Sum {
    static DENOIR_HD float join(float a, float b) { return a + b; }
    static DENOIR_HD float neutral() { return 0.0f; }
};
struct Greatest {
    static DENOIR_HD float join(float a, float b) { return a > b ? a : b; }
    static DENOIR_HD float neutral() { return -INFINITY; }
};

template <class Op> __device__ inline float row_reduce(float value) {
    constexpr unsigned warp = 32, everyone = 0xFFFFFFFFu;
    for (int lane = warp / 2; lane > 0; lane /= 2) value = Op::join(value, __shfl_xor_sync(everyone, value, lane));
    if (blockDim.x == warp) return value;
    __shared__ float parts[warp];
    __syncthreads(); // the sum before has been read
    if (threadIdx.x % warp == 0) parts[threadIdx.x / warp] = value;
    __syncthreads();
    value = threadIdx.x % warp < blockDim.x / warp ? parts[threadIdx.x % warp] : Op::neutral();
    for (int lane = warp / 2; lane > 0; lane /= 2) value = Op::join(value, __shfl_xor_sync(everyone, value, lane));
    return value;
}

__device__ inline float row_sum(float value) { return row_reduce<Sum>(value); }
__device__ inline float row_greatest(float value) { return row_reduce<Greatest>(value); }

} // namespace denoir::cuda
