// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/alignment.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "engine/core/error.h"
#include "tests/engine/metrics/pictures.h"

namespace denoir::metrics {
namespace {

/// Frame `t` of a moving scene.
Signature scene(int t, int width = 96, int height = 64) {
    const auto b = test::bytes(test::picture(width, height, 1, std::uint64_t(3 * t)));
    return signature(test::view(b, width, height));
}

std::vector<Signature> frames(int begin, int count, int step = 1) {
    std::vector<Signature> all;
    for (int i = 0; i < count; ++i) all.push_back(scene(begin + i * step));
    return all;
}

TEST(Alignment, FindsWhereOneBeginsLater) {
    const std::vector<Signature> long_one = frames(0, 40), later = frames(7, 25);
    EXPECT_EQ(align(later, long_one, 100).offset, 7);
    EXPECT_EQ(align(long_one, later, 100).offset, -7);
    EXPECT_TRUE(align(long_one, later, 100).certain);
    EXPECT_EQ(align(long_one, long_one, 100).offset, 0);
    EXPECT_TRUE(align(long_one, long_one, 100).certain);
}

TEST(Alignment, LimitIsKept) {
    const Alignment found = align(frames(9, 30), frames(0, 40), 4);
    EXPECT_EQ(found.offset, 0);
    EXPECT_FALSE(found.certain);
    EXPECT_EQ(align(frames(9, 30), frames(0, 40), 9).offset, 9);
    EXPECT_EQ(align(frames(0, 40), frames(9, 30), 9).offset, -9);
}

TEST(Alignment, StillPicturesStayWhereTheyAre) {
    const std::vector<Signature> still(12, scene(3));
    const Alignment found = align(still, still, 50);
    EXPECT_EQ(found.offset, 0);
    EXPECT_FALSE(found.certain);
}

TEST(Alignment, DifferentScenesAreNotAligned) {
    std::vector<Signature> inverse = frames(0, 20);
    for (Signature& s : inverse)
        for (float& v : s) v = 255 - v;
    const Alignment found = align(frames(3, 20), inverse, 50);
    EXPECT_EQ(found.offset, 0);
    EXPECT_FALSE(found.certain);
}

/// Different pictures of scenes with the same light match as well as they can and are still not the same.
TEST(Alignment, PicturesThatOnlyResembleAreNotAligned) {
    std::vector<Signature> brighter = frames(0, 40);
    for (Signature& s : brighter)
        for (float& v : s) v += 10;
    EXPECT_TRUE(align(frames(7, 25), brighter, 100).certain); // another codec may change the brightness like this
    for (Signature& s : brighter)
        for (float& v : s) v += 4;
    const Alignment found = align(frames(7, 25), brighter, 100);
    EXPECT_FALSE(found.certain);
    EXPECT_EQ(found.offset, 0);
}

TEST(Alignment, OneFrame) {
    const std::vector<Signature> one = frames(0, 1), three = frames(0, 3);
    EXPECT_EQ(align(one, one, 10).offset, 0);
    EXPECT_EQ(align(one, three, 10).error, 0);
}

TEST(Alignment, SignatureKnowsAFrameInAnySize) {
    const std::vector<std::uint8_t> grey(3 * 64 * 48, 100), small_grey(3 * 5 * 3, 100);
    EXPECT_NEAR(double(signature(test::view(grey, 64, 48))[17]), 100, 1e-3);
    EXPECT_NEAR(double(signature(test::view(small_grey, 5, 3))[255]), 100, 1e-3);
}

/// In a picture smaller than the grid each cell is still at least one pixel.
TEST(Alignment, SignatureOfAFewPixels) {
    const std::uint8_t pixels[3][3] = {{10, 10, 10}, {20, 20, 20}, {30, 30, 30}};
    for (const auto& [width, height] : {std::pair{3, 1}, {1, 3}, {1, 1}}) {
        const Signature s = signature({&pixels[0][0], width, height});
        EXPECT_NEAR(s.front(), 10, 1e-4) << width;
        EXPECT_NEAR(s.back(), width * height == 3 ? 30 : 10, 1e-4) << width;
        for (const float v : s) EXPECT_TRUE(v > 9.9f && v < 30.1f) << v;
    }
}

TEST(Alignment, CanBeStopped) {
    std::stop_source stop;
    stop.request_stop();
    const std::vector<Signature> still(3);
    EXPECT_THROW(align(still, still, 2, stop.get_token()), Cancelled);
}

} // namespace
} // namespace denoir::metrics
