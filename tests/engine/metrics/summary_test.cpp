// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/summary.h"

#include <gtest/gtest.h>

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
