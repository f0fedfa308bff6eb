// SPDX-License-Identifier: Apache-2.0
// The emulator itself: barriers, exchanges, what it finds.
#include <gtest/gtest.h>

#include <vector>

#include "engine/backend/cuda/fake_runtime.h"
#include "engine/backend/cuda/kernels/reduce.h"
#include "engine/backend/cuda/kernels/rows.h"
#include "engine/backend/cuda/launch.h"

namespace denoir::cuda {
namespace {

__global__ void reverse_kernel(const float* in, float* out, bool careful) {
    float* shared = shared_memory<float>();
    shared[threadIdx.x] = in[threadIdx.x];
    if (careful) __syncthreads();
    out[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

std::vector<float> reversed(bool careful, bool backward) {
    constexpr unsigned n = 70;
    FakeRuntime runtime(1 << 20, backward);
    std::vector<float> values(n), found(n);
    for (unsigned i = 0; i < n; ++i) values[i] = static_cast<float>(i);
    const auto bytes = n * sizeof(float);
    std::byte *in = runtime.allocate(bytes), *out = runtime.allocate(bytes);
    runtime.to_device(in, reinterpret_cast<std::byte*>(values.data()), bytes, Runtime::Queue::compute);
    launch(runtime, 1, {n}, bytes, reverse_kernel, reinterpret_cast<const float*>(in), reinterpret_cast<float*>(out),
           careful);
    runtime.to_host(reinterpret_cast<std::byte*>(found.data()), out, bytes);
    return found;
}

TEST(Emulator, ABarrierMakesEveryOrderTheSame) {
    const std::vector<float> expected = reversed(true, false);
    EXPECT_EQ(expected.front(), 69.0f);
    EXPECT_EQ(expected.back(), 0.0f);
    EXPECT_EQ(reversed(true, true), expected);
}

TEST(Emulator, AMissingBarrierShows) { EXPECT_NE(reversed(false, false), reversed(false, true)); }

/// A rotation reads two values at a time from an address that its caller chooses; other kernels check the address
/// first.
TEST(EmulatorDeathTest, ASeveralfoldAccessAtAnAddressThatACardRefuses) {
    const auto turned = [](std::int64_t at) {
        FakeRuntime runtime(1 << 20);
        RmsNorm a;
        a.factor = RmsNorm::Factor::none;
        a.tokens = 1;
        a.channels = a.head = 4;
        a.x = {runtime.allocate(256) + at, 4, Type::f32};
        a.out = {runtime.allocate(256), 4, Type::f32};
        a.cos = a.sin = reinterpret_cast<const float*>(runtime.allocate(256));
        rms_norm(runtime, a);
        runtime.wait();
    };
    turned(8);
    EXPECT_DEATH(turned(4), "lies_well");
}

__global__ void sum_kernel(const float* in, float* out) {
    const float sum = row_sum(in[threadIdx.y * blockDim.x + threadIdx.x]);
    out[threadIdx.y * blockDim.x + threadIdx.x] = sum;
}

void check_sum(unsigned width, unsigned rows) {
    FakeRuntime runtime(1 << 20);
    std::vector<float> values(width * rows), found(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
    const auto bytes = values.size() * sizeof(float);
    std::byte *in = runtime.allocate(bytes), *out = runtime.allocate(bytes);
    runtime.to_device(in, reinterpret_cast<std::byte*>(values.data()), bytes, Runtime::Queue::compute);
    launch(runtime, 1, {width, rows}, 0, sum_kernel, reinterpret_cast<const float*>(in), reinterpret_cast<float*>(out));
    runtime.to_host(reinterpret_cast<std::byte*>(found.data()), out, bytes);
    for (std::size_t row = 0; row < rows; ++row) {
        float sum = 0;
        for (std::size_t i = 0; i < width; ++i) sum += values[row * width + i];
        for (std::size_t i = 0; i < width; ++i) EXPECT_EQ(found[row * width + i], sum) << row << ", " << i;
    }
}

TEST(Reduce, LanesWarpsAndBlocks) {
    check_sum(1, 7);
    check_sum(4, 32);
    check_sum(4, 5); // a warp that is not full
    check_sum(8, 6);
    check_sum(16, 3);
    check_sum(32, 1);
    check_sum(32, 4);
    check_sum(96, 1);
    check_sum(256, 1);
    check_sum(1024, 1);
}

TEST(FakeRuntime, DeviceMemoryIsLockedForTheHost) {
    FakeRuntime runtime(1 << 20);
    std::byte* memory = runtime.allocate(64);
    EXPECT_DEATH(
        {
            volatile std::byte value = *memory;
            (void)value;
        },
        "");
}

TEST(FakeRuntime, GivesBackAndRefuses) {
    FakeRuntime runtime(1 << 20);
    std::byte* half = runtime.allocate(1 << 19);
    ASSERT_NE(half, nullptr);
    EXPECT_EQ(runtime.allocate((1 << 19) + 1), nullptr);
    runtime.release(half);
    EXPECT_NE(runtime.allocate(1 << 20), nullptr);
    EXPECT_EQ(runtime.free_memory(), 0u);
}

} // namespace
} // namespace denoir::cuda
