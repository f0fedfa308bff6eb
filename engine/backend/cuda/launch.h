// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/backend/cuda/runtime.h"

// Kernels are only started with launch(runtime, blocks, {x, y}, shared bytes, kernel, arguments…). Compiled by a device
// compiler, it launches the kernel on the card; by any other, it gives the kernel to the emulator, which runs it thread
// by thread.
#if defined(__CUDACC__)
#include <cuda_runtime.h>
#else
#include "engine/backend/cuda/emulator.h"
#endif

namespace denoir::cuda {

#if defined(__CUDACC__)
/// Throws Error for a launch that was refused (a cudaError_t).
void check_launch(int code);

/// Throws Error if this build has no machine code for the card.
void check_code(int code);
template <class... P> void require_code(Runtime& runtime, void (*kernel)(P...)) {
    runtime.stream(); // makes its card the one that is asked
    cudaFuncAttributes ignored{};
    check_code(static_cast<int>(cudaFuncGetAttributes(&ignored, kernel)));
}

/// Dynamic shared memory of the running block, 16-byte aligned.
template <class T> __device__ T* shared_memory() {
    extern __shared__ __align__(16) unsigned char denoir_shared[];
    return reinterpret_cast<T*>(denoir_shared);
}

struct Threads {
    unsigned x, y = 1;
};

template <class... P, class... A> void launch(Runtime& runtime, std::int64_t blocks, Threads threads,
                                              std::size_t shared, void (*kernel)(P...), const A&... arguments) {
    kernel<<<dim3(static_cast<unsigned>(blocks)), dim3(threads.x, threads.y), shared,
             static_cast<cudaStream_t>(runtime.stream())>>>(static_cast<P>(arguments)...);
    check_launch(static_cast<int>(cudaGetLastError()));
}
#endif

} // namespace denoir::cuda
