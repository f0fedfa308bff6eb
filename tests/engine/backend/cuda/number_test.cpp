// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "engine/backend/cuda/kernels/eight_bit.h"
#include "engine/backend/cuda/kernels/matrix.h"
#include "engine/backend/cuda/kernels/rows.h"
#include "engine/backend/cuda/kernels/window.h"
#include "engine/core/dtype.h"

namespace denoir::cuda {
namespace {

bool same(float a, float b) { return to_bits(a) == to_bits(b) || (std::isnan(a) && std::isnan(b)); }

TEST(Number, EverySixteenBitFloatIsWidenedAsByTheCore) {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        EXPECT_TRUE(same(widen(F16{half}), f16_to_f32(half))) << bits;
        EXPECT_TRUE(same(widen(Bf16{half}), bf16{half}.value())) << bits;
    }
}

/// Every 65521st float, which covers all exponents, both signs and some ties.
template <class F> void each_float(F f) {
    for (std::uint64_t u = 0; u <= 0xFFFFFFFFu; u += 65521) f(from_bits(static_cast<std::uint32_t>(u)));
    for (std::uint32_t upper = 0; upper < 65536; ++upper) f(from_bits(upper << 16 | 0x8000u)); // the ties of bf16
}

TEST(Number, NarrowingRoundsAsByTheCore) {
    each_float([](float x) {
        if (!std::isnan(x)) {
            EXPECT_EQ(narrow_bf16(x).bits, bf16::from(x).bits) << x;
            EXPECT_EQ(to_bits(rounded(x)), std::uint32_t{bf16::from(x).bits} << 16) << x;
            EXPECT_EQ(narrow_e4m3(x), f32_to_f8_e4m3(x)) << x;
        }
    });
    for (int bits = 0; bits < 256; ++bits)
        EXPECT_TRUE(same(widen_e4m3(static_cast<std::uint8_t>(bits)), f8_e4m3_to_f32(static_cast<std::uint8_t>(bits))))
            << bits;
    for (int ties = 0; ties < 1024; ++ties) { // halfway between neighbours in e4m3, also between subnormal ones
        const float x = static_cast<float>(ties) * 0x1p-11f;
        EXPECT_EQ(narrow_e4m3(x), f32_to_f8_e4m3(x)) << x;
    }
}

TEST(Number, IntegersAreRoundedAndBounded) {
    EXPECT_EQ(eight_bit_value(EightBit::int8, quantised(EightBit::int8, -3.0f, 42.0f)), -126.0f);
    EXPECT_EQ(eight_bit_value(EightBit::int8, quantised(EightBit::int8, 1e9f, 1.0f)), 127.0f);
    EXPECT_EQ(eight_bit_value(EightBit::int8, quantised(EightBit::int8, 2.5f, 1.0f)), 2.0f);
}

TEST(RowShape, ItsThreadsHoldTheRow) {
    for (const int pack : {1, 2, 8})
        for (int channels = 1; channels < 20000; ++channels) {
            const RowShape shape = RowShape::of(channels, pack);
            ASSERT_LE(shape.width * shape.rows, RowShape::block) << channels;
            ASSERT_TRUE(shape.packs == 0 || shape.width * shape.packs * pack >= channels) << channels;
            // Rows share a warp, or take whole warps of a block.
            ASSERT_EQ(shape.rows > 1 ? RowShape::warp % shape.width : shape.width % RowShape::warp, 0) << channels;
        }
    EXPECT_EQ(RowShape::of(96, 8).width, 4);
    EXPECT_EQ(RowShape::of(6144, 8).packs, RowShape::few);
    EXPECT_EQ(RowShape::of(6152, 8).packs, 0);
}

TEST(Causal, KeysThatAreSeen) {
    EXPECT_EQ(visible_keys(7, 100, 0), 100);
    EXPECT_EQ(visible_keys(0, 100, 30), 30);
    EXPECT_EQ(visible_keys(29, 100, 30), 30);
    EXPECT_EQ(visible_keys(30, 100, 30), 60);
    EXPECT_EQ(visible_keys(95, 100, 30), 100);
}

TEST(Window, BorderAndDuplication) {
    Window w;
    w.height = 3;
    w.width = 4;
    w.pad_top = 1;
    w.pad_left = 2;
    Pixel at{};
    EXPECT_FALSE(source(w, 0, 3, at));
    EXPECT_FALSE(source(w, 2, 1, at));
    EXPECT_FALSE(source(w, 4, 2, at));
    ASSERT_TRUE(source(w, 3, 5, at));
    EXPECT_EQ(at.y, 2);
    EXPECT_EQ(at.x, 3);
    w.duplicate = true;
    ASSERT_TRUE(source(w, 6, 9, at));
    EXPECT_EQ(at.y, 2);
    EXPECT_EQ(at.x, 3);
    EXPECT_FALSE(source(w, 7, 9, at));
}

} // namespace
} // namespace denoir::cuda
