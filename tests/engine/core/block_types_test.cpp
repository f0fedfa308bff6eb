// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "engine/core/dtype.h"

namespace denoir {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes from_hex(const std::string& hex) {
    Bytes out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        out.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return out;
}

std::vector<float> widened(DType type, const Bytes& blocks) {
    const auto n = static_cast<std::int64_t>(blocks.size()) / info(type).block_bytes * info(type).block_elements;
    std::vector<float> out(static_cast<std::size_t>(n));
    to_f32(type, blocks.data(), out.data(), n);
    return out;
}

Bytes half(float value) {
    const std::uint16_t bits = f32_to_f16(value);
    return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8)};
}

Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::optional<DType> block_type(std::string_view name) {
    for (DType type = DType::q4_0; type <= DType::iq4_xs; type = static_cast<DType>(static_cast<int>(type) + 1))
        if (info(type).name == name) return type;
    return std::nullopt;
}

TEST(BlockTypes, equal_the_reference_reader) {
    std::ifstream file(DENOIR_FIXTURES "/core/blocks.txt");
    std::string name, blocks, values;
    int types = 0;
    while (file >> name >> blocks >> values) {
        const auto type = block_type(name);
        ASSERT_TRUE(type) << name;
        const std::vector<float> got = widened(*type, from_hex(blocks));
        const Bytes expected = from_hex(values);
        ASSERT_EQ(expected.size(), got.size() * 4) << name;
        for (std::size_t i = 0; i < got.size(); ++i) {
            float want = 0;
            std::memcpy(&want, expected.data() + 4 * i, 4);
            ASSERT_EQ(got[i], want) << name << " element " << i;
        }
        ++types;
    }
    EXPECT_EQ(types, 12);
}

// The vectors that are computed by hand in spec/checkpoints.md 5.4.

TEST(BlockTypes, q4_0) {
    Bytes block = half(0.5f);
    for (std::uint8_t i = 0; i < 16; ++i) block.push_back(static_cast<std::uint8_t>(0x10 + i));
    const auto y = widened(DType::q4_0, block);
    for (std::size_t e = 0; e < 16; ++e) {
        EXPECT_EQ(y[e], -4.0f + 0.5f * static_cast<float>(e));
        EXPECT_EQ(y[e + 16], -3.5f);
    }
}

TEST(BlockTypes, q5_0) {
    Bytes block = half(1) + Bytes{1, 0, 1, 0, 0x21};
    block.resize(22);
    const auto y = widened(DType::q5_0, block);
    for (std::size_t e = 0; e < 32; ++e) EXPECT_EQ(y[e], e == 0 ? 1.0f : e == 16 ? 2.0f : -16.0f) << e;
}

TEST(BlockTypes, q3_k_scales) {
    Bytes block(96, 0); // q = 0 - 4 everywhere
    block = block + Bytes{0x21, 0x43, 0x65, 0x87, 0xA9, 0xCB, 0xED, 0x0F, 0xE4, 0x1B, 0x00, 0xFF} + half(-0.25f);
    const std::array<float, 16> scales = {-31, 19, -27, 23, -7, 11, -19, 31, 2, -12, -26, 24, 26, -20, -18, 16};
    const auto y = widened(DType::q3_k, block);
    for (std::size_t e = 0; e < 256; ++e) EXPECT_EQ(y[e], scales[e / 16]) << e;
}

TEST(BlockTypes, q4_k_scales) {
    const Bytes packed = {0x41, 0x82, 0xC3, 0x04, 0x45, 0x86, 0xC7, 0x08, 0x9A, 0xBC, 0xDE, 0xF0};
    const std::array<std::array<float, 2>, 8> pairs = {
        {{1, 5}, {2, 6}, {3, 7}, {4, 8}, {26, 25}, {44, 43}, {62, 61}, {0, 15}}};
    const auto scale = widened(DType::q4_k, half(1) + half(0) + packed + Bytes(128, 0x11)); // q = 1
    const auto min = widened(DType::q4_k, half(0) + half(-1) + packed + Bytes(128, 0x11));
    for (std::size_t e = 0; e < 256; ++e) {
        EXPECT_EQ(scale[e], pairs[e / 32][0]) << e;
        EXPECT_EQ(min[e], pairs[e / 32][1]) << e;
    }
}

TEST(BlockTypes, q6_k) {
    Bytes block(208, 0);
    block[0] = 0x21;
    block[32] = 0x43;
    block[128] = 0xE4;
    for (std::uint8_t i = 0; i < 16; ++i) block[192 + i] = static_cast<std::uint8_t>(i + 1);
    const auto y = widened(DType::q6_k, block + half(0.5f));
    EXPECT_EQ(y[0], -15.5f);
    EXPECT_EQ(y[32], -19.5f);
    EXPECT_EQ(y[64], 5.0f);
    EXPECT_EQ(y[96], 70.0f);
    EXPECT_EQ(y[1], -16.0f);
    EXPECT_EQ(y[16], -32.0f);
}

TEST(BlockTypes, q8_0_quantises_to_the_nearest_multiple_of_the_largest_over_127) {
    std::vector<float> x(64);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i)) * (i < 32 ? 3.0f : 0.0f);
    Bytes blocks(68);
    from_f32(DType::q8_0, x.data(), blocks.data(), 64);
    const auto y = widened(DType::q8_0, blocks);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], x[i], 0.5f * 3.0f / 127 * 1.03f) << i;
    EXPECT_EQ(y[40], 0.0f); // a block of zeros
}

/// Weights can decay during training until their scale is 0 in half precision, or so small that its reciprocal
/// overflows.
TEST(BlockTypes, q8_0_of_what_is_next_to_nothing_is_zeros) {
    for (const float tiny : {1e-36f, 3e-37f, 1e-38f, 1e-42f, 1e-45f}) {
        std::vector<float> x(32, tiny);
        x[3] = 0;
        Bytes block(34);
        from_f32(DType::q8_0, x.data(), block.data(), 32);
        for (const float y : widened(DType::q8_0, block)) EXPECT_EQ(y, 0.0f) << tiny;
    }
}

TEST(BlockTypes, q8_0_tells_of_values_that_are_not_finite) {
    std::vector<float> x(32, 1.0f);
    x[7] = INFINITY;
    Bytes block(34);
    from_f32(DType::q8_0, x.data(), block.data(), 32);
    for (const float y : widened(DType::q8_0, block)) EXPECT_TRUE(std::isnan(y));
    x[7] = 1e30f; // the scale does not fit into a half
    from_f32(DType::q8_0, x.data(), block.data(), 32);
    for (const float y : widened(DType::q8_0, block)) EXPECT_TRUE(std::isnan(y));
}

} // namespace
} // namespace denoir
