// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "engine/media/image.h"
#include "engine/pipeline/noise_levels.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/prefix.h"
#include "engine/pipeline/windows.h"
#include "engine/weights/safetensors_writer.h"
#include "tests/engine/pipeline/resolved.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {
namespace {

TEST(Resolve, ForcingFollowsFromTheFamily) {
    const Request r = resolved("SkyReels-V2-DF-tiny");
    EXPECT_EQ(r.mode, Mode::forcing);
    EXPECT_EQ(r.forcing, Forcing{});
    EXPECT_EQ(r.steps, 30);
    EXPECT_EQ(r.shift, 8.0);
    EXPECT_EQ(r.fps, 24);
    EXPECT_EQ(r.precision, PrecisionPolicy::skyreels);
    EXPECT_EQ(Pipeline::step_count(r), 30);
}

/// A folder with 11 pictures of 90x60.
const std::filesystem::path before = std::filesystem::path(DENOIR_FIXTURES) / "_inputs" / "before";

Forcing after_video(int overlap) {
    Forcing f;
    f.video = before;
    f.overlap = overlap;
    return f;
}

TEST(Resolve, AClipThatGoesOnTakesTheVideosSizeAndTheRestOfItsFrames) {
    const auto of = [](const std::filesystem::path& video) {
        return resolved("SkyReels-V2-DF-tiny", [&](Request& q) {
            q.frames = 21, q.steps = 4, q.forcing = after_video(9);
            q.forcing->video = video;
        });
    };
    // 90x60 is no multiple of 16, so the clip has the model's own area in the video's aspect.
    const Request r = of(before);
    EXPECT_NEAR(double(*r.width) / *r.height, 1.5, 0.05);
    EXPECT_NEAR(double(*r.width) * *r.height, 960.0 * 544, 0.05 * 960 * 544);
    EXPECT_EQ(r.fps, 24);
    const Request own = of(std::filesystem::path(DENOIR_FIXTURES) / "../../resources/samples/first.mp4");
    EXPECT_EQ(own.width, 256);
    EXPECT_EQ(own.height, 144);
    EXPECT_EQ(own.fps, 16);
    EXPECT_EQ(Pipeline::step_count(own), 4);
    // With ar_step 2 each of the three new latent frames begins two rows after the one before.
    const Request rows = resolved("SkyReels-V2-DF-tiny", [](Request& q) {
        q.frames = 21, q.steps = 4, q.forcing = after_video(9), q.forcing->ar_step = 2;
    });
    EXPECT_EQ(Pipeline::step_count(rows), 4 + 2 * 2);
}

TEST(Resolve, AVideoLargerThanTheModelsSizeGivesItsAspect) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("denoir-large-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    for (const auto& [width, height] : {std::pair(2048, 1152), std::pair(1152, 2048), std::pair(4000, 16)}) {
        write_png(folder / "frame_1.png", Image(width, height));
        const Request r = resolved("SkyReels-V2-DF-tiny", [&](Request& q) {
            q.frames = 5, q.forcing = after_video(1);
            q.forcing->video = folder;
        });
        EXPECT_LE(double(*r.width) * *r.height, 1.1 * 960 * 544);
        EXPECT_EQ(*r.width > *r.height, width > height);
    }
    std::filesystem::remove_all(folder);
}

TEST(Resolve, WhatAClipCannotGoOnAfterIsRefused) {
    const auto refusal = [](
                             int frames, int overlap, const std::function<void(Request&)>& change = [](Request&) {}) {
        return refused("SkyReels-V2-DF-tiny", [&](Request& q) {
            q.width = 64, q.height = 48, q.frames = frames, q.forcing = after_video(overlap);
            change(q);
        });
    };
    EXPECT_EQ(refusal(13, 9), "accepted");
    EXPECT_EQ(refusal(9, 9), "forcing.overlap");
    EXPECT_EQ(refusal(13, 8), "forcing.overlap");
    EXPECT_EQ(refusal(13, -3), "forcing.overlap");
    EXPECT_EQ(refusal(13, 9, [](Request& q) { q.image = picture; }), "forcing.video");
    EXPECT_EQ(refusal(13, 9, [](Request& q) { q.last_image = picture; }), "accepted");
    EXPECT_EQ(refusal(13, 5, [](Request& q) { q.forcing->block = 2; }), "accepted");
    EXPECT_EQ(refusal(13, 9, [](Request& q) { q.forcing->block = 2; }), "forcing.block");
    EXPECT_NE(refusal(13, 9, [](Request& q) { q.width.reset(), q.forcing->video = models / "missing.mp4"; }),
              "accepted");
}

TEST(FramesBefore, AreTheLastOfTheVideoOrOfItsBeginning) {
    const TempFolder folder;
    for (int i = 0; i < 9; ++i) {
        Image image(16, 16);
        std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t(10 * i));
        write_png(folder / fmt::format("frame_{}.png", i), image);
    }
    const auto first = [&](int overlap, std::optional<int> of = {}) {
        Forcing f;
        f.video = folder.path(), f.overlap = overlap, f.video_frames = of;
        FramesBefore frames(f);
        EXPECT_EQ(frames.count(), overlap);
        return int(frames.read(0).rgb[0]) / 10;
    };
    EXPECT_EQ(first(5), 4);
    EXPECT_EQ(first(9), 0); // the whole video
    EXPECT_EQ(first(5, 7), 2);
    EXPECT_EQ(first(5, 9), 4);
    EXPECT_EQ(first(5, 5), 0);
    EXPECT_NE(refusal([&] { first(13); }).find("the clip begins with 13 frames of a video that has 9"),
              std::string::npos);
    EXPECT_NE(refusal([&] { first(9, 8); }).find("the clip begins with 9 frames of a video that has 8"),
              std::string::npos);
    EXPECT_NE(refusal([&] { first(5, 10); }).find("10 frames are more than the video has: 9"), std::string::npos);
}

/// SkyReels' table (spec/pipelines.md 6): windows of 97 frames, which share 17 with the window before.
TEST(Resolve, ALongClipIsMadeInWindows) {
    const auto of = [](int frames, const Forcing& forcing) {
        return resolved("SkyReels-V2-DF-tiny", [&](Request& q) {
            q.width = 64, q.height = 48, q.frames = frames, q.steps = 3, q.forcing = forcing;
        });
    };
    EXPECT_EQ(of(97, {}).forcing->base, std::nullopt);
    const Request r = of(257, {});
    EXPECT_EQ(r.forcing->base, 97);
    EXPECT_EQ(Pipeline::step_count(r), 3 * 3);
    EXPECT_EQ(of(257, {.block = 5}).forcing->base, 97);
    // 65 latent frames are whole blocks of 13, but a window's 25 are not.
    EXPECT_EQ(of(257, {.block = 13}).forcing->base, std::nullopt);
    EXPECT_EQ(of(257, {.base = 257}).forcing->base, 257); // a single window, if the user asks for that
    EXPECT_EQ(Pipeline::step_count(of(257, {.base = 257})), 3);
    // A branch is divided as its parent was, and a file with noise has the noise of the undivided clip.
    const auto undivided = [&](const std::function<void(Request&)>& change) {
        return resolved("SkyReels-V2-DF-tiny",
                        [&](Request& q) {
                            q.width = 64, q.height = 48, q.frames = 257, q.steps = 3;
                            change(q);
                        })
            .forcing->base;
    };
    EXPECT_EQ(undivided([](Request& q) { q.start = Request::Start{"/runs/parent", 1, ""}; }), std::nullopt);
    const TempFolder folder;
    write_safetensors(folder / "noise", {{"noise", Tensor::zeros({16, 65, 6, 8})}});
    EXPECT_EQ(undivided([&](Request& q) { q.noise = {NoiseSource::Kind::file, 0, folder / "noise"}; }), std::nullopt);
    // With ar_step each window has rows of its own.
    const Request rows = of(21, {.ar_step = 1, .overlap = 5, .base = 13});
    EXPECT_EQ(Pipeline::step_count(rows), (3 + 3) + (3 + 1));
}

TEST(Resolve, WindowsThatLeaveNothingToMakeAreRefused) {
    const auto refusal = [](int frames, int base, int overlap, int block = 1) {
        return refused("SkyReels-V2-DF-tiny", [&](Request& q) {
            q.width = 64, q.height = 48, q.frames = frames, q.steps = 2;
            q.forcing = Forcing{.block = block, .overlap = overlap, .base = base};
        });
    };
    EXPECT_EQ(refusal(21, 13, 9), "accepted");
    EXPECT_EQ(refusal(21, 13, 13), "forcing.overlap");
    EXPECT_EQ(refusal(21, 13, 6), "forcing.overlap");
    EXPECT_EQ(refusal(21, 12, 5), "forcing.base");
    EXPECT_EQ(refusal(21, 1, 1), "forcing.base");
    EXPECT_EQ(refusal(21, 21, 6), "accepted"); // there is one window, and nothing to share
    EXPECT_EQ(refusal(29, 13, 5, 2), "accepted");
    EXPECT_EQ(refusal(25, 13, 5, 2), "frames"); // seven latent frames are no whole blocks of two
    EXPECT_EQ(refusal(29, 17, 5, 2), "forcing.base");
    EXPECT_EQ(refusal(29, 13, 9, 2), "forcing.block");
    EXPECT_EQ(refusal(16381, 5, 1), "accepted");
    EXPECT_EQ(refused("SkyReels-V2-DF-tiny",
                      [](Request& q) {
                          q.width = 64, q.height = 48, q.frames = 16381, q.steps = 1000;
                          q.forcing = Forcing{.overlap = 1, .base = 5};
                      }),
              "frames");
}

TEST(Resolve, AsynchronousForcingHasMoreRowsThanSteps) {
    const Request r = resolved("SkyReels-V2-DF-tiny", [](Request& q) {
        q.frames = 17, q.steps = 4, q.forcing = Forcing{2, 1, false};
    });
    EXPECT_EQ(Pipeline::step_count(r), 4 + 4 * 2); // N + (R - 1)·a as in spec/pipelines.md 7.1
}

TEST(Resolve, NoiseLevelsFallToNothing) {
    const auto falls = [](const Request& r) {
        const std::vector<double> levels = noise_levels(r);
        EXPECT_EQ(levels.size(), static_cast<std::size_t>(Pipeline::step_count(r)) + 1);
        EXPECT_GT(levels.front(), 0.9);
        EXPECT_LE(levels.front(), 1.0);
        EXPECT_EQ(levels.back(), 0);
        EXPECT_TRUE(std::is_sorted(levels.rbegin(), levels.rend()));
        return levels;
    };
    const std::vector<double> euler =
        falls(resolved("Wan2.1-T2V-tiny", [](Request& q) { q.steps = 10, q.sampler = Sampler::euler; }));
    const SigmaSchedule schedule = sigma_schedule(SigmaList::original_unipc, 10, 5.0);
    for (std::size_t i = 0; i < euler.size(); ++i) EXPECT_EQ(euler[i], schedule.sigmas[i]);
    falls(resolved("Wan2.1-T2V-tiny", [](Request& q) { q.steps = 10, q.sampler = Sampler::dpmpp; }));
    falls(resolved("SkyReels-V2-DF-tiny", [](Request& q) { q.steps = 5, q.frames = 17; }));
    falls(resolved("SkyReels-V2-DF-tiny", [](Request& q) {
        q.frames = 17, q.steps = 4, q.forcing = Forcing{2, 1, false};
    }));
}

TEST(Resolve, NoiseLevelsFallInEachWindow) {
    const Request r = resolved("SkyReels-V2-DF-tiny", [](Request& q) {
        q.frames = 37, q.steps = 3, q.forcing.emplace();
        q.forcing->base = 13, q.forcing->overlap = 5;
    });
    const std::vector<double> levels = noise_levels(r);
    ASSERT_EQ(levels.size(), 4 * 3 + 1U);
    for (const int end : {3, 6, 9, 12}) { // the latent after a window's last step is clean
        EXPECT_EQ(levels[end], 0);
        EXPECT_TRUE(levels[end - 2] > levels[end - 1] && levels[end - 1] > 0) << end;
    }
    EXPECT_EQ(levels[4], levels[7]); // both windows have the same size
}

} // namespace
} // namespace denoir::test
