// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/weight_stream.h"

#include <gtest/gtest.h>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/core/error.h"
#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

/// The parameter says whether the card puts off its kernels or its transfers.
struct WeightStream : testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(PutOff, WeightStream, testing::Bool());

struct Streaming {
    Emulated device{std::size_t{1} << 30, cuda::EightBit::off, WeightStream::GetParam()};
    ThreadPool pool{2};
    Arena pinned{nullptr, cuda::pinned_memory(device.runtime)};
    cuda::Staging staging{*device.runtime, pool, pinned, {256, 2}};
    cuda::WeightStream stream{*device.runtime, staging};
    std::vector<std::shared_ptr<const cuda::StreamedWeight>> weights;

    Streaming(int count, std::int64_t ring) {
        for (int i = 0; i < count; ++i) {
            Tensor source = Tensor::host({100 + 30 * i});
            for (float& v : source.span<float>()) v = static_cast<float>(i);
            const auto read = [source](std::int64_t begin, std::int64_t end, std::byte* to) {
                std::memcpy(to, source.data<float>() + begin, static_cast<std::size_t>(end - begin) * sizeof(float));
            };
            weights.push_back(std::make_shared<const cuda::StreamedWeight>(
                device.runtime, pool, source.shape(), source.dtype(), [read] { return read; }, i % 3 != 0));
        }
        stream.set_ring(device.backend->empty({ring}, DType::u8));
    }
    void expect_fetched(std::size_t i) {
        const Tensor there = stream.fetch(weights[i]);
        EXPECT_EQ(there.shape(), weights[i]->shape());
        EXPECT_EQ(doubles(there),
                  std::vector<double>(static_cast<std::size_t>(there.elements()), static_cast<double>(i)));
    }
};

TEST_P(WeightStream, ASteadyRoundIsForeseen) {
    Streaming s(8, 4096);
    for (int round = 0; round < 5; ++round)
        for (std::size_t i = 0; i < s.weights.size(); ++i) s.expect_fetched(i);
    EXPECT_LE(s.stream.late(), 9);                     // the first round, and at most the first weight of the second
    EXPECT_EQ(s.device.runtime->pageable_bytes(), 0u); // in pinned memory or not
}

TEST_P(WeightStream, ASourceThatThrowsLeavesNothingPinned) {
    const Emulated device;
    ThreadPool pool(1);
    const auto cancelled = []() -> cuda::ReadRows { throw Cancelled(); };
    EXPECT_THROW(cuda::StreamedWeight(device.runtime, pool, {100}, DType::f32, cancelled, true), Cancelled);
    EXPECT_EQ(device.runtime->pinned_blocks(), 0u);
}

TEST_P(WeightStream, WhatFitsIsCopiedOnce) {
    Streaming s(3, 4096);
    for (int round = 0; round < 6; ++round)
        for (std::size_t i = 0; i < 3; ++i) s.expect_fetched(i);
    EXPECT_EQ(s.stream.copies(), 3);
}

TEST_P(WeightStream, AnyOrderIsRight) {
    Streaming s(9, 3000);
    std::uint32_t state = 7;
    for (int i = 0; i < 400; ++i) {
        state = state * 1664525u + 1013904223u;
        s.expect_fetched((state >> 16) % 9);
        if (state >> 30 == 0) s.expect_fetched((state >> 16) % 9); // every fourth time twice the same
    }
}

TEST_P(WeightStream, NoCopyOvertakesTheKernelsBefore) {
    Streaming s(8, 2000);
    std::vector<Tensor> found;
    for (int round = 0; round < 3; ++round)
        for (const auto& weight : s.weights) {
            const Tensor there = s.stream.fetch(weight);
            found.push_back(s.device.backend->empty(there.shape(), there.dtype()));
            s.device.backend->copy(there, found.back()); // nobody waits for it yet
        }
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_EQ(doubles(found[i]), std::vector<double>(static_cast<std::size_t>(found[i].elements()),
                                                         static_cast<double>(i % s.weights.size())))
            << i;
}

TEST_P(WeightStream, ARingOfOneWeight) {
    Streaming s(4, 1024);
    for (int round = 0; round < 3; ++round)
        for (std::size_t i = 0; i < 4; ++i) s.expect_fetched(i);
}

TEST_P(WeightStream, RefusesWhatTheRingCannotHold) {
    Streaming s(8, 1024); // the last weight has 310 floats
    s.expect_fetched(0);
    EXPECT_THROW(s.stream.fetch(s.weights[7]), Error);
    s.expect_fetched(1);
}

} // namespace
} // namespace denoir::test
