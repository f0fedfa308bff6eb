// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/report_parts.h"

#include <gtest/gtest.h>

#include "tests/engine/text_search.h"

namespace denoir::report {
namespace {

using test::holds;

TEST(ReportParts, Figures) {
    EXPECT_EQ(figure_text(1.26, 1), "1.3");
    EXPECT_EQ(figure_text({}, 1), "–");
    EXPECT_EQ(figure_text({}, 1, "equal"), "equal");
    EXPECT_EQ(decibels(36.614), "36.61 dB");
    EXPECT_EQ(decibels({}), "equal");
}

TEST(ReportParts, Shares) {
    const std::uint64_t counts[]{1, 0, 3}, none[]{0, 0};
    EXPECT_EQ(shares(counts), (std::vector<std::optional<double>>{25, 0, 75}));
    EXPECT_EQ(shares(none), (std::vector<std::optional<double>>{0, 0}));
}

TEST(ReportParts, SmallPicturesAreEnlargedWithoutSmoothing) {
    EXPECT_TRUE(holds(picture(Image(199, 16), "A"), "class=\"tiny\""));
    EXPECT_FALSE(holds(picture(Image(16, 200), "A"), "class=\"tiny\""));
    EXPECT_TRUE(holds(picture(Image(2, 2), "a < b"), "a &lt; b</figcaption>"));
}

TEST(ReportParts, OnePairOfFrames) {
    const Image image(4, 2);
    metrics::FrameMetrics m;
    m.psnr = 30;
    m.ssim = 0.98765;
    m.difference.max = 12;
    const std::string panel = pair_panel("A 41, B 45", m, {image, image, image, "A: f32", "B: bf16", 4});
    for (const char* part : {"Frame A 41, B 45<", "PSNR 30.00 dB<", "SSIM 0.9877<", "largest difference 12 of 255<",
                             ">A: f32<", ">B: bf16<", ">absolute difference, 4 times<"})
        EXPECT_TRUE(holds(panel, part)) << part;
    EXPECT_FALSE(holds(panel, "LPIPS"));
    m.lpips = 0.25;
    const std::string plain = pair_panel("0", m, {image, image, image, "A", "B"});
    EXPECT_TRUE(holds(plain, "LPIPS 0.2500<"));
    EXPECT_TRUE(holds(plain, ">absolute difference<")); // shown as it is
}

} // namespace
} // namespace denoir::report
