// SPDX-License-Identifier: Apache-2.0
#include "engine/core/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace denoir {
namespace {

/// The value of a small IEEE-like number, computed in f64 from the definition.
double defined_value(unsigned bits, int mantissa_bits, int exponent_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const auto mantissa = static_cast<double>(bits & ((1u << mantissa_bits) - 1));
    const int exponent = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
    const double one = std::ldexp(1.0, mantissa_bits);
    return exponent ? std::ldexp(one + mantissa, exponent - bias - mantissa_bits)
                    : std::ldexp(mantissa, 1 - bias - mantissa_bits);
}

/// Rounds every non-negative finite value of the type, the points halfway between neighbours, and the f32 numbers next
/// to those. Each value of the type must keep its own bits.
template <class Narrow>
void check_rounding(Narrow narrow, int mantissa_bits, int exponent_bits, unsigned largest, unsigned sign) {
    for (unsigned bits = 0; bits < largest; ++bits) {
        const double low = defined_value(bits, mantissa_bits, exponent_bits);
        const double high = defined_value(bits + 1, mantissa_bits, exponent_bits);
        const auto middle = static_cast<float>((low + high) / 2); // exact: f32 is wide enough
        const unsigned even = bits % 2 ? bits + 1 : bits;
        ASSERT_EQ(narrow(static_cast<float>(low)), bits);
        ASSERT_EQ(narrow(middle), even) << middle;
        ASSERT_EQ(narrow(std::nextafter(middle, 0.0f)), bits) << middle;
        ASSERT_EQ(narrow(std::nextafter(middle, INFINITY)), bits + 1) << middle;
        ASSERT_EQ(narrow(-middle), even | sign) << middle;
    }
    ASSERT_EQ(narrow(static_cast<float>(defined_value(largest, mantissa_bits, exponent_bits))), largest);
    ASSERT_EQ(narrow(1e-30f), 0u);
    ASSERT_EQ(narrow(1e-44f), 0u);
    ASSERT_EQ(narrow(-0.0f), sign);
}

TEST(DType, names_and_sizes) {
    EXPECT_EQ(info(DType::q4_k).name, "q4_k");
    EXPECT_EQ(info(DType::q6_k).block_bytes, 210);
    EXPECT_EQ(info(DType::iq4_xs).block_elements, 256);
    EXPECT_EQ(info(DType::iq4_xs).name, "iq4_xs");
    EXPECT_EQ(element_bytes(DType::f64), 8);
    EXPECT_EQ(dtype_from_safetensors("F8_E5M2"), DType::f8_e5m2);
    EXPECT_EQ(dtype_from_safetensors("BOOL"), DType::boolean);
    EXPECT_EQ(dtype_from_safetensors(""), std::nullopt);
    EXPECT_EQ(dtype_from_safetensors("C64"), std::nullopt);
    EXPECT_TRUE(is_block(DType::q8_0));
    EXPECT_FALSE(is_block(DType::f8_e4m3));
    EXPECT_FALSE(is_float(DType::boolean));
    EXPECT_TRUE(is_float(DType::iq4_nl));
}

TEST(DType, every_half_is_widened_exactly) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const float got = f16_to_f32(static_cast<std::uint16_t>(bits));
        const unsigned magnitude = bits & 0x7FFF;
        ASSERT_EQ(std::signbit(got), bits >= 0x8000);
        if (magnitude > 0x7C00)
            ASSERT_TRUE(std::isnan(got)) << bits;
        else if (magnitude == 0x7C00)
            ASSERT_TRUE(std::isinf(got)) << bits;
        else
            ASSERT_EQ(std::fabs(got), defined_value(magnitude, 10, 5)) << bits;
    }
}

TEST(DType, half_rounds_to_nearest_even) {
    check_rounding([](float f) { return f32_to_f16(f); }, 10, 5, 0x7BFF, 0x8000);
    EXPECT_EQ(f32_to_f16(65519.996f), 0x7BFF);
    EXPECT_EQ(f32_to_f16(65520.0f), 0x7C00);
    EXPECT_EQ(f32_to_f16(-INFINITY), 0xFC00);
    EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(NAN))));
}

TEST(DType, bf16_rounds_to_nearest_even) {
    EXPECT_EQ(bf16::from(1.0f).bits, 0x3F80);
    EXPECT_EQ(round_to_bf16(1.00390625f), 1.0f);      // halfway, down to even
    EXPECT_EQ(round_to_bf16(1.01171875f), 1.015625f); // halfway, up to even
    EXPECT_EQ(round_to_bf16(1.0039064f), 1.0078125f);
    EXPECT_TRUE(std::isnan(round_to_bf16(NAN)));
    EXPECT_TRUE(std::isnan(round_to_bf16(std::bit_cast<float>(0x7F800001u))));
    EXPECT_TRUE(std::isinf(round_to_bf16(3.4028235e38f)));
}

TEST(DType, fp8_values_of_the_specification) {
    EXPECT_EQ(f8_e4m3_to_f32(0x01), 0.001953125f);
    EXPECT_EQ(f8_e4m3_to_f32(0x38), 1.0f);
    EXPECT_EQ(f8_e4m3_to_f32(0x3C), 1.5f);
    EXPECT_EQ(f8_e4m3_to_f32(0x7E), 448.0f);
    EXPECT_EQ(f8_e4m3_to_f32(0xFE), -448.0f);
    EXPECT_TRUE(std::isnan(f8_e4m3_to_f32(0x7F)));
    EXPECT_TRUE(std::isnan(f8_e4m3_to_f32(0xFF)));
    EXPECT_EQ(f8_e5m2_to_f32(0x3C), 1.0f);
    EXPECT_EQ(f8_e5m2_to_f32(0x3E), 1.5f);
    EXPECT_EQ(f8_e5m2_to_f32(0x7B), 57344.0f);
    EXPECT_TRUE(std::isinf(f8_e5m2_to_f32(0x7C)));
}

TEST(DType, fp8_rounds_to_nearest_even_and_saturates) {
    check_rounding([](float f) { return f32_to_f8_e4m3(f); }, 3, 4, 0x7E, 0x80);
    check_rounding([](float f) { return f32_to_f8_e5m2(f); }, 2, 5, 0x7B, 0x80);
    EXPECT_EQ(f32_to_f8_e4m3(1e6f), 0x7E);
    EXPECT_EQ(f32_to_f8_e4m3(-INFINITY), 0xFE);
    EXPECT_EQ(f32_to_f8_e5m2(INFINITY), 0x7B);
    EXPECT_EQ(f32_to_f8_e4m3(NAN) & 0x7F, 0x7F);
    EXPECT_TRUE(std::isnan(f8_e5m2_to_f32(f32_to_f8_e5m2(NAN))));
}

TEST(DType, arrays_equal_single_values_from_any_address) {
    constexpr std::int64_t n = 67; // not a multiple of any vector length
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = std::sin(static_cast<float>(i)) * std::ldexp(1.0f, static_cast<int>(i % 13) - 6);
    const auto round_trip = [&](DType type, std::size_t shift) {
        std::vector<std::byte> memory(n * 8 + shift);
        std::vector<float> y(n);
        from_f32(type, x.data(), memory.data() + shift, n);
        to_f32(type, memory.data() + shift, y.data(), n);
        return y;
    };
    for (const std::size_t shift : {0u, 1u, 3u}) {
        EXPECT_EQ(round_trip(DType::f32, shift), x);
        EXPECT_EQ(round_trip(DType::f64, shift), x);
        const auto half = round_trip(DType::f16, shift), brain = round_trip(DType::bf16, shift);
        const auto e4 = round_trip(DType::f8_e4m3, shift), e5 = round_trip(DType::f8_e5m2, shift);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_EQ(half[i], f16_to_f32(f32_to_f16(x[i])));
            EXPECT_EQ(brain[i], round_to_bf16(x[i]));
            EXPECT_EQ(e4[i], f8_e4m3_to_f32(f32_to_f8_e4m3(x[i])));
            EXPECT_EQ(e5[i], f8_e5m2_to_f32(f32_to_f8_e5m2(x[i])));
        }
    }
}

TEST(DType, integers_are_widened) {
    const std::vector<std::int64_t> wide = {-3, 0, 1000000};
    const std::vector<std::uint8_t> narrow = {0, 1, 255};
    std::vector<float> out(3);
    to_f32(DType::i64, wide.data(), out.data(), 3);
    EXPECT_EQ(out, (std::vector<float>{-3, 0, 1e6f}));
    to_f32(DType::u8, narrow.data(), out.data(), 3);
    EXPECT_EQ(out, (std::vector<float>{0, 1, 255}));
    to_f32(DType::i8, narrow.data(), out.data(), 3);
    EXPECT_EQ(out, (std::vector<float>{0, 1, -1}));
    to_f32(DType::boolean, narrow.data(), out.data(), 3);
    EXPECT_EQ(out, (std::vector<float>{0, 1, 1}));
}

} // namespace
} // namespace denoir
