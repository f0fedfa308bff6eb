// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/core/error.h"
#include "engine/media/image.h"
#include "engine/pipeline/defaults.h"
#include "engine/pipeline/noise_levels.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/step_cache.h"
#include "engine/pipeline/windows.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace {

const std::filesystem::path models = std::filesystem::path(DENOIR_FIXTURES) / "_models";
const std::filesystem::path picture = std::filesystem::path(DENOIR_FIXTURES) / "_inputs" / "landscape.png";

Request resolved(
    const char* model, const std::function<void(Request&)>& change = [](Request&) {}) {
    Request r;
    r.model = models / model;
    r.prompt = "a fox";
    change(r);
    return Pipeline::resolve(r, ModelFolder::open(r.model));
}

/// The field that a refusal names.
std::string refused(const char* model, const std::function<void(Request&)>& change) {
    try {
        resolved(model, change);
    } catch (const Error& e) {
        return e.field().empty() ? e.message() : e.field();
    }
    return "accepted";
}

TEST(Resolve, TextToVideoTakesWansDefaults) {
    const Request r = resolved("Wan2.1-T2V-tiny");
    EXPECT_EQ(r.family, Family::wan);
    EXPECT_EQ(r.mode, Mode::t2v);
    EXPECT_EQ(r.steps, 50);
    EXPECT_EQ(r.shift, 5.0);
    EXPECT_EQ(r.guidance, 5.0);
    EXPECT_EQ(r.frames, 81);
    EXPECT_EQ(r.fps, 16);
    EXPECT_EQ(r.width, 832);
    EXPECT_EQ(r.height, 480);
    EXPECT_EQ(r.dtype, DType::bf16);
    EXPECT_EQ(r.precision, PrecisionPolicy::wan);
    EXPECT_TRUE(r.seed.has_value());
    EXPECT_EQ(r.negative_prompt->substr(0, 12), "色调艳丽");
}

TEST(Resolve, RelativesOfWanAreRefusedByName) {
    Request r;
    r.model = models / "Wan2.1-T2V-tiny";
    r.prompt = "a fox";
    ModelFolder model = ModelFolder::open(r.model);
    EXPECT_EQ(model.relative, "");
    model.relative = "VACE";
    const auto says_so = [](const std::function<void()>& ask) {
        try {
            ask();
        } catch (const Error& e) {
            return e.field() == "model" && e.message().find("VACE") != std::string::npos;
        }
        return false;
    };
    EXPECT_TRUE(says_so([&] { (void)Pipeline::resolve(r, model); }));
    EXPECT_TRUE(says_so([&] { (void)Pipeline::defaults(r, model); }));
}

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

/// 11 pictures of 90x60.
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
    const Request r = of(before); // 90x60 is no multiple of 16: the model's own area in this aspect
    EXPECT_NEAR(double(*r.width) / *r.height, 1.5, 0.05);
    EXPECT_NEAR(double(*r.width) * *r.height, 960.0 * 544, 0.05 * 960 * 544);
    EXPECT_EQ(r.fps, 24);
    const Request own = of(std::filesystem::path(DENOIR_FIXTURES) / "../../resources/samples/first.mp4");
    EXPECT_EQ(own.width, 256);
    EXPECT_EQ(own.height, 144);
    EXPECT_EQ(own.fps, 16);
    EXPECT_EQ(Pipeline::step_count(own), 4);
    // Asynchronous: each of the three new latent frames two rows behind the one before.
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

/// The table of SkyReels: 97 frames at a time, 17 of them of the window before (spec/pipelines.md 6).
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
    EXPECT_EQ(of(257, {.block = 13}).forcing->base, std::nullopt); // 65 latent frames: whole blocks, a window's are not
    EXPECT_EQ(of(257, {.base = 257}).forcing->base, 257);          // one, if that is wanted
    EXPECT_EQ(Pipeline::step_count(of(257, {.base = 257})), 3);
    // Asynchronous: each window has rows of its own.
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
    EXPECT_EQ(refusal(21, 21, 6), "accepted"); // one window, which is given nothing
    EXPECT_EQ(refusal(29, 13, 5, 2), "accepted");
    EXPECT_EQ(refusal(25, 13, 5, 2), "frames"); // seven latent ones
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
    EXPECT_EQ(Pipeline::step_count(r), 4 + 4 * 2); // N + (R - 1)·a, spec/pipelines.md 7.1
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
    const SigmaSchedule schedule = sigma_schedule('A', 10, 5.0);
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
    EXPECT_EQ(levels[4], levels[7]); // windows of one size
}

TEST(Resolve, TheBundledModelBringsItsOwnDefaults) {
    Request q;
    q.model = std::filesystem::path(DENOIR_FIXTURES) / "../../resources/demo-model";
    q.prompt = "a red ball";
    const Request r = Pipeline::resolve(q, ModelFolder::open(q.model));
    EXPECT_EQ(r.mode, Mode::forcing);
    EXPECT_EQ(r.width, 256);
    EXPECT_EQ(r.height, 144);
    EXPECT_EQ(r.frames, 33);
    EXPECT_EQ(r.fps, 16);
    EXPECT_EQ(r.steps, 20);
    EXPECT_EQ(r.negative_prompt, ""); // Wan's is Chinese, which this model's tokenizer does not know
}

TEST(Resolve, WhatTheUserSaidStays) {
    const Request r = resolved("Wan2.1-T2V-tiny", [](Request& q) {
        q.width = 64, q.height = 96, q.frames = 5, q.steps = 2, q.seed = 0, q.guidance = 1.0, q.dtype = DType::f32,
        q.negative_prompt = "";
    });
    EXPECT_EQ(r.width, 64);
    EXPECT_EQ(r.height, 96);
    EXPECT_EQ(r.seed, 0u);
    EXPECT_EQ(r.guidance, 1.0);
    EXPECT_EQ(r.negative_prompt, "");
    EXPECT_EQ(r.precision, PrecisionPolicy::f32);
}

TEST(Resolve, OneSideAloneTakesTheOtherFromTheDefaultsOrTheImage) {
    const Request text = resolved("Wan2.1-T2V-tiny", [](Request& q) { q.width = 64; });
    EXPECT_EQ(text.width, 64);
    EXPECT_EQ(text.height, 480);
    const auto with_image = [](int width, int height) {
        return resolved("SkyReels-V2-I2V-tiny", [=](Request& q) {
            q.family = Family::wan, q.image = picture;
            if (width) q.width = width;
            if (height) q.height = height;
        });
    };
    const Request whole = with_image(0, 0), narrow = with_image(128, 0), low = with_image(0, 96);
    EXPECT_NEAR(double(*narrow.height) / 128, double(*whole.height) / *whole.width, 8.0 / 128);
    EXPECT_NEAR(double(*low.width) / 96, double(*whole.width) / *whole.height, 8.0 / 96);
}

/// spec/schedulers.md 9: of the size, not only of the name.
TEST(Resolve, ShiftOfWansImageModelsFollowsTheSize) {
    const auto shift = [](int width, int height) {
        const auto sized = [=](Request& q) {
            q.family = Family::wan, q.image = picture;
            q.width = width, q.height = height, q.frames = 5;
        };
        return resolved("SkyReels-V2-I2V-tiny", sized).shift;
    };
    EXPECT_EQ(shift(832, 480), 3.0);
    EXPECT_EQ(shift(480, 832), 3.0);
    EXPECT_EQ(shift(1280, 720), 5.0);
    EXPECT_EQ(shift(64, 64), 5.0);
}

/// As the files of Comfy-Org, city96 and lightx2v write it, as the repositories do, and from inside of one.
TEST(Resolve, ASizeInANameIsReadHoweverItIsWritten) {
    const test::TempFolder folder;
    const auto shift = [](const std::filesystem::path& model) {
        Request r;
        r.model = model, r.prompt = "a fox", r.family = Family::wan, r.image = picture, r.frames = 5;
        const ModelFolder opened = ModelFolder::open(model);
        EXPECT_EQ(Pipeline::defaults(r, opened).shift, Pipeline::resolve(r, opened).shift);
        return Pipeline::resolve(r, opened).shift;
    };
    const auto copy = [&](const char* model, const char* name) {
        std::filesystem::copy(models / model, folder / name, std::filesystem::copy_options::recursive);
        return folder / name;
    };
    EXPECT_EQ(shift(copy("SkyReels-V2-I2V-tiny", "wan2.1-i2v-720p")), 5.0);
    EXPECT_EQ(shift(copy("SkyReels-V2-I2V-tiny", "wan2.1-i2v-14b-480p-Q4_K_M")), 3.0);
    const auto there = copy("SkyReels-V2-I2V-tiny", "Wan2.1-I2V-14B-480P");
    EXPECT_EQ(shift(there), 3.0);
    const auto from = std::filesystem::current_path();
    std::filesystem::current_path(there);
    EXPECT_EQ(shift("."), 3.0);
    std::filesystem::current_path(from);
    // The nearest counts: whoever keeps all models in one folder calls it anything.
    std::filesystem::create_directory(folder / "480p models");
    std::filesystem::rename(folder / "wan2.1-i2v-720p", folder / "480p models/wan2.1-i2v-14b-720p");
    EXPECT_EQ(shift(folder / "480p models/wan2.1-i2v-14b-720p"), 5.0);
    const Request df =
        Pipeline::defaults({}, ModelFolder::open(copy("SkyReels-V2-DF-tiny", "skyreels-v2-df-14b-720p")));
    EXPECT_EQ(df.width, 1280);
    EXPECT_EQ(df.frames, 121);
}

/// Fun-InP 1.3B, whose name says no size.
TEST(Resolve, ASmallImageModelKeepsTheSmallAreaForAnImage) {
    const test::TempFolder folder;
    const auto of = [&](const char* name) {
        std::filesystem::copy(models / "SkyReels-V2-I2V-tiny", folder / name, std::filesystem::copy_options::recursive);
        Request r;
        r.model = folder / name, r.prompt = "a fox", r.family = Family::wan, r.image = picture, r.frames = 5;
        return Pipeline::resolve(r, ModelFolder::open(r.model));
    };
    const Request small = of("Wan2.1-Fun-1.3B-InP"), named = of("wan2.1-1.3b-i2v-720p");
    EXPECT_NEAR(double(*small.width) * *small.height, 832.0 * 480, 0.1 * 832 * 480);
    EXPECT_EQ(small.shift, 3.0);
    EXPECT_NEAR(double(*named.width) * *named.height, 1280.0 * 720, 0.1 * 1280 * 720);
    EXPECT_EQ(named.shift, 5.0);
}

/// A model of Wan 2.1's form without the first-last-frame model's table, as a merged one of Wan 2.2.
TEST(Resolve, ALastImageAloneMakesNoFirstLastFrameModel) {
    Request q;
    q.model = models / "Wan2.2-I2V-A14B-tiny-Diffusers", q.prompt = "a fox", q.family = Family::wan;
    q.image = picture, q.frames = 5;
    ModelFolder model = ModelFolder::open(q.model);
    model.transformer_low.clear();
    const Request one = Pipeline::resolve(q, model);
    q.last_image = picture;
    const Request two = Pipeline::resolve(q, model);
    EXPECT_EQ(two.mode, Mode::flf2v);
    EXPECT_EQ(two.width, one.width);
    EXPECT_EQ(two.steps, one.steps);
    EXPECT_EQ(two.shift, one.shift);
    EXPECT_EQ(two.negative_prompt, one.negative_prompt);
    const Request trained =
        resolved("Wan2.1-FLF2V-tiny", [](Request& r) { r.image = r.last_image = picture, r.frames = 5; });
    EXPECT_EQ(trained.shift, 16.0);
    EXPECT_EQ(trained.steps, 50);
    EXPECT_GT(*trained.width * *trained.height, 900'000);
}

TEST(Resolve, HalfOfAModelOfTwoExpertsIsRefused) {
    const auto low_is_missing = [](Request& q) { q.family = Family::wan22; };
    EXPECT_NE(refused("Wan2.1-T2V-tiny", low_is_missing).find("low-noise transformer"), std::string::npos);
    // By the names of what is there.
    const test::TempFolder folder;
    const auto refusal = [&](const char* path) {
        Request q;
        q.prompt = "a fox";
        q.model = folder / path;
        return test::refusal([&] { Pipeline::resolve(q, ModelFolder::open(q.model)); });
    };
    std::filesystem::create_directory(folder / "model");
    std::filesystem::copy(models / "Wan2.1-T2V-tiny", folder / "model/low_noise_model",
                          std::filesystem::copy_options::recursive);
    for (const char* path : {"model/low_noise_model", "model"})
        EXPECT_NE(refusal(path).find("the high-noise one is missing"), std::string::npos) << refusal(path);
    std::filesystem::rename(folder / "model/low_noise_model", folder / "model/high_noise_model");
    EXPECT_NE(refusal("model").find("the low-noise one is missing"), std::string::npos) << refusal("model");
    EXPECT_EQ(refusal("model").find("family wan"), std::string::npos);
    // Its file's name alone, without a word of noise; and a merged one, which is complete.
    std::filesystem::copy(models / "Wan2.1-T2V-tiny", folder / "Wan2.2-T2V-A14B-LOW",
                          std::filesystem::copy_options::recursive);
    EXPECT_NE(refusal("Wan2.2-T2V-A14B-LOW").find("the high-noise one is missing"), std::string::npos);
    std::filesystem::rename(folder / "Wan2.2-T2V-A14B-LOW", folder / "wan2.2-t2v-rapid-aio");
    EXPECT_NE(refusal("wan2.2-t2v-rapid-aio").find("or family wan for a model of one transformer"), std::string::npos);
    Request merged;
    merged.model = folder / "wan2.2-t2v-rapid-aio", merged.prompt = "a fox", merged.family = Family::wan;
    EXPECT_EQ(Pipeline::resolve(merged, ModelFolder::open(merged.model)).mode, Mode::t2v);
}

TEST(Resolve, WhoLacksATokenizerIsToldWhereToGetOne) {
    Request r;
    r.model = models / "Wan2.1-T2V-tiny", r.prompt = "a fox";
    ModelFolder model = ModelFolder::open(r.model);
    model.tokenizer.clear();
    try {
        (void)Pipeline::resolve(r, model);
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.message(), "the tokenizer is missing");
        EXPECT_NE(e.hint().find("umt5_xxl_*.safetensors"), std::string::npos) << e.hint();
    }
}

TEST(Defaults, Wan22ImageModelsKeepTheirsWithALastImage) {
    for (const Mode mode : {Mode::i2v, Mode::flf2v}) {
        const Defaults d = defaults_for(Family::wan22, mode, false, false);
        EXPECT_EQ(d.shift, 5.0);
        EXPECT_EQ(d.guidance, 3.5);
        EXPECT_EQ(d.guidance_low, 3.5);
    }
    EXPECT_EQ(defaults_for(Family::wan22, Mode::t2v, false, false).shift, 12.0);
}

TEST(Defaults, SkyReelsImageModelsKeepTheirsWithALastImage) {
    const Defaults d = defaults_for(Family::skyreels, Mode::flf2v, false, false);
    EXPECT_EQ(d.shift, 5.0);
    EXPECT_EQ(d.guidance, 5.0);
}

/// Fun-InP looks like an image-to-video model and takes a last image; A14B takes either, too.
TEST(Resolve, FirstLastFrameModelsNeedBothImages) {
    const char *i2v = "SkyReels-V2-I2V-tiny", *flf2v = "Wan2.1-FLF2V-tiny";
    for (const Family family : {Family::skyreels, Family::wan}) {
        const auto with = [family](bool last, std::optional<Mode> mode) {
            return [=](Request& q) {
                q.family = family, q.image = picture, q.mode = mode;
                if (last) q.last_image = picture;
            };
        };
        EXPECT_EQ(refused(i2v, with(false, {})), "accepted");
        EXPECT_EQ(refused(i2v, with(true, {})), "accepted");
        EXPECT_EQ(refused(i2v, with(false, Mode::flf2v)), "last_image");
        EXPECT_EQ(refused(flf2v, with(true, {})), "accepted");
        EXPECT_EQ(refused(flf2v, with(false, {})), "last_image");
        EXPECT_EQ(refused(flf2v, with(false, Mode::i2v)), "last_image");
    }
    Request asked;
    asked.mode = Mode::flf2v, asked.image = asked.last_image = picture, asked.family = Family::skyreels;
    EXPECT_EQ(Pipeline::defaults(asked, ModelFolder::open(models / i2v)).mode, Mode::flf2v);
    EXPECT_EQ(refused("Wan2.2-I2V-A14B-tiny-Diffusers", [](Request& q) { q.image = q.last_image = picture; }),
              "accepted");
}

TEST(Resolve, BetweenTwoImagesThereIsSomethingToMake) {
    const auto of = [](int frames) {
        return refused("Wan2.1-FLF2V-tiny", [=](Request& q) {
            q.image = q.last_image = picture, q.width = q.height = 64, q.frames = frames;
        });
    };
    EXPECT_EQ(of(1), "frames");
    EXPECT_EQ(of(5), "accepted");
}

TEST(Resolve, DiffusionForcingTellsTheFamily) {
    const test::TempFolder folder;
    std::filesystem::copy(models / "Wan2.1-T2V-tiny", folder / "model", std::filesystem::copy_options::recursive);
    const ModelFolder model = ModelFolder::open(folder / "model");
    ASSERT_FALSE(model.family);
    Request q;
    q.model = folder / "model", q.prompt = "a fox";
    EXPECT_THROW(Pipeline::resolve(q, model), Error);
    q.mode = Mode::forcing;
    EXPECT_EQ(Pipeline::resolve(q, model).family, Family::skyreels_df);
    q.mode.reset(), q.forcing = Forcing{.ar_step = 1};
    const Request r = Pipeline::resolve(q, model);
    EXPECT_EQ(r.family, Family::skyreels_df);
    EXPECT_EQ(r.mode, Mode::forcing);
    EXPECT_EQ(Pipeline::defaults(q, model).family, Family::skyreels_df);
}

TEST(Resolve, DiffusionForcingIsNotForModelsOfAnotherKind) {
    const auto df = [](Request& q) { q.family = Family::skyreels_df; };
    for (const char* model : {"SkyReels-V2-I2V-tiny", "Wan2.2-TI2V-tiny", "Wan2.2-T2V-A14B-tiny"}) {
        EXPECT_EQ(refused(model, df), "family") << model;
        EXPECT_EQ(refused(model, [&](Request& q) { df(q), q.image = picture; }), "family") << model;
    }
    EXPECT_EQ(refused("Wan2.1-T2V-tiny", df), "accepted");
}

/// spec/pipelines.md 5, spec/schedulers.md 9.
TEST(Resolve, Ti2vTakesAStartImageOrNone) {
    const char* ti2v = "Wan2.2-TI2V-tiny";
    const Request text = resolved(ti2v);
    EXPECT_EQ(text.family, Family::wan22);
    EXPECT_EQ(text.mode, Mode::t2v);
    EXPECT_EQ(text.width, 1280);
    EXPECT_EQ(text.height, 704);
    EXPECT_EQ(text.frames, 121);
    EXPECT_EQ(text.fps, 24);
    EXPECT_EQ(text.steps, 50);
    EXPECT_EQ(text.shift, 5.0);
    EXPECT_EQ(text.guidance, 5.0);
    EXPECT_FALSE(text.guidance_low.has_value());
    EXPECT_EQ(text.precision, PrecisionPolicy::wan);
    const Request image = resolved("Wan2.2-TI2V-tiny-Diffusers", [](Request& q) { q.image = picture; }); // 150x118
    EXPECT_EQ(image.mode, Mode::i2v);
    EXPECT_EQ(image.width, 1056);
    EXPECT_EQ(image.height, 832);
    const Request narrow = resolved(ti2v, [](Request& q) { q.image = picture, q.width = 256; });
    EXPECT_EQ(narrow.height, 192);
    EXPECT_EQ(refused(ti2v, [](Request& q) { q.width = 96, q.height = 48; }), "height");
    EXPECT_EQ(refused(ti2v, [](Request& q) { q.last_image = picture; }), "last_image");
    EXPECT_EQ(refused(ti2v, [](Request& q) { q.image = q.last_image = picture; }), "last_image");
    EXPECT_EQ(refused(ti2v, [](Request& q) { q.mode = Mode::flf2v; }), "mode");
    EXPECT_EQ(refused(ti2v, [](Request& q) { q.mode = Mode::i2v; }), "image");
    EXPECT_EQ(refused(ti2v, [](Request& q) { q.mode = Mode::t2v, q.image = picture; }), "image");
    EXPECT_EQ(refused(ti2v, [](Request& q) { q.guidance_low = 3; }), "guidance_low");
    EXPECT_EQ(refused(ti2v, [](Request& q) { q.forcing = Forcing{}; }), "forcing");
}

TEST(Resolve, AVaeOfOtherLatentsIsRefused) {
    Request q;
    q.model = models / "Wan2.1-T2V-tiny";
    q.prompt = "a fox";
    ModelFolder model = ModelFolder::open(q.model);
    model.vae = ModelFolder::open(models / "Wan2.2-TI2V-tiny").vae;
    try {
        Pipeline::resolve(q, model);
        ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
        EXPECT_EQ(e.file(), model.vae.front().string());
        EXPECT_EQ(e.message(), "gives 48 latent channels, the transformer takes 16");
    }
    EXPECT_EQ(Pipeline::defaults(q, model).height, 480); // what can be told is told
}

TEST(Resolve, RefusalsNameTheField) {
    const char* t2v = "Wan2.1-T2V-tiny";
    const char* df = "SkyReels-V2-DF-tiny";
    EXPECT_EQ(refused(t2v, [](Request& q) { q.width = 100, q.height = 64; }), "width");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.width = 64, q.height = 8208; }), "height");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.width = 8208; }), "width");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.frames = 6; }), "frames");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.steps = 0; }), "steps");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.steps = 1001; }), "steps");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.shift = 0; }), "shift");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.fps = 0; }), "fps");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.guidance = -1; }), "guidance");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.guidance_low = 3; }), "guidance_low");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.image = picture; }), "mode");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.mode = Mode::i2v; }), "image");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.forcing = Forcing{}; }), "forcing");
    EXPECT_EQ(refused(t2v, [](Request& q) { q.dtype = DType::bf16, q.precision = PrecisionPolicy::f32; }), "precision");
    EXPECT_NE(refused(t2v,
                      [](Request& q) {
                          q.noise = {NoiseSource::Kind::file, 0, "nowhere.safetensors"};
                      }),
              "accepted");
    EXPECT_EQ(refused("SkyReels-V2-I2V-tiny", [](Request&) {}), "image");
    EXPECT_EQ(refused(df, [](Request& q) { q.frames = 17, q.forcing = Forcing{0, 2, false}; }), "forcing.block");
    EXPECT_EQ(refused(df,
                      [](Request& q) {
                          q.frames = 13, q.forcing = Forcing{0, 2, false}, q.image = picture;
                      }),
              "forcing.block");
    EXPECT_EQ(refused(df, [](Request& q) { q.forcing = Forcing{-1, 1, false}; }), "forcing.ar_step");
}

TEST(Resolve, AnImageGivesWanItsSizeAndSkyReelsItsOrientation) {
    const Request wan = resolved("Wan2.1-FLF2V-tiny", [](Request& q) { q.image = q.last_image = picture; });
    EXPECT_EQ(wan.mode, Mode::flf2v);
    EXPECT_EQ(*wan.width % 16, 0);
    EXPECT_NEAR(double(*wan.width) * *wan.height, 1280.0 * 720, 0.1 * 1280 * 720);
    const Request sky = resolved("SkyReels-V2-I2V-tiny", [](Request& q) { q.image = picture; });
    EXPECT_EQ(*sky.width * *sky.height, 960 * 544);
}

TEST(Resolve, ThinImagesAreRefusedByName) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("denoir-thin-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    const auto wide = folder / "wide.png", tall = folder / "tall.png";
    write_png(wide, Image(16384, 1));
    write_png(tall, Image(1, 16384));
    const auto refuse = [](const char* model, const std::filesystem::path& file, const std::string& message,
                           const std::function<void(Request&)>& change) {
        try {
            resolved(model, change);
            ADD_FAILURE() << "accepted: " << message;
        } catch (const Error& e) {
            EXPECT_EQ(e.file(), file.string());
            EXPECT_EQ(e.message().substr(0, message.size()), message);
        }
    };
    const auto sized = [](Request& q) { q.width = q.height = 32, q.frames = 5; };
    const char *flf2v = "Wan2.1-FLF2V-tiny", *i2v = "SkyReels-V2-I2V-tiny";
    refuse(flf2v, wide, "its aspect of 16384 x 1 gives a video of 122880x",
           [&](Request& q) { q.image = q.last_image = wide; });
    refuse(flf2v, tall, "1 x 16384 is too long and thin", [&](Request& q) {
        sized(q);
        q.image = wide, q.last_image = tall;
    });
    refuse(i2v, wide, "16384 x 1 is too long and thin", [&](Request& q) {
        sized(q);
        q.image = wide, q.preprocess = Preprocess::diffusers;
    });
    const auto cropped = [&](Request& q) {
        sized(q);
        q.image = wide;
    };
    EXPECT_EQ(refused(i2v, cropped), "accepted"); // the original crops before it scales
    std::filesystem::remove_all(folder);
}

TEST(Resolve, DefaultsAreWhatResolveFillsIn) {
    for (const char* model : {"Wan2.1-T2V-tiny", "SkyReels-V2-DF-tiny", "Wan2.2-TI2V-tiny"}) {
        Request r;
        r.model = models / model;
        const Request d = Pipeline::defaults(r, ModelFolder::open(r.model)), full = resolved(model);
        EXPECT_EQ(d.mode, full.mode);
        EXPECT_EQ(d.width, full.width);
        EXPECT_EQ(d.frames, full.frames);
        EXPECT_EQ(d.steps, full.steps);
        EXPECT_EQ(d.shift, full.shift);
        EXPECT_EQ(d.guidance, full.guidance);
        EXPECT_EQ(d.negative_prompt, full.negative_prompt);
        EXPECT_EQ(d.precision, full.precision);
        EXPECT_EQ(d.forcing, full.forcing);
    }
}

// An image-to-video model without its image, and other values that cannot be used: defaults are there all the same.
TEST(Resolve, DefaultsNeedNothingButTheModel) {
    Request r;
    r.model = models / "SkyReels-V2-I2V-tiny";
    r.image = "/no/such/picture.png";
    r.width = 17, r.frames = 2, r.dtype = DType::f32, r.precision = PrecisionPolicy::wan;
    const Request d = Pipeline::defaults(r, ModelFolder::open(r.model));
    EXPECT_EQ(d.mode, Mode::i2v);
    EXPECT_GT(*d.width, 17);
    EXPECT_GT(*d.frames, 2);
}

TEST(Resolve, EstimateGrowsWithTheRequest) {
    const Request small =
        resolved("Wan2.1-T2V-tiny", [](Request& q) { q.width = 64, q.height = 64, q.frames = 5, q.steps = 2; });
    const Request large =
        resolved("Wan2.1-T2V-tiny", [](Request& q) { q.width = 128, q.height = 64, q.frames = 9, q.steps = 4; });
    const ModelFolder model = ModelFolder::open(small.model);
    const Estimate a = Pipeline::estimate(small, model), b = Pipeline::estimate(large, model);
    EXPECT_EQ(a.tokens, 2 * 4 * 4);
    EXPECT_EQ(b.tokens, 3 * 4 * 8);
    EXPECT_GT(b.flop, 4 * a.flop);
    EXPECT_GT(a.weight_bytes, 0u);
    EXPECT_GE(b.peak_bytes, a.peak_bytes);
}

// A card computes with copies in the type of the products: a bf16 file takes twice its size there in f32.
TEST(Resolve, EstimateCountsWeightsAsTheDeviceHoldsThem) {
    Request r = resolved("Wan2.1-T2V-tiny", [](Request& q) {
        q.width = 64, q.height = 64, q.frames = 5, q.steps = 2, q.dtype = DType::f32;
    });
    const ModelFolder model = ModelFolder::open(r.model);
    const Estimate on_host = Pipeline::estimate(r, model);
    EXPECT_EQ(on_host.held_bytes, on_host.weight_bytes);
    r.device = Device{Device::Kind::cuda, 0};
    const Estimate on_card = Pipeline::estimate(r, model);
    EXPECT_EQ(on_card.weight_bytes, on_host.weight_bytes);
    EXPECT_GT(on_card.held_bytes, on_host.held_bytes * 3 / 2);
    EXPECT_LE(on_card.held_bytes, on_host.held_bytes * 2);
    r.dtype = DType::bf16, r.precision = PrecisionPolicy::wan;
    EXPECT_EQ(Pipeline::estimate(r, model).held_bytes, on_host.weight_bytes);
}

/// spec/pipelines.md 8
TEST(StepCache, CoefficientsGoByTheModel) {
    ModelFolder model;
    Variant v;
    Request r;
    r.width = 832, r.height = 480;
    const auto first = [&](const char* name, std::int64_t dim, int condition, bool ret_steps = false) {
        model.root = name, v.dim = dim, v.condition = condition;
        r.cache = StepCaching{0.2, ret_steps, {}};
        const std::vector<double> c = cache_coefficients(r, v, model);
        return c[0] != 0 ? c[0] : c[1]; // those of degree four begin with a zero
    };
    EXPECT_EQ(first("Wan2.1-T2V-1.3B", 1536, 0), 2.39676752e3);
    EXPECT_EQ(first("Wan2.1-T2V-1.3B", 1536, 0, true), -5.21862437e4);
    EXPECT_EQ(first("tiny", 192, 0), 2.39676752e3);
    EXPECT_EQ(first("SkyReels-V2-DF-14B-720P", 5120, 0), -5784.54975374);
    EXPECT_EQ(first("SkyReels-V2-T2V-14B-540P", 5120, 0, true), -3.03318725e5);
    EXPECT_EQ(first("SkyReels-V2-I2V-1.3B-540P", 1536, 20), -3.02331670e2);
    EXPECT_EQ(first("Wan2.1-I2V-14B-480P", 5120, 20, true), 2.57151496e5);
    EXPECT_EQ(first("Wan2.1-I2V-14B-720P", 5120, 20), -114.36346466);
    EXPECT_EQ(first("Wan2.1-FLF2V-14B-720P", 5120, 20, true), 8.10705460e3);
    EXPECT_EQ(first("i2v", 5120, 20), -3.02331670e2);
    r.width = 1280, r.height = 720;
    EXPECT_EQ(first("i2v", 5120, 20), -114.36346466);
    EXPECT_EQ(first("i2v-480P", 5120, 20), -3.02331670e2);
    EXPECT_EQ(first("wan2.1_i2v_480p_14B_fp16", 5120, 20), -3.02331670e2);
    // A stored request with another rule than it was stored with.
    r.cache->ret_steps = true, r.cache->coefficients = cache_coefficients(r, v, model);
    EXPECT_EQ(r.cache->coefficients[1], 2.57151496e5);
    r.cache->ret_steps = false;
    EXPECT_EQ(cache_coefficients(r, v, model)[1], -3.02331670e2);
    // The folder's name tells no more: those it was stored with. Of another model: that one's own.
    r.cache->coefficients = cache_coefficients(r, v, model);
    model.root = "renamed";
    EXPECT_EQ(cache_coefficients(r, v, model)[1], -3.02331670e2);
    model.root = "Wan2.1-I2V-14B-720P";
    EXPECT_EQ(cache_coefficients(r, v, model)[1], -114.36346466);
    v.condition = 0, v.dim = 1536;
    EXPECT_EQ(cache_coefficients(r, v, model)[1], 2.39676752e3);
    r.cache->coefficients = {0, 0, 0, 0, 0, 0}; // by hand, as odd as they are
    EXPECT_EQ(cache_coefficients(r, v, model), std::vector<double>(6));
    v.stride = 16;
    EXPECT_EQ(first("Wan2.2-TI2V-5B", 3072, 0), 1.57472669e5);
    EXPECT_THROW(first("Wan2.2-TI2V-5B", 3072, 0, true), UsageError);
    v.stride = 8;
    model.transformer_low = {"low.safetensors"};
    EXPECT_THROW(first("Wan2.2-T2V-A14B", 5120, 0), UsageError);
    r.cache->coefficients = {0, -5784.54975374, 5449.50911966, -1811.16591783, 256.27178429, -13.02252404};
    EXPECT_EQ(cache_coefficients(r, v, model)[1], -5784.54975374); // of Wan 2.1's 14B, as people try
    r.cache->coefficients = {3, 2, 1};
    EXPECT_EQ(cache_coefficients(r, v, model), (std::vector<double>{3, 2, 1}));
}

TEST(StepCache, WanTwoExpertsCountEachItsOwn) {
    ModelFolder model;
    Request r;
    r.mode = Mode::t2v, r.sampler = Sampler::euler, r.steps = 10, r.shift = 1;
    const Window w{.frames = 3, .steps = 10};
    EXPECT_EQ(expert_steps(r, model, w, false), (std::pair{0, 10}));
    EXPECT_EQ(expert_steps(r, model, w, true), (std::pair{0, 0}));
    model.transformer_low = {"low.safetensors"};
    const auto [first, high] = expert_steps(r, model, w, false);
    EXPECT_EQ(first, 0);
    EXPECT_GT(high, 0);
    EXPECT_LT(high, 5);
    EXPECT_EQ(expert_steps(r, model, w, true), (std::pair{high, 10}));
    const auto times = step_times(r, w, 0);
    EXPECT_GE(times[std::size_t(high - 1)][0], 875);
    EXPECT_LT(times[std::size_t(high)][0], 875);
}

/// A run goes on as it began, wherever its model was moved since.
TEST(StepCache, TheResolvedRequestHoldsThePolynomial) {
    const auto cached = [](const StepCaching& cache) {
        return resolved("Wan2.1-T2V-tiny", [&](Request& q) { q.cache = cache; }).cache->coefficients;
    };
    EXPECT_EQ(cached({0.2, false, {}})[1], 2.39676752e3);
    EXPECT_EQ(cached({0.2, true, {}})[1], -5.21862437e4);
    EXPECT_EQ(cached({0.2, false, {1, 0}}), (std::vector<double>{1, 0}));
}

TEST(StepCache, IsRefusedByNameAndZeroIsOff) {
    const auto cached = [](double threshold) {
        return [threshold](Request& q) { q.cache = StepCaching{threshold, false, {}}; };
    };
    EXPECT_EQ(refused("Wan2.1-T2V-tiny", cached(0.2)), "accepted");
    EXPECT_EQ(refused("Wan2.1-T2V-tiny", cached(-0.1)), "cache.threshold");
    EXPECT_EQ(refused("Wan2.1-T2V-tiny", cached(std::nan(""))), "cache.threshold");
    EXPECT_FALSE(resolved("Wan2.1-T2V-tiny", cached(0)).cache);
}

TEST(StepCache, EstimateCountsWhatIsComputed) {
    const auto flop = [](std::optional<StepCaching> cache) {
        const Request r = resolved("SkyReels-V2-DF-tiny", [&](Request& q) {
            q.width = 64, q.height = 64, q.frames = 5, q.steps = 8, q.cache = std::move(cache);
        });
        return Pipeline::estimate(r, ModelFolder::open(r.model)).flop;
    };
    const double whole = flop({});
    EXPECT_DOUBLE_EQ(flop(StepCaching{1e-6, false, {1, 1}}), whole);
    EXPECT_DOUBLE_EQ(flop(StepCaching{StepCaching::most, false, {1, 0}}), whole * 4 / 16);
}

/// One whose high-noise steps alone, or low-noise steps alone, are guided costs less than with both.
TEST(Estimate, CountsEachExpertsGuidance) {
    const auto flop = [](double high, double low, std::optional<StepCaching> cache = {}) {
        const Request r = resolved("Wan2.2-T2V-A14B-tiny", [&](Request& q) {
            q.width = 64, q.height = 64, q.frames = 5, q.steps = 8;
            q.guidance = high, q.guidance_low = low, q.cache = std::move(cache);
        });
        return Pipeline::estimate(r, ModelFolder::open(r.model)).flop;
    };
    const double none = flop(1, 1), both = flop(5, 5), high = flop(5, 1), low = flop(1, 5);
    EXPECT_DOUBLE_EQ(both, 2 * none);
    EXPECT_DOUBLE_EQ(high + low, both + none);
    EXPECT_GT(high, none);
    EXPECT_GT(low, none);
    EXPECT_DOUBLE_EQ(flop(5, 1, StepCaching{1e-6, false, {1, 1}}), high); // nothing is reused
}

} // namespace
} // namespace denoir
