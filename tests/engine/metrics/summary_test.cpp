// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/summary.h"

#include <gtest/gtest.h>

#include <array>

namespace denoir::metrics {
namespace {

FrameMetrics frame(double mse, std::optional<double> ssim) {
    FrameMetrics m;
    m.mse = mse;
    m.psnr = psnr_of(mse);
    m.ssim = ssim;
    m.difference = {mse / 2, mse * 2, mse, mse};
    return m;
}

TEST(Summary, PsnrIsThatOfTheMeanError) {
    const std::vector<FrameMetrics> frames{frame(0, 1), frame(2, 0.9), frame(4, 0.95)};
    const Summary s = summarize(frames);
    EXPECT_EQ(s.frames, 3u);
    EXPECT_DOUBLE_EQ(s.mean.mse, 2);
    EXPECT_DOUBLE_EQ(*s.mean.psnr, *psnr_of(2));
    EXPECT_DOUBLE_EQ(*s.mean.ssim, 0.95);
    EXPECT_DOUBLE_EQ(s.mean.difference.max, 8);
    EXPECT_EQ(s.worst_psnr, 2u);
    EXPECT_EQ(s.worst_ssim, 1u);
    EXPECT_DOUBLE_EQ(*s.worst.ssim, 0.9);
}

/// Each value is the worst of its own frame, which may be another frame for each value.
TEST(Summary, EachValueIsThatOfItsWorstFrame) {
    std::vector<FrameMetrics> frames{frame(3, 0.9), frame(2, 0.8), frame(1, 0.95)};
    frames[0].difference = {.mean = 1, .max = 9, .p95 = 4, .p99 = 5};
    frames[1].difference = {.mean = 2, .max = 7, .p95 = 3, .p99 = 6};
    frames[2].difference = {.mean = 0, .max = 8, .p95 = 2, .p99 = 7};
    for (std::size_t i = 0; i < 3; ++i) frames[i].lpips = std::array{0.25, 0.75, 0.5}[i];
    const Summary s = summarize(frames);
    EXPECT_EQ(s.worst.mse, 3);
    EXPECT_EQ(s.worst.psnr, psnr_of(3));
    EXPECT_EQ(s.worst.ssim, 0.8);
    EXPECT_EQ(s.worst.lpips, 0.75);
    EXPECT_EQ(s.mean.lpips, 0.5);
    EXPECT_EQ(s.worst.difference.mean, 2);
    EXPECT_EQ(s.worst.difference.max, 9);
    EXPECT_EQ(s.worst.difference.p95, 4);
    EXPECT_EQ(s.worst.difference.p99, 7);
    EXPECT_EQ(s.mean.difference.mean, 1);
    EXPECT_EQ(s.mean.difference.p95, 3);
    EXPECT_EQ(s.mean.difference.p99, 6);
}

TEST(Summary, EqualFramesHaveNoPsnr) {
    const std::vector<FrameMetrics> frames{frame(0, 1), frame(0, 1)};
    const Summary s = summarize(frames);
    EXPECT_FALSE(s.mean.psnr);
    EXPECT_EQ(s.mean.ssim, 1);
    EXPECT_TRUE(worst_frames(frames, 3).empty());
}

TEST(Summary, SmallPicturesHaveNoSsim) {
    const std::vector<FrameMetrics> frames{frame(1, std::nullopt), frame(3, std::nullopt)};
    EXPECT_FALSE(summarize(frames).mean.ssim);
    EXPECT_EQ(worst_frames(frames, 1), std::vector<std::size_t>{1});
    EXPECT_EQ(summarize({}).frames, 0u);
}

TEST(Summary, WorstFramesKeepApart) {
    std::vector<FrameMetrics> frames;
    for (int i = 0; i < 20; ++i) frames.push_back(frame(1, 0.99));
    frames[7].ssim = 0.5;
    frames[8].ssim = 0.6;
    frames[15].ssim = 0.7;
    EXPECT_EQ(worst_frames(frames, 2, 4), (std::vector<std::size_t>{7, 15}));
    EXPECT_EQ(worst_frames(frames, 2, 1), (std::vector<std::size_t>{7, 8}));
    EXPECT_EQ(worst_frames(frames, 3, 100).size(), 1u);
}

} // namespace
} // namespace denoir::metrics
