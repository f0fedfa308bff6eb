// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/ops.h"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/core/profile.h"

namespace denoir {
namespace {

class Ops : public testing::Test {
protected:
    Tensor counted(const Shape& shape, DType dtype = DType::f32) {
        std::vector<float> values(static_cast<std::size_t>(shape.elements()));
        std::iota(values.begin(), values.end(), 0.0f);
        return ops::cast(backend->upload(Tensor::from(values, shape)), dtype);
    }
    std::vector<float> values(const Tensor& x) {
        const Tensor host = backend->download(x).to_host_f32();
        return {host.data<float>(), host.data<float>() + host.elements()};
    }
    std::shared_ptr<Backend> backend = open_backend({}, 2);
};

TEST_F(Ops, CastAndContiguousCopyOnlyWhereTheyMust) {
    const Tensor x = counted({3, 4});
    EXPECT_EQ(ops::cast(x, DType::f32).raw(), x.raw());
    EXPECT_EQ(ops::contiguous(x).raw(), x.raw());
    const Tensor turned = ops::contiguous(x.permute({1, 0}));
    EXPECT_TRUE(turned.is_contiguous());
    EXPECT_EQ(values(turned), (std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
    EXPECT_EQ(ops::cast(x, DType::bf16).dtype(), DType::bf16);
}

TEST_F(Ops, LinearKeepsTheLeadingAxes) {
    const Weight w("w", Tensor::from(std::vector<float>{1, 0, 0, 1, 1, 1}, {3, 2}));
    const Tensor out = ops::linear(counted({2, 3, 2}), w, nullptr, {}, DType::f32);
    EXPECT_EQ(out.shape(), Shape({2, 3, 3}));
    EXPECT_EQ(values(out)[17], 21.0f);
    // The rows of this slice of the middle axis do not follow each other in memory.
    const Tensor part = ops::linear(counted({2, 3, 2}).slice(1, 1, 2), w, nullptr, {}, DType::f32);
    EXPECT_EQ(values(part), (std::vector<float>{2, 3, 5, 8, 9, 17}));
}

TEST_F(Ops, NormsKeepTheShape) {
    const Tensor x = counted({2, 3, 4}), ones = ops::add(counted({1, 4}), counted({1, 4}), DType::f32).select(0, 0);
    EXPECT_EQ(ops::layer_norm(x, nullptr, nullptr, 1e-6f, DType::bf16).shape(), x.shape());
    EXPECT_EQ(ops::rms_norm(x, ones, {}, DType::f32).shape(), x.shape());
    EXPECT_EQ(ops::channel_norm(x, ones, true, DType::f32).shape(), x.shape());
    EXPECT_EQ(ops::gated_add(x.reshape({6, 4}), x.reshape({6, 4}), counted({3, 4}), DType::f32).shape(), Shape({6, 4}));
}

TEST_F(Ops, ConvFindsTheSizeOfItsResult) {
    const Weight w("w", Tensor::zeros({5, 3, 3, 3, 3}));
    const Tensor frame = counted({8, 10, 3});
    const std::vector<Tensor> frames = {Tensor(), Tensor(), frame, frame};
    ConvOptions same{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1};
    EXPECT_EQ(ops::conv(frames, w, nullptr, nullptr, same, DType::f32).shape(), Shape({2, 8, 10, 5}));
    same.duplicate = true;
    EXPECT_EQ(ops::conv(frames, w, nullptr, nullptr, same, DType::f32).shape(), Shape({2, 16, 20, 5}));
    const std::vector<Tensor> five(5, frame);
    EXPECT_EQ(ops::conv(five, w, nullptr, nullptr, {.stride = 2, .time_stride = 2, .pad_bottom = 1, .pad_right = 1},
                        DType::f32)
                  .shape(),
              Shape({2, 4, 5, 5}));
}

TEST_F(Ops, AttentionAndGather) {
    const Tensor x = counted({6, 2, 4});
    EXPECT_EQ(ops::attention(x, x, x, {.scale = 0.1f}, DType::bf16).dtype(), DType::bf16);
    const Weight table("t", Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}));
    const std::vector<std::int64_t> ids = {2, 0};
    EXPECT_EQ(values(ops::gather(*backend, table, ids, DType::f32)), (std::vector<float>{5, 6, 1, 2}));
}

// DENOIR_PROFILE must count every kernel, also where the caller gives the memory for the result.
TEST_F(Ops, ResultsInMemoryOfTheCallerAreTheSameAndTimed) {
    const auto calls = [](profile::Zone zone) { return profile::totals()[static_cast<std::size_t>(zone)].calls; };
    const auto timed = [&](profile::Zone zone, const Tensor& expected, auto op) {
        Tensor out = backend->empty(expected.shape(), expected.dtype());
        const std::int64_t before = calls(zone);
        op(out);
        EXPECT_EQ(calls(zone), before + 1) << profile::name(zone);
        EXPECT_EQ(values(out), values(expected)) << profile::name(zone);
    };
    const Tensor x = counted({6, 4}), frame = counted({5, 4, 2}), gamma = counted({1, 4}).select(0, 0);
    const auto weight = [&](const Shape& shape) { return Weight("w", backend->download(counted(shape))); };
    const Weight w = weight({3, 4}), b = weight({3}), kernel = weight({4, 2, 3, 3});
    const ConvOptions same{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1};
    timed(profile::Zone::linear, ops::linear(x, w, &b, {}, DType::bf16),
          [&](Tensor& out) { ops::linear(x, w, &b, {}, out); });
    timed(profile::Zone::convolution, ops::conv({&frame, 1}, kernel, nullptr, nullptr, same, DType::f32),
          [&](Tensor& out) {
              ops::conv({&frame, 1}, kernel, nullptr, nullptr, same, out);
          });
    timed(profile::Zone::norm, ops::channel_norm(x, gamma, true, DType::f32),
          [&](Tensor& out) { ops::channel_norm(x, gamma, true, out); });
    timed(profile::Zone::cast, x, [&](Tensor& out) { ops::copy(x, out); });
    timed(profile::Zone::elementwise, backend->upload(Tensor::zeros({6, 4})),
          [](Tensor& out) { ops::fill(out, 0.0f); });
}

} // namespace
} // namespace denoir
