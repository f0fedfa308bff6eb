// SPDX-License-Identifier: Apache-2.0
// Golden numbers: torch 2.8.0 on a CPU with AVX2, and spec/pipelines.md 1.6 for the CUDA generator.
#include "engine/core/random.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace denoir {
namespace {

/// PyTorch's vectorised logarithm and sine differ from the C library's in their last bits.
constexpr float tolerance = 2e-6f;

void expect_values(const Tensor& got, std::initializer_list<float> want, float within = tolerance) {
    const auto values = got.span<float>();
    std::size_t i = 0;
    for (const float expected : want) {
        ASSERT_LT(i, values.size());
        EXPECT_NEAR(values[i], expected, within) << "element " << i;
        ++i;
    }
}

TEST(TorchCpuGenerator, sixteen_numbers) {
    expect_values(TorchCpuGenerator(42).randn({16}),
                  {1.92691529f, 1.48728406f, 0.900717199f, -2.10552096f, 0.678418458f, -1.23454487f, -0.0430674776f,
                   -1.60466695f, -0.752135277f, 1.64872301f, -0.392478645f, -1.40360713f, -0.727881312f, -0.559430182f,
                   -0.768838882f, 0.76244539f});
}

TEST(TorchCpuGenerator, draws_continue_the_stream) {
    TorchCpuGenerator generator(42);
    // 20 is not a multiple of 16: PyTorch then computes the last 16 numbers from 16 further uniform ones.
    expect_values(generator.randn({4, 5}),
                  {1.92691529f,   1.48728406f,  0.900717199f,  -2.10552096f,  -0.758131146f, 1.07831764f,  0.800800562f,
                   1.68062055f,   0.355859905f, -0.686622977f, -0.493356347f, 0.241487786f,  -0.23162432f, 0.041759491f,
                   -0.251575291f, 0.859858513f, -0.309726775f, -0.395710498f, 0.803409338f,  -0.621595383f});
    // Short draws make pairs, and the second number of a pair is kept for the next short draw.
    expect_values(generator.randn({3}), {-0.765838623f, -0.750622332f, 1.35254776f});
    expect_values(generator.randn({2}), {0.686321914f, -0.32775864f});
    expect_values(generator.randn({17}),
                  {-0.913823009f, 0.85641253f, 2.21807575f, 0.523165524f, 0.346646667f, -0.197331443f, -1.05458891f,
                   1.27799559f, 0.145337671f, 0.523788452f, 0.0566218197f, 0.426296145f, 0.575005054f, -0.64172411f,
                   -2.20639849f, -0.750803053f, 2.81402707f});
    expect_values(generator.randn({1}), {0.794968724f});
}

TEST(TorchCpuGenerator, large_seeds) {
    expect_values(TorchCpuGenerator(~std::uint64_t{0}).randn({5}),
                  {1.21976304f, -0.392979473f, 1.0230751f, -0.373421133f, -0.0755101964f});
}

TEST(TorchCpuGenerator, a_whole_latent) {
    const Tensor noise = TorchCpuGenerator((std::uint64_t{1} << 33) + 7).randn({16, 3, 30, 52});
    const auto values = noise.span<float>();
    const std::vector<std::pair<std::size_t, float>> golden = {
        {0, -0.820134521f},   {1, 0.395631164f},    {624, -1.05169916f},  {625, 0.261899024f},
        {40000, 1.54390216f}, {74870, 1.38577008f}, {74879, -1.42159963f}};
    for (const auto& [at, expected] : golden) EXPECT_NEAR(values[at], expected, tolerance) << at;
    double sum = 0, squares = 0;
    for (const float v : values) {
        sum += v;
        squares += static_cast<double>(v) * v;
    }
    EXPECT_NEAR(sum, -326.3334, 1e-3);
    EXPECT_NEAR(squares, 74592.4808, 1e-2);
}

TEST(TorchCpuGenerator, nothing_drawn_changes_nothing) {
    TorchCpuGenerator generator(42);
    EXPECT_EQ(generator.randn({0, 4}).elements(), 0);
    expect_values(generator.randn({16}), {1.92691529f, 1.48728406f});
}

TEST(TorchCudaGenerator, published_numbers) {
    expect_values(TorchCudaGenerator(0, 132).randn({6}),
                  {-0.9246626f, -0.4253441f, -2.6438457f, 0.1451839f, -0.1208665f, -0.5797256f});
    expect_values(TorchCudaGenerator(42, 132).randn({6}),
                  {0.194019f, 2.161374f, -0.172051f, 0.849060f, -1.924399f, 0.652986f});
}

TEST(TorchCudaGenerator, the_card_matters_only_beyond_its_threads) {
    constexpr std::int64_t threads = 2048; // as many as one multiprocessor has
    const Tensor one = TorchCudaGenerator(7, 1).randn({3 * threads}),
                 two = TorchCudaGenerator(7, 2).randn({3 * threads});
    const auto a = one.span<float>(), b = two.span<float>();
    EXPECT_TRUE(std::equal(a.begin(), a.begin() + threads, b.begin()));
    EXPECT_NE(a[threads], b[threads]);     // second lane of thread 0, first lane of thread 2048
    EXPECT_EQ(a[threads], b[2 * threads]); // the same lane of the same thread
}

TEST(TorchCudaGenerator, draws_continue_the_stream) {
    constexpr std::int64_t per_call = 4 * 2048;
    TorchCudaGenerator whole(7, 1), parts(7, 1);
    const Tensor all = whole.randn({3 * per_call});
    parts.randn({2 * per_call - 100}); // the rest of a call that was begun is lost, as on a card
    const Tensor rest = parts.randn({per_call});
    const auto a = all.span<float>(), b = rest.span<float>();
    EXPECT_TRUE(std::equal(b.begin(), b.end(), a.begin() + 2 * per_call));
}

TEST(TorchCudaGenerator, is_standard_normal) {
    const Tensor noise = TorchCudaGenerator(1, 4).randn({200001});
    double sum = 0, squares = 0;
    for (const float v : noise.span<float>()) {
        sum += v;
        squares += static_cast<double>(v) * v;
    }
    EXPECT_NEAR(sum / 200001, 0, 0.01);
    EXPECT_NEAR(squares / 200001, 1, 0.02);
}

} // namespace
} // namespace denoir
