// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "engine/backend/cuda/runtime.h"

// The device's language on the host. Each thread of a block is a fibre, which runs until it comes to a barrier. Blocks
// run one after the other, so `__shared__` memory can be static.
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)

namespace denoir::cuda {

struct Threads {
    unsigned x, y = 1;
};

namespace emulator {

struct Position {
    unsigned x = 0, y = 0, z = 0;
};

/// The order in which the threads of a block take turns: a result that depends on it has a race.
enum class Order { forward, backward };

/// Runs `thread` for every thread of every block.
void run(std::int64_t blocks, Threads threads, std::size_t shared, const std::function<void()>& thread);
/// Asserts that a card would accept the launch. Called even if nothing is computed.
void check_launch(std::int64_t blocks, Threads threads, std::size_t shared);
/// Asserts that an integer is not changed by the conversion to the kernel's parameter.
template <class Parameter, class Argument> void check_argument([[maybe_unused]] const Argument& a) {
    if constexpr (std::is_integral_v<Parameter> && std::is_integral_v<Argument> && !std::is_same_v<Parameter, bool> &&
                  !std::is_same_v<Argument, bool>)
        assert(std::in_range<Parameter>(a));
}
/// Hands a kernel to a fake device.
void submit(Runtime&, std::function<void()> kernel);

extern Position thread_index, block_index, block_size, grid_size;
void barrier();
float shuffle_xor(float value, int mask);
void* shared();

} // namespace emulator

#define threadIdx (::denoir::cuda::emulator::thread_index)
#define blockIdx (::denoir::cuda::emulator::block_index)
#define blockDim (::denoir::cuda::emulator::block_size)
#define gridDim (::denoir::cuda::emulator::grid_size)
inline void __syncthreads() { emulator::barrier(); }
inline float __shfl_xor_sync(unsigned, float value, int mask) { return emulator::shuffle_xor(value, mask); }

template <class T> T* shared_memory() { return static_cast<T*>(emulator::shared()); }

template <class... P> void require_code(Runtime&, void (*)(P...)) {} // kernels on the host are part of this program

template <class... P, class... A> void launch(Runtime& runtime, std::int64_t blocks, Threads threads,
                                              std::size_t shared, void (*kernel)(P...), const A&... arguments) {
    emulator::check_launch(blocks, threads, shared);
    (emulator::check_argument<P>(arguments), ...);
    emulator::submit(runtime,
                     [=] { emulator::run(blocks, threads, shared, [&] { kernel(static_cast<P>(arguments)...); }); });
}

} // namespace denoir::cuda
