// SPDX-License-Identifier: Apache-2.0
#include "engine/media/crop.h"

#include "tests/engine/media/support.h"

namespace denoir {
namespace {

using Size = std::pair<int, int>;

TEST(SkyreelsCrop, ExamplesOfTheSpec) {
    EXPECT_EQ(skyreels_crop(1920, 1080, 960, 544), (CropBox{8, 0, 1912, 1080}));
    EXPECT_EQ(skyreels_crop(1000, 1000, 960, 544), (CropBox{0, 217, 1000, 783}));
    EXPECT_EQ(skyreels_crop(1001, 777, 960, 544), (CropBox{0, 105, 1001, 672}));
    EXPECT_EQ(skyreels_crop(960, 544, 960, 544), (CropBox{0, 0, 960, 544}));
}

TEST(SkyreelsCrop, NeverEmptyAndInsideThePicture) {
    std::vector<Size> sizes = {{1, 16384}, {16384, 1}, {2, 16384}, {16384, 2}};
    for (int width = 1; width <= 12; ++width)
        for (int height = 1; height <= 12; ++height) sizes.emplace_back(width, height);
    for (const auto& [width, height] : sizes)
        for (const auto& [target_width, target_height] : {Size{128, 80}, Size{80, 128}, Size{960, 544}, Size{16, 16}}) {
            const CropBox box = skyreels_crop(width, height, target_width, target_height);
            EXPECT_TRUE(box.left >= 0 && box.left < box.right && box.right <= width && box.top >= 0 &&
                        box.top < box.bottom && box.bottom <= height)
                << width << "x" << height << " to " << target_width << "x" << target_height;
        }
}

TEST(WanSize, ExamplesOfTheSpec) {
    constexpr double p480 = 480 * 832, p720 = 720 * 1280;
    const struct {
        int w, h;
        Size small, large;
    } cases[] = {{1920, 1080, {832, 464}, {1280, 720}},
                 {832, 480, {832, 464}, {1248, 720}},
                 {1024, 1024, {624, 624}, {960, 960}},
                 {720, 1280, {464, 832}, {720, 1280}},
                 {1920, 816, {960, 400}, {1472, 624}}};
    for (const auto& c : cases) {
        EXPECT_EQ(wan_size(c.w, c.h, p480), c.small) << c.w;
        EXPECT_EQ(wan_size(c.w, c.h, p720), c.large) << c.w;
    }
}

TEST(Ti2vSize, ExamplesOfTheSpec) {
    constexpr double area = 704 * 1280;
    const struct {
        int w, h;
        Size size;
    } cases[] = {{1920, 1080, {1248, 704}}, {1080, 1920, {704, 1248}}, {1024, 1024, {960, 928}},
                 {640, 480, {1088, 800}},   {3000, 1000, {1632, 544}}, {1280, 704, {1280, 704}}};
    for (const auto& c : cases) EXPECT_EQ(ti2v_size(c.w, c.h, area), c.size) << c.w;
}

TEST(Crop, InsideAndBeyond) {
    const Image image = test::picture(7, 5);
    const Image part = crop(image, {2, 1, 6, 4});
    ASSERT_EQ(part.width, 4);
    EXPECT_TRUE(std::equal(part.row(2), part.row(2) + 12, image.row(3) + 6));
    const Image wide = crop(image, {-2, -1, 9, 6});
    EXPECT_EQ(wide.rgb[0], 0);
    EXPECT_TRUE(std::equal(image.row(0), image.row(0) + 21, wide.row(1) + 6));
}

} // namespace
} // namespace denoir
