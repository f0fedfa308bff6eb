// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/images.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/error.h"

namespace denoir {
namespace {

Image gradient(int width, int height) {
    Image image(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            std::uint8_t* p = image.row(y) + 3 * x;
            p[0] = std::uint8_t(255 * x / std::max(width - 1, 1));
            p[1] = std::uint8_t(255 * y / std::max(height - 1, 1));
            p[2] = std::uint8_t((x * 7 + y * 13) % 256);
        }
    return image;
}

TEST(SeenImage, TheSameSizeIsOnlyMappedToTheUnitRange) {
    const Image image = gradient(32, 16);
    for (const Family family : {Family::wan, Family::skyreels}) {
        const SeenImage seen = see_image(image, image, family, Mode::i2v, Preprocess::original, 32, 16, 0, false);
        ASSERT_EQ(seen.pixels.shape(), (Shape{3, 16, 32}));
        EXPECT_FALSE(seen.clip.defined());
        for (int c = 0; c < 3; ++c)
            for (int y = 0; y < 16; ++y)
                for (int x = 0; x < 32; ++x)
                    EXPECT_NEAR(seen.pixels.data<float>()[(c * 16 + y) * 32 + x], image.row(y)[3 * x + c] / 127.5 - 1,
                                2e-7);
    }
}

TEST(SeenImage, SkyReelsRoundsItsPixelsInBf16) {
    const Image image = gradient(32, 16);
    const SeenImage seen =
        see_image(image, image, Family::skyreels, Mode::i2v, Preprocess::original, 32, 16, 224, true);
    for (const float v : seen.pixels.span<float>()) EXPECT_EQ(v, round_to_bf16(v));
    EXPECT_EQ(seen.clip.shape(), (Shape{3, 224, 224}));
}

TEST(SeenImage, GreyBecomesTheNumbersOfTheSpecification) {
    Image grey(48, 48);
    std::fill(grey.rgb.begin(), grey.rgb.end(), std::uint8_t(128));
    // spec/clip.md 2.1: 0 -> 0.069037, 0.161393, 0.332839; 128 is 0.00392 above the middle.
    const double expected[3] = {0.069037 + 0.5 / 255 / 0.26862954, 0.161393 + 0.5 / 255 / 0.26130258,
                                0.332839 + 0.5 / 255 / 0.27577711};
    for (const Family family : {Family::wan, Family::skyreels}) {
        const SeenImage seen = see_image(grey, grey, family, Mode::i2v, Preprocess::original, 32, 16, 224, false);
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(seen.clip.data<float>()[c * 224 * 224 + 5000], expected[c], 2e-5);
    }
}

TEST(SeenImage, WanSqueezesAndSkyReelsCrops) {
    // Left half black, right half white, twice as wide as the target: a crop keeps the edge where it is.
    Image image(64, 16);
    for (int y = 0; y < 16; ++y) std::fill(image.row(y) + 3 * 32, image.row(y) + 3 * 64, std::uint8_t(255));
    const auto left_edge = [&](Family family) {
        const SeenImage seen = see_image(image, image, family, Mode::i2v, Preprocess::original, 32, 16, 0, false);
        return seen.pixels.data<float>()[12];
    };
    EXPECT_LT(left_edge(Family::wan), -0.9f);
    EXPECT_LT(left_edge(Family::skyreels), -0.9f);
    // Only the cropped picture reaches white within the first columns after its middle.
    const SeenImage cropped =
        see_image(image, image, Family::skyreels, Mode::forcing, Preprocess::original, 32, 16, 0, false);
    EXPECT_EQ(cropped.pixels.data<float>()[17], 1.0f);
}

TEST(SeenImage, ALastFrameOfAnotherSizeIsFittedToTheFirst) {
    const Image first = gradient(64, 32), last = gradient(100, 100);
    const SeenImage seen = see_image(last, first, Family::wan, Mode::flf2v, Preprocess::original, 64, 32, 0, false);
    ASSERT_EQ(seen.pixels.shape(), (Shape{3, 32, 64}));
    // Scaled to 64x64 and cropped to rows 16 … 47: the vertical ramp starts at a quarter.
    EXPECT_NEAR(seen.pixels.data<float>()[1 * 32 * 64 + 32], 2 * 0.26 - 1, 0.03);
}

TEST(SeenImage, ThinPicturesAreNotScaledToGigabytes) {
    const Image wide(1000, 1), tall(1, 1000), line(16384, 1);
    EXPECT_THROW(see_image(tall, wide, Family::wan, Mode::flf2v, Preprocess::original, 32, 32, 0, false), Error);
    EXPECT_THROW(see_image(line, line, Family::skyreels, Mode::i2v, Preprocess::diffusers, 32, 32, 224, false), Error);
    // What stays small is made, be it as thin.
    const auto pixels = [](const Image& image, const Image& first, Preprocess preprocess) {
        return see_image(image, first, Family::wan, Mode::flf2v, preprocess, 32, 32, 0, false).pixels.shape();
    };
    EXPECT_EQ(pixels(line, line, Preprocess::original), (Shape{3, 32, 32}));
    EXPECT_EQ(pixels(line, tall, Preprocess::diffusers), (Shape{3, 32, 32}));
    EXPECT_EQ(pixels(Image(100, 1), Image(1, 100), Preprocess::original), (Shape{3, 32, 32}));
    // Landscape and portrait, large and small.
    const auto accepted = [](PictureSize image, PictureSize first) {
        check_aspect(image, first, Family::wan, Mode::flf2v, Preprocess::original, 224);
    };
    EXPECT_NO_THROW(accepted({6144, 10240}, {10240, 6144}));
    EXPECT_NO_THROW(accepted({90, 160}, {1920, 1080}));
}

} // namespace
} // namespace denoir
