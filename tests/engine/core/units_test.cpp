// SPDX-License-Identifier: Apache-2.0
#include "engine/core/units.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using test::refusal;

TEST(Units, frames) {
    EXPECT_EQ(FrameCount(81).value(), 81);
    EXPECT_EQ(refusal([] { FrameCount(80); }), "frames: 80 is not 1, 5, 9, 13, … (4n + 1); use 77 or 81");
    EXPECT_EQ(refusal([] { FrameCount(0); }), "frames: 0 is not 1, 5, 9, 13, … (4n + 1); use 1 or more");
    EXPECT_EQ(refusal([] { FrameCount(-7, "base_frames"); }),
              "base_frames: -7 is not 1, 5, 9, 13, … (4n + 1); use 1 or more");
    EXPECT_EQ(refusal([] { FrameCount(16389); }),
              "frames: 16389 is not a number of frames up to 16385; use 16385 or less");
    EXPECT_NE(refusal([] { FrameCount(INT64_MAX); }), "accepted");
}

TEST(Units, latent_frames) {
    EXPECT_EQ(latent_frames(1), 1);
    EXPECT_EQ(latent_frames(80), 20);
    EXPECT_EQ(latent_frames(81), 21);
    for (const int latent : {1, 2, 21}) EXPECT_EQ(latent_frames(video_frames(latent)), latent);
    EXPECT_EQ(video_frames(21), 81);
    for (const auto& [frame, latent] : {std::pair{0, 0}, {1, 1}, {4, 1}, {5, 2}, {80, 20}}) {
        EXPECT_EQ(latent_frame_of(frame), latent);
        EXPECT_LE(first_frame_in(latent), frame);
        EXPECT_GT(first_frame_in(latent + 1), frame);
    }
}

TEST(Units, frame_counts) {
    for (const int frames : {1, 5, 81}) EXPECT_TRUE(is_frame_count(frames));
    for (const int frames : {-3, 0, 2, 4, 80}) EXPECT_FALSE(is_frame_count(frames));
    EXPECT_EQ(nearest_frame_count(81), 81);
    EXPECT_EQ(nearest_frame_count(82.9), 81);
    EXPECT_EQ(nearest_frame_count(83), 85);
}

TEST(Units, resolution) {
    EXPECT_EQ(Resolution(8192, 16).height(), 16);
    EXPECT_EQ(refusal([] { Resolution(960, 540); }), "height: 540 is not a multiple of 16 up to 8192; use 528 or 544");
    EXPECT_EQ(refusal([] { Resolution(0, 544); }), "width: 0 is not a multiple of 16 up to 8192; use 16 or more");
    EXPECT_EQ(refusal([] { Resolution(8208, 544); }),
              "width: 8208 is not a multiple of 16 up to 8192; use 8192 or less");
    EXPECT_EQ(refusal([] { Resolution(1280, 720, 32); }),
              "height: 720 is not a multiple of 32 up to 8192; use 704 or 736");
}

TEST(Units, steps) {
    EXPECT_EQ(StepCount(50).value(), 50);
    EXPECT_EQ(refusal([] { StepCount(0); }), "steps: 0 is not a number of steps from 1 to 1000; use 1 or more");
    EXPECT_EQ(refusal([] { StepCount(1001); }),
              "steps: 1001 is not a number of steps from 1 to 1000; use 1000 or less");
}

} // namespace
} // namespace denoir
