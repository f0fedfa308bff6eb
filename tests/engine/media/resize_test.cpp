// SPDX-License-Identifier: Apache-2.0
#include "engine/media/resize.h"

#include "tests/engine/media/support.h"

namespace denoir {
namespace {

using namespace test;

TEST(ResizePil, EqualsPillowToTheBit) {
    const Image photo = read_image(fixture("photo.png"));
    const std::pair<Filter, const char*> filters[] = {{Filter::box, "box"},
                                                      {Filter::bilinear, "bilinear"},
                                                      {Filter::bicubic, "bicubic"},
                                                      {Filter::lanczos, "lanczos"}};
    for (const auto& [filter, name] : filters)
        for (const auto& [w, h] : {std::pair{96, 54}, {22, 22}, {61, 17}, {20, 43}, {1, 1}}) {
            const std::string file =
                std::string("resize_") + name + "_" + std::to_string(w) + "x" + std::to_string(h) + ".png";
            EXPECT_EQ(resize_pil(photo, w, h, filter), read_image(fixture(file))) << file;
        }
    EXPECT_EQ(resize_pil(photo, photo.width, photo.height, Filter::lanczos), photo);
}

TEST(ResizeBicubicTorch, EqualsPyTorch) {
    Tensor photo = to_tensor(read_image(fixture("photo.png")));
    for (float& v : photo.span<float>()) v = v / 255 * 2 - 1;
    for (const auto& [w, h] : {std::pair{96, 54}, {22, 22}, {40, 43}}) {
        const std::string name = "bicubic_" + std::to_string(w) + "x" + std::to_string(h) + ".f32",
                          bytes = load(fixture(name));
        std::vector<float> expected(bytes.size() / sizeof(float));
        std::memcpy(expected.data(), bytes.data(), bytes.size());
        const Tensor out = resize_bicubic_torch(photo, h, w);
        ASSERT_EQ(out.shape(), (Shape{3, h, w}));
        ASSERT_EQ(static_cast<std::size_t>(out.elements()), expected.size());
        float largest = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            largest = std::max(largest, std::abs(out.data<float>()[i] - expected[i]));
        EXPECT_LE(largest, 2e-6f) << name;
    }
}

// A row of squares, as in spec/clip.md 2.1.
TEST(ResizeBicubicTorch, GoldenRows) {
    const std::vector<float> squares{0, 1, 4, 9, 16, 25, 36, 49};
    const auto row = [&](int n) { return resize_bicubic_torch(Tensor::from(squares, {1, 1, 8}), 1, n); };
    const std::vector<float> half{0.21875f, 6.125f, 20.125f, 43.53125f}, third{0.5960648f, 12.125f, 38.8206f};
    for (std::size_t i = 0; i < half.size(); ++i) EXPECT_NEAR(row(4).data<float>()[i], half[i], 1e-5);
    for (std::size_t i = 0; i < third.size(); ++i) EXPECT_NEAR(row(3).data<float>()[i], third[i], 1e-4);
}

} // namespace
} // namespace denoir
