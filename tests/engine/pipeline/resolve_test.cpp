// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "engine/core/error.h"
#include "engine/media/image.h"
#include "engine/pipeline/defaults.h"
#include "engine/pipeline/pipeline.h"
#include "engine/weights/model_folder.h"
#include "tests/engine/pipeline/resolved.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {
namespace {

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

/// A guidance that the user gives is meant for both experts. The studio's hints, which come from defaults(), must agree
/// with the run.
TEST(Resolve, TheLowNoiseExpertFollowsTheUsersGuidance) {
    Request q;
    q.model = models / "Wan2.2-T2V-A14B-tiny", q.prompt = "a fox";
    const ModelFolder model = ModelFolder::open(q.model);
    EXPECT_EQ(Pipeline::defaults(q, model).guidance_low, 3.0);
    EXPECT_EQ(Pipeline::resolve(q, model).guidance_low, 3.0);
    q.guidance = 5;
    EXPECT_EQ(Pipeline::defaults(q, model).guidance_low, 5.0);
    EXPECT_EQ(Pipeline::resolve(q, model).guidance_low, 5.0);
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
    EXPECT_EQ(r.negative_prompt, ""); // Wan's is Chinese, which this model's tokenizer cannot encode
}

TEST(Resolve, WhatTheUserChoseStays) {
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

TEST(Resolve, OneSideIsCompletedFromTheDefaultsOrTheImage) {
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

/// spec/schedulers.md 9: the size in the request decides where the name says none.
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

/// In the spellings of the files by Comfy-Org, city96 and lightx2v, as in the original repositories, and where the
/// model is the current folder.
TEST(Resolve, ASizeInANameIsReadHoweverItIsWritten) {
    const TempFolder folder;
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
    // The name nearest to the model counts, since people keep all their models in one folder of any name.
    std::filesystem::create_directory(folder / "480p models");
    std::filesystem::rename(folder / "wan2.1-i2v-720p", folder / "480p models/wan2.1-i2v-14b-720p");
    EXPECT_EQ(shift(folder / "480p models/wan2.1-i2v-14b-720p"), 5.0);
    const Request df =
        Pipeline::defaults({}, ModelFolder::open(copy("SkyReels-V2-DF-tiny", "skyreels-v2-df-14b-720p")));
    EXPECT_EQ(df.width, 1280);
    EXPECT_EQ(df.frames, 121);
}

/// Fun-InP 1.3B is such a model, and its name says no size.
TEST(Resolve, ASmallImageModelKeepsTheSmallAreaForAnImage) {
    const TempFolder folder;
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

/// A merged model of Wan 2.2 can have Wan 2.1's form, but not the table of positions that a first-last-frame model was
/// trained with.
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
    // The names of the files tell which half is missing.
    const TempFolder folder;
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
    // So does the name of a single file without the word "noise". A merged model is complete and needs only its family.
    std::filesystem::copy(models / "Wan2.1-T2V-tiny", folder / "Wan2.2-T2V-A14B-LOW",
                          std::filesystem::copy_options::recursive);
    EXPECT_NE(refusal("Wan2.2-T2V-A14B-LOW").find("the high-noise one is missing"), std::string::npos);
    std::filesystem::rename(folder / "Wan2.2-T2V-A14B-LOW", folder / "wan2.2-t2v-merged");
    EXPECT_NE(refusal("wan2.2-t2v-merged").find("or family wan for a model of one transformer"), std::string::npos);
    Request merged;
    merged.model = folder / "wan2.2-t2v-merged", merged.prompt = "a fox", merged.family = Family::wan;
    EXPECT_EQ(Pipeline::resolve(merged, ModelFolder::open(merged.model)).mode, Mode::t2v);
    // A name that says that the model is merged needs no family.
    std::filesystem::rename(folder / "wan2.2-t2v-merged", folder / "wan2.2-t2v-rapid-aio");
    EXPECT_EQ(refusal("wan2.2-t2v-rapid-aio"), "accepted");
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

/// Fun-InP looks like an image-to-video model and takes a last image all the same. A14B works with and without one.
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

TEST(Resolve, BetweenTwoImagesThereMustBeFramesToMake) {
    const auto of = [](int frames) {
        return refused("Wan2.1-FLF2V-tiny", [=](Request& q) {
            q.image = q.last_image = picture, q.width = q.height = 64, q.frames = frames;
        });
    };
    EXPECT_EQ(of(1), "frames");
    EXPECT_EQ(of(5), "accepted");
}

TEST(Resolve, DiffusionForcingTellsTheFamily) {
    const TempFolder folder;
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

/// spec/pipelines.md 5 and spec/schedulers.md 9.
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
    // This picture has 150x118 pixels.
    const Request image = resolved("Wan2.2-TI2V-tiny-Diffusers", [](Request& q) { q.image = picture; });
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
    EXPECT_EQ(Pipeline::defaults(q, model).height, 480); // what the VAE does not decide is still known
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
    for (const auto& [noise, field] : {std::pair{-1, "forcing.condition_noise"},
                                       {0, "accepted"},
                                       {999, "accepted"},
                                       {1000, "forcing.condition_noise"}})
        EXPECT_EQ(refused(df, [&](Request& q) { q.forcing.emplace().condition_noise = noise; }), field) << noise;
    for (const auto& [processors, field] :
         {std::pair{0, "noise.kind"}, {1, "accepted"}, {1024, "accepted"}, {1025, "noise.kind"}})
        EXPECT_EQ(refused(t2v,
                          [&](Request& q) {
                              q.noise = {NoiseSource::Kind::torch_cuda, processors, {}};
                          }),
                  field)
            << processors;
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
    EXPECT_EQ(refused(i2v, cropped), "accepted"); // SkyReels' own code crops the picture before it scales it
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

// An image-to-video model without its image, with values that cannot be used: the studio still shows the model's
// defaults.
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

} // namespace
} // namespace denoir::test
