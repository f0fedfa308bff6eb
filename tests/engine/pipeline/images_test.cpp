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
    for (const ImageRule rule : {ImageRule::wan, ImageRule::skyreels, ImageRule::ti2v}) {
        const SeenImage seen = see_image(image, image, {.rule = rule, .size = {32, 16}});
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
        see_image(image, image, {.rule = ImageRule::skyreels, .size = {32, 16}, .clip_side = 224, .bf16_pixels = true});
    for (const float v : seen.pixels.span<float>()) EXPECT_EQ(v, round_to_bf16(v));
    EXPECT_EQ(seen.clip.shape(), (Shape{3, 224, 224}));
}

TEST(SeenImage, GreyBecomesTheNumbersOfTheSpecification) {
    Image grey(48, 48);
    std::fill(grey.rgb.begin(), grey.rgb.end(), std::uint8_t(128));
    // spec/clip.md 2.1 maps the middle to 0.069037, 0.161393 and 0.332839. A grey of 128 lies half a level above it.
    const double expected[3] = {0.069037 + 0.5 / 255 / 0.26862954, 0.161393 + 0.5 / 255 / 0.26130258,
                                0.332839 + 0.5 / 255 / 0.27577711};
    for (const ImageRule rule : {ImageRule::wan, ImageRule::skyreels}) {
        const SeenImage seen = see_image(grey, grey, {.rule = rule, .size = {32, 16}, .clip_side = 224});
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(seen.clip.data<float>()[c * 224 * 224 + 5000], expected[c], 2e-5);
    }
}

TEST(SeenImage, WanSqueezesAndSkyReelsCrops) {
    // The left half is black and the right half white. The picture is twice as wide as the target, and a crop keeps its
    // edge in place.
    Image image(64, 16);
    for (int y = 0; y < 16; ++y) std::fill(image.row(y) + 3 * 32, image.row(y) + 3 * 64, std::uint8_t(255));
    const auto left_edge = [&](ImageRule rule) {
        return see_image(image, image, {.rule = rule, .size = {32, 16}}).pixels.data<float>()[12];
    };
    EXPECT_LT(left_edge(ImageRule::wan), -0.9f);
    EXPECT_LT(left_edge(ImageRule::skyreels), -0.9f);
    // Two pixels right of the edge only the cropped picture is white, because the squeezed one is blurred there.
    const SeenImage cropped = see_image(image, image, {.rule = ImageRule::forcing, .size = {32, 16}});
    EXPECT_EQ(cropped.pixels.data<float>()[17], 1.0f);
}

/// spec/pipelines.md 7.6: the frames of a video that goes on are squeezed to the size, where an image would be cropped.
TEST(SeenImage, AFrameOfAVideoThatGoesOnIsSeenWhole) {
    Image image(64, 16); // its outer quarters are white, and a crop to a square would lose them
    for (int y = 0; y < 16; ++y) {
        std::fill(image.row(y), image.row(y) + 3 * 16, std::uint8_t(255));
        std::fill(image.row(y) + 3 * 48, image.row(y) + 3 * 64, std::uint8_t(255));
    }
    const auto corner = [&](ImageRule rule) {
        return see_image(image, image, {.rule = rule, .size = {32, 32}}).pixels.data<float>()[0];
    };
    EXPECT_EQ(corner(ImageRule::frame), 1.0f);
    EXPECT_EQ(corner(ImageRule::forcing), -1.0f);
}

/// spec/pipelines.md 5: 1920x1080 is scaled to 1252x704 and loses two columns on either side.
TEST(SeenImage, Ti2vCoversTheVideoAndCutsTheMiddle) {
    Image image(192, 108);
    for (int y = 0; y < 108; ++y) std::fill(image.row(y) + 3 * 96, image.row(y) + 3 * 192, std::uint8_t(255));
    const SeenImage seen = see_image(image, image, {.rule = ImageRule::ti2v, .size = {96, 96}});
    ASSERT_EQ(seen.pixels.shape(), (Shape{3, 96, 96}));
    // The picture is scaled to 171x96 and cut from column 37 on, so its edge lies at 48.5.
    EXPECT_LT(seen.pixels.data<float>()[46], -0.95f);
    EXPECT_GT(seen.pixels.data<float>()[51], 0.95f);
}

TEST(SeenImage, ALastFrameOfAnotherSizeIsFittedToTheFirst) {
    const Image first = gradient(64, 32), last = gradient(100, 100);
    const SeenImage seen = see_image(last, first, {.rule = ImageRule::wan, .size = {64, 32}});
    ASSERT_EQ(seen.pixels.shape(), (Shape{3, 32, 64}));
    // The picture is scaled to 64x64 and cut to rows 16 … 47, so its vertical ramp starts at a quarter.
    EXPECT_NEAR(seen.pixels.data<float>()[1 * 32 * 64 + 32], 2 * 0.26 - 1, 0.03);
}

/// Wan 2.1's first_last_frame2video.py gives the cropped last frame to both the VAE and CLIP.
TEST(SeenImage, ALastFrameIsCroppedForClipToo) {
    const Image first = gradient(64, 32);
    Image last(64, 64); // black except for the middle, which is all that the first frame's aspect leaves of it
    for (int y = 16; y < 48; ++y) std::fill(last.row(y), last.row(y) + 3 * 64, std::uint8_t(255));
    const SeenImage seen = see_image(last, first, {.rule = ImageRule::wan, .size = {64, 32}, .clip_side = 224});
    for (const float v : seen.pixels.span<float>()) EXPECT_NEAR(v, 1, 1e-5);
    const auto [low, high] = std::minmax_element(seen.clip.data<float>(), seen.clip.data<float>() + 224 * 224);
    EXPECT_NEAR(*low, *high, 1e-4);
}

TEST(SeenImage, ThinPicturesAreNotScaledToGigabytes) {
    const Image wide(1000, 1), tall(1, 1000), line(16384, 1);
    EXPECT_THROW(see_image(tall, wide, {.rule = ImageRule::wan, .size = {32, 32}}), Error);
    EXPECT_THROW(see_image(line, line, {.rule = ImageRule::ti2v, .size = {32, 1024}}), Error);
    EXPECT_THROW(see_image(line, line, {.rule = ImageRule::diffusers, .size = {32, 32}, .clip_side = 224}), Error);
    // An equally thin picture is accepted where the scaled one stays small.
    const auto pixels = [](const Image& image, const Image& first, ImageRule rule) {
        return see_image(image, first, {.rule = rule, .size = {32, 32}}).pixels.shape();
    };
    EXPECT_EQ(pixels(line, line, ImageRule::wan), (Shape{3, 32, 32}));
    EXPECT_EQ(pixels(line, line, ImageRule::ti2v), (Shape{3, 32, 32}));
    EXPECT_EQ(pixels(line, tall, ImageRule::diffusers), (Shape{3, 32, 32}));
    EXPECT_EQ(pixels(Image(100, 1), Image(1, 100), ImageRule::wan), (Shape{3, 32, 32}));
    // A landscape with a portrait, and a small picture with a large one, are ordinary.
    const auto accepted = [](PictureSize image, PictureSize first) {
        check_aspect(image, first, {.rule = ImageRule::wan, .size = {832, 480}, .clip_side = 224});
    };
    EXPECT_NO_THROW(accepted({6144, 10240}, {10240, 6144}));
    EXPECT_NO_THROW(accepted({90, 160}, {1920, 1080}));
}

} // namespace
} // namespace denoir
