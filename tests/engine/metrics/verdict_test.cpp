// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/verdict.h"

#include <gtest/gtest.h>

namespace denoir::metrics {
namespace {

FrameMetrics means(double psnr, std::optional<double> ssim) {
    FrameMetrics m;
    m.psnr = psnr;
    m.ssim = ssim;
    m.mse = 1;
    return m;
}

TEST(Verdict, Scales) {
    EXPECT_EQ(psnr_grade(std::nullopt), Grade::identical);
    EXPECT_EQ(psnr_grade(45), Grade::excellent);
    EXPECT_EQ(psnr_grade(44.999), Grade::very_good);
    EXPECT_EQ(psnr_grade(35), Grade::very_good);
    EXPECT_EQ(psnr_grade(33), Grade::good);
    EXPECT_EQ(psnr_grade(27.4), Grade::fair);
    EXPECT_EQ(psnr_grade(18.7), Grade::poor);
    EXPECT_EQ(psnr_grade(18.6), Grade::bad);
    EXPECT_EQ(ssim_grade(0.99), Grade::excellent);
    EXPECT_EQ(ssim_grade(0.9899), Grade::good);
    EXPECT_EQ(ssim_grade(0.9), Grade::fair);
    EXPECT_EQ(ssim_grade(0.5), Grade::poor);
    EXPECT_EQ(ssim_grade(-0.2), Grade::bad);
}

TEST(Verdict, TheWorseOfTheTwoAndWhy) {
    const Verdict v = verdict(means(36.614, 0.99371));
    EXPECT_EQ(v.grade, Grade::very_good);
    EXPECT_EQ(v.text, "very good: PSNR 36.61 dB is very good (35 dB or more), SSIM 0.9937 is excellent (0.99 or more)");
    EXPECT_EQ(verdict(means(50, 0.9)).grade, Grade::fair);
    EXPECT_EQ(verdict(means(12, std::nullopt)).text, "bad: PSNR 12.00 dB is bad (below 18.7 dB)");
    EXPECT_EQ(verdict(FrameMetrics{}).grade, Grade::identical);
}

} // namespace
} // namespace denoir::metrics
