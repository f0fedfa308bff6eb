// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "engine/core/error.h"
#include "engine/core/random.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/window_latent.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/safetensors.h"

namespace denoir {
namespace {

const std::filesystem::path fixtures = DENOIR_FIXTURES;

Request small_request(const char* model) {
    Request r;
    r.model = fixtures / "_models" / model;
    r.prompt = "A red fox jumps";
    r.negative_prompt = "blurred";
    r.width = 64, r.height = 48, r.frames = 9, r.steps = 4, r.seed = 3, r.dtype = DType::f32;
    return r;
}

/// Records what a run reports.
struct Told : Observer {
    std::vector<Stage> begun;
    int steps = 0, last_total = 0;
    std::vector<std::string> warnings;
    void stage_begins(Stage s) override { begun.push_back(s); }
    void step_done(const StepInfo& info) override {
        ++steps;
        last_total = info.steps;
        EXPECT_EQ(info.latent.shape(), info.x0.shape());
        EXPECT_EQ(info.step, steps_before + steps);
    }
    void warning(std::string_view w) override { warnings.emplace_back(w); }
    int steps_before = 0;
};

struct Fixture {
    Request request;
    ModelFolder model;
    Residency residency;
    std::shared_ptr<Backend> backend;
    Pipeline pipeline;
    Told told;

    explicit Fixture(const Request& r, int threads = 2)
        : model(ModelFolder::open(r.model)), backend(open_backend(Device{}, threads)), pipeline(residency, backend) {
        request = Pipeline::resolve(r, model);
    }
    Conditioning condition() { return pipeline.condition(request, model, told, {}); }
    void denoise(
        const Conditioning& c, DenoiseState& state,
        std::function<void(const DenoiseState&)> after = [](const DenoiseState&) {}) {
        told.steps_before = state.step;
        pipeline.denoise(request, model, c, state,
                         {.after_step = [&](const DenoiseState& s, const StepInfo&) { after(s); }}, told, {});
    }
    Tensor run() {
        const Conditioning c = condition();
        DenoiseState state = pipeline.begin(request, model, c);
        denoise(c, state);
        return Pipeline::requested_frames(request, state.latent, state.step);
    }
};

bool same_bytes(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

TEST(Pipeline, OneAndTwoThreadsGiveTheSameBytes) {
    const Request r = small_request("Wan2.1-T2V-tiny");
    EXPECT_TRUE(same_bytes(Fixture(r, 1).run(), Fixture(r, 2).run()));
}

TEST(Pipeline, EncodersAreGoneBeforeDenoising) {
    Fixture f(small_request("SkyReels-V2-DF-tiny"));
    const Conditioning c = f.condition();
    DenoiseState state = f.pipeline.begin(f.request, f.model, c);
    const std::size_t before = f.residency.bytes();
    EXPECT_EQ(before, 0u);
    f.denoise(c, state);
    EXPECT_EQ(f.told.steps, 4);
    EXPECT_EQ(f.told.begun, (std::vector{Stage::load_text, Stage::text, Stage::load_transformer, Stage::denoise}));
}

TEST(Pipeline, TheVaeIsGoneWhileDenoising) {
    Request r = small_request("SkyReels-V2-DF-tiny");
    r.image = fixtures / "_inputs" / "landscape.png";
    Fixture f(r);
    const Conditioning c = f.condition();
    const std::size_t alone = Weights::load(f.model.transformer, Component::transformer).stored_bytes();
    EXPECT_GT(f.residency.bytes(), 0u);
    DenoiseState state = f.pipeline.begin(f.request, f.model, c);
    int asked = 0;
    f.denoise(c, state, [&](const DenoiseState&) {
        EXPECT_EQ(f.residency.bytes(), alone);
        ++asked;
    });
    EXPECT_EQ(asked, 4);
}

TEST(Pipeline, StoppedAfterAnyStepItGoesOnWithTheSameBytes) {
    for (const bool asynchronous : {false, true}) {
        Request r = small_request("SkyReels-V2-DF-tiny");
        if (asynchronous) r.forcing = Forcing{2, 1, false};
        Fixture f(r);
        const Conditioning c = f.condition();
        std::vector<DenoiseState> states{f.pipeline.begin(f.request, f.model, c)};
        DenoiseState state = states[0];
        f.denoise(c, state, [&](const DenoiseState& s) { states.push_back(s); });
        ASSERT_EQ(int(states.size()), Pipeline::step_count(f.request) + 1);
        for (DenoiseState again : states) {
            Fixture g(f.request);
            g.denoise(Conditioning::from_tensors(c.to_tensors()), again);
            EXPECT_TRUE(same_bytes(again.latent, state.latent)) << "from step " << again.step;
        }
    }
}

/// spec/pipelines.md 5: the tokens of the start image are at timestep 0, and its latent is put back after every step
/// because the solver changes it.
TEST(Pipeline, Ti2vKeepsItsFirstFrameAndGoesOnFromAnyStep) {
    Request r = small_request("Wan2.2-TI2V-tiny");
    r.width = 64, r.height = 32, r.frames = 9;
    r.image = fixtures / "_inputs" / "landscape.png";
    Fixture f(r);
    Conditioning c = f.condition();
    ASSERT_EQ(c.prefix.shape(), (Shape{48, 1, 2, 4}));
    EXPECT_FALSE(c.condition.defined());
    EXPECT_NO_THROW(Pipeline::check_conditioning(f.request, f.model, c));
    DenoiseState state = f.pipeline.begin(f.request, f.model, c);
    std::vector<DenoiseState> states{state};
    f.denoise(c, state, [&](const DenoiseState& s) { states.push_back(s); });
    for (const DenoiseState& s : states) {
        EXPECT_TRUE(same_bytes(s.latent.slice(1, 0, 1).to_host_f32(), c.prefix)) << s.step;
        EXPECT_NO_THROW(Pipeline::check_state(f.request, f.model, s));
        DenoiseState again = s;
        f.told.steps = 0;
        f.denoise(c, again);
        EXPECT_TRUE(same_bytes(again.latent, state.latent)) << s.step;
    }
    c.condition = Tensor::zeros({4, 3, 2, 4});
    EXPECT_THROW(Pipeline::check_conditioning(f.request, f.model, c), Error); // this model takes no condition
    c.condition = {}, c.prefix = {};
    EXPECT_THROW(Pipeline::check_conditioning(f.request, f.model, c), Error);
}

TEST(Pipeline, GuidanceOneNeverEncodesTheNegativePrompt) {
    Request r = small_request("Wan2.1-T2V-tiny");
    r.guidance = 1.0;
    Fixture f(r);
    EXPECT_FALSE(f.condition().negative_text.defined());
    r.guidance = 5.0;
    EXPECT_TRUE(Fixture(r).condition().negative_text.defined());
}

TEST(Pipeline, ACleanFirstFrameStaysAndAnEndImageIsDropped) {
    Request r = small_request("SkyReels-V2-DF-tiny");
    r.image = r.last_image = fixtures / "_inputs" / "landscape.png";
    Fixture f(r);
    const Conditioning c = f.condition();
    DenoiseState state = f.pipeline.begin(f.request, f.model, c);
    ASSERT_EQ(state.latent.size(1), 4); // three frames of the clip and the end image behind them
    f.denoise(c, state);
    EXPECT_TRUE(same_bytes(state.latent.select(1, 0).to_host_f32(), c.prefix.select(1, 0).to_host_f32()));
    EXPECT_TRUE(same_bytes(state.latent.select(1, 3).to_host_f32(), c.end.select(1, 0).to_host_f32()));
    EXPECT_EQ(Pipeline::requested_frames(f.request, state.latent, state.step).size(1), 3);
}

TEST(Pipeline, TheConditionOfAnImageHasItsMask) {
    Request r = small_request("SkyReels-V2-I2V-tiny");
    r.image = fixtures / "_inputs" / "landscape.png";
    Fixture f(r);
    const Conditioning c = f.condition();
    ASSERT_EQ(c.condition.shape(), (Shape{20, 3, 6, 8}));
    for (int ch = 0; ch < 4; ++ch)
        for (int t = 0; t < 3; ++t) EXPECT_EQ(c.condition.data<float>()[(ch * 3 + t) * 48 + 5], t == 0 ? 1.0f : 0.0f);
    EXPECT_EQ(c.clip.size(0), 257);
    EXPECT_TRUE(f.told.warnings.empty());
}

/// A run's folder, and the conditioning stored in it, may come from anyone.
TEST(Pipeline, FeaturesOfAnImageMustFitTheModelAndTheRequest) {
    Request r = small_request("SkyReels-V2-I2V-tiny");
    r.image = fixtures / "_inputs" / "landscape.png";
    Fixture f(r);
    Conditioning c = f.condition();
    const Tensor features = c.clip;
    EXPECT_NO_THROW(Pipeline::check_conditioning(f.request, f.model, c));
    for (const Tensor& wrong : {Tensor(), Tensor::zeros({257, features.size(1) + 1}), Tensor::zeros({257})}) {
        c.clip = wrong;
        EXPECT_THROW(Pipeline::check_conditioning(f.request, f.model, c), Error);
    }
    Fixture text(small_request("Wan2.1-T2V-tiny"));
    c = text.condition();
    c.clip = features;
    EXPECT_THROW(Pipeline::check_conditioning(text.request, text.model, c), Error);
}

TEST(Pipeline, WarnsIfTheImageEncoderDoesNotSeeTheLastImage) {
    Request r = small_request("SkyReels-V2-I2V-tiny");
    r.image = r.last_image = fixtures / "_inputs" / "landscape.png";
    Fixture f(r);
    f.condition();
    ASSERT_EQ(f.told.warnings.size(), 1u);
    EXPECT_NE(f.told.warnings[0].find("sees the start image alone"), std::string::npos) << f.told.warnings[0];
}

/// The video has 90x60 pixels. Sides of whole latents rarely have exactly that aspect, and a small difference gives no
/// warning.
TEST(Pipeline, WarnsIfTheVideoIsStretched) {
    for (const auto& [width, told] : {std::pair{64, true}, {96, false}}) {
        Request r = small_request("SkyReels-V2-DF-tiny");
        r.width = width, r.height = 64;
        r.forcing = Forcing{.video = fixtures / "_inputs" / "before", .overlap = 5};
        Fixture f(r);
        f.condition();
        EXPECT_EQ(f.told.warnings.empty(), !told) << width;
        for (const std::string& warning : f.told.warnings)
            EXPECT_NE(warning.find("90x60 are stretched to 64x64"), std::string::npos) << warning;
    }
}

TEST(Pipeline, CancellationLeavesAWholeStep) {
    Fixture f(small_request("Wan2.1-T2V-tiny"));
    const Conditioning c = f.condition();
    DenoiseState state = f.pipeline.begin(f.request, f.model, c);
    std::stop_source stop;
    const auto after = [&](const DenoiseState& s, const StepInfo&) {
        if (s.step == 2) stop.request_stop();
    };
    EXPECT_THROW(f.pipeline.denoise(f.request, f.model, c, state, {.after_step = after}, f.told, stop.get_token()),
                 Cancelled);
    EXPECT_EQ(state.step, 2);
}

TEST(Pipeline, ALongPromptIsCutWithAWarning) {
    Request r = small_request("Wan2.1-T2V-tiny");
    for (int i = 0; i < 400; ++i) r.prompt += " fox jumps over";
    Fixture f(r);
    f.condition();
    ASSERT_EQ(f.told.warnings.size(), 1u);
    EXPECT_NE(f.told.warnings[0].find("the prompt is longer than"), std::string::npos);
}

TEST(Pipeline, DecodingGivesEveryFrameOnceInOrder) {
    Fixture f(small_request("Wan2.1-T2V-tiny"));
    const Tensor latent = f.run();
    int next = 0;
    f.pipeline.decode(f.request, f.model, {latent},
                      [&](int index, const Tensor& picture) {
                          EXPECT_EQ(index, next++);
                          EXPECT_EQ(picture.shape(), (Shape{3, 48, 64}));
                          for (const float v : picture.span<float>()) ASSERT_LE(std::abs(v), 1.0f);
                      },
                      f.told, {});
    EXPECT_EQ(next, 9);
}

Request windows_request() {
    Request r = small_request("SkyReels-V2-DF-tiny");
    r.frames = 29, r.steps = 2;
    r.forcing.emplace();
    r.forcing->base = 13, r.forcing->overlap = 5;
    return r;
}

/// The examples of spec/pipelines.md 7.5.
TEST(Windows, AreThoseOfTheReference) {
    const auto latent_frames = [](int frames, int base, int overlap) {
        Request r = windows_request();
        r.mode = Mode::forcing, r.shift = 8, r.sampler = Sampler::unipc, r.frames = frames;
        r.forcing->base = base, r.forcing->overlap = overlap;
        std::vector<int> sizes;
        int ends = 0;
        for (const Window& w : windows_of(r)) {
            sizes.push_back(w.frames);
            EXPECT_EQ(w.begin + w.ready, ends) << "what it makes goes on after what there is";
            EXPECT_EQ(w.first_step, 2 * w.index);
            ends = w.begin + w.frames;
        }
        EXPECT_EQ(4 * ends - 3, frames);
        return sizes;
    };
    using Sizes = std::vector<int>;
    EXPECT_EQ(latent_frames(97, 97, 17), (Sizes{25}));
    EXPECT_EQ(latent_frames(257, 97, 17), (Sizes{25, 25, 25}));
    EXPECT_EQ(latent_frames(377, 97, 17), (Sizes{25, 25, 25, 25, 15}));
    EXPECT_EQ(latent_frames(1457, 97, 17), Sizes(18, 25));
    EXPECT_EQ(latent_frames(237, 97, 17), (Sizes{25, 25, 20}));
    EXPECT_EQ(latent_frames(121, 97, 17), (Sizes{25, 11}));
    EXPECT_EQ(latent_frames(101, 97, 17), (Sizes{25, 6}));
    EXPECT_EQ(latent_frames(257, 97, 37), (Sizes{25, 25, 25, 20}));
    EXPECT_EQ(latent_frames(257, 121, 17), (Sizes{31, 31, 13}));
}

TEST(Windows, StoppedAfterAnyStepTheyGoOnWithTheSameBytes) {
    for (const int noise : {0, 40}) {
        Request r = windows_request();
        r.forcing->condition_noise = noise;
        if (noise > 0) r.frames = 21, r.forcing->overlap = 9; // each window makes fewer pictures than it passes on
        Fixture f(r);
        const Conditioning c = f.condition();
        std::vector<DenoiseState> states{f.pipeline.begin(f.request, f.model, c)};
        DenoiseState state = states[0];
        f.denoise(c, state, [&](const DenoiseState& s) { states.push_back(s); });
        ASSERT_EQ(state.before.size(), 2u);
        ASSERT_EQ(int(states.size()), 3 * 2 + 1) << "three windows of two steps";
        for (DenoiseState again : states) {
            EXPECT_NO_THROW(Pipeline::check_state(f.request, f.model, again)) << again.step;
            Fixture g(f.request);
            g.denoise(c, again);
            EXPECT_TRUE(same_bytes(again.latent, state.latent)) << "from step " << again.step;
            for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bytes(again.before[i], state.before[i])) << again.step;
        }
    }
}

TEST(Windows, PicturesComeInOrderWhetherAtOnceOrAtTheEnd) {
    Fixture f(windows_request());
    const Conditioning c = f.condition();
    DenoiseState state = f.pipeline.begin(f.request, f.model, c);
    std::vector<Tensor> at_once, at_the_end;
    const auto into = [](std::vector<Tensor>& all) {
        return [&all](int index, const Tensor& picture) {
            EXPECT_EQ(index, int(all.size()));
            all.push_back(picture.to_host_f32());
        };
    };
    f.denoise(c, state);
    f.pipeline.decode(f.request, f.model, state.all(), into(at_the_end), f.told, {});
    state = f.pipeline.begin(f.request, f.model, c);
    Told again;
    f.pipeline.denoise(f.request, f.model, c, state, {.pictures = into(at_once)}, again, {});
    EXPECT_EQ(at_once.size(), 13u + 8); // the last window is not decoded yet
    ASSERT_EQ(state.before.size(), 2u);
    EXPECT_TRUE(!state.before[0] && !state.before[1]) << "a long clip's would fill the memory";
    f.pipeline.decode(f.request, f.model, state.all(), into(at_once), f.told, {}, 2);
    ASSERT_EQ(at_once.size(), 29u);
    ASSERT_EQ(at_the_end.size(), 29u);
    for (std::size_t i = 0; i < at_once.size(); ++i) EXPECT_TRUE(same_bytes(at_once[i], at_the_end[i])) << i;
}

/// Notes how long each step took and how long the run said that it would still take.
struct Timed : Observer {
    std::vector<double> seconds, left;
    std::string computed; ///< 'x' for a step that was computed, '.' for a reused one
    void step_done(const StepInfo& info) override {
        seconds.push_back(info.seconds), computed += info.reused > 0 ? '.' : 'x';
    }
    void progress(Stage stage, double, double, double seconds_left) override {
        if (stage == Stage::denoise) left.push_back(seconds_left);
    }
};

/// A step after the end of guidance makes half as many forwards as one before, and one that TeaCache skips makes none.
TEST(Pipeline, TimeLeftGoesByTheForwardsOfTheStepsToCome) {
    const auto timed = [](const Request& r) {
        Fixture f(r);
        const Conditioning c = f.condition();
        DenoiseState state = f.pipeline.begin(f.request, f.model, c);
        Timed out;
        f.pipeline.denoise(f.request, f.model, c, state, {}, out, {});
        return out;
    };
    Request r = small_request("Wan2.1-T2V-tiny");
    // The times are 999, 749, 499 and 249.
    r.shift = 1, r.sampler = Sampler::euler, r.guidance = 5, r.guidance_until = 700;
    const Timed ends = timed(r);
    ASSERT_EQ(ends.left.size(), 5u);
    EXPECT_LT(ends.left[0], 0);
    EXPECT_NEAR(ends.left[1] / ends.seconds[0], 4.0 / 2, 1e-6);
    EXPECT_NEAR(ends.left[2] / (ends.seconds[0] + ends.seconds[1]), 2.0 / 4, 1e-6);
    EXPECT_EQ(ends.left[4], 0);

    r.cache = StepCaching{StepCaching::most, false, {1, 0}}; // TeaCache computes only the first and the last step
    const Timed cached = timed(r);
    EXPECT_NEAR(cached.left[1] / cached.seconds[0], 1.0 / 2, 1e-6);

    r = small_request("SkyReels-V2-DF-tiny"); // windows of three latent frames each
    r.frames = 17, r.steps = 2, r.forcing = Forcing{.overlap = 5, .base = 9};
    const Timed windows = timed(r);
    ASSERT_EQ(windows.seconds.size(), 6u);
    EXPECT_GE(windows.left[3], 0) << "the pace of the first window is known in the second";
}

/// A run that is never guided needs no negative prompt. TeaCache still counts two forwards a step, as the reference
/// does.
TEST(Pipeline, GuidanceThatEndsBeforeItBeginsEncodesNoNegativePrompt) {
    Request r = small_request("SkyReels-V2-DF-tiny");
    r.forcing = Forcing{}, r.steps = 8, r.frames = 5, r.guidance = 5, r.guidance_until = 1000;
    r.cache = StepCaching{StepCaching::most, false, {1, 0}};
    Fixture f(r);
    EXPECT_TRUE(has_guidance(f.request));
    EXPECT_FALSE(uses_negative(f.request, f.model));
    Conditioning c = f.condition();
    EXPECT_TRUE(c.text && !c.negative_text);
    EXPECT_NO_THROW(Pipeline::check_conditioning(f.request, f.model, c));
    const auto run = [&] {
        DenoiseState state = f.pipeline.begin(f.request, f.model, c);
        Timed told;
        f.pipeline.denoise(f.request, f.model, c, state, {}, told, {});
        EXPECT_EQ(told.computed, "x...x..."); // without guidance in the request it would be "xx......"
        return state.latent;
    };
    const Tensor without = run();
    c.negative_text = c.text; // earlier versions stored one
    EXPECT_TRUE(same_bytes(run(), without));
    f.request.guidance_until = 900;
    EXPECT_TRUE(uses_negative(f.request, f.model));
    EXPECT_THROW(Pipeline::check_conditioning(f.request, f.model, Conditioning{.text = c.text}), Error);
}

/// None of the low-noise expert's steps is as noisy as those that are guided.
TEST(Pipeline, GuidanceThatEndsBeforeTheSecondExpertEncodesNoNegativePrompt) {
    Request r = small_request("Wan2.2-T2V-A14B-tiny");
    r.guidance = 1, r.guidance_low = 4, r.guidance_until = 900;
    Fixture f(r);
    const Conditioning c = f.condition();
    EXPECT_TRUE(c.text && !c.negative_text);
    EXPECT_NO_THROW(Pipeline::check_conditioning(f.request, f.model, c));
    const auto run = [&](double low) {
        f.request.guidance_low = low;
        DenoiseState state = f.pipeline.begin(f.request, f.model, c);
        f.pipeline.denoise(f.request, f.model, c, state, {}, f.told, {});
        return state.latent;
    };
    const Tensor guided = run(4);
    f.told.steps = 0;
    EXPECT_TRUE(same_bytes(guided, run(1)));
    f.request.guidance_until = 0, f.request.guidance_low = 4;
    EXPECT_THROW(Pipeline::check_conditioning(f.request, f.model, c), Error);
}

/// Goes on from every step of a run with TeaCache, with nothing but what is stored on the disk.
void expect_the_same_from_any_step(const Request& r, int reused) {
    struct Counted : Observer {
        int forwards = 0, reused = 0;
        void step_done(const StepInfo& info) override { forwards += info.forwards, reused += info.reused; }
    } counted;
    Fixture f(r);
    const Conditioning c = f.condition();
    std::vector<DenoiseState> states{f.pipeline.begin(f.request, f.model, c)};
    DenoiseState state = states[0];
    f.pipeline.denoise(f.request, f.model, c, state,
                       {.after_step = [&](const DenoiseState& s, const StepInfo&) { states.push_back(s); },
                        .stored = [](int) -> Tensor { throw Error({}, "", "is not asked by a whole run", {}); }},
                       counted, {});
    EXPECT_EQ(counted.reused, reused) << "of " << counted.forwards;
    for (const DenoiseState& from : states) {
        Fixture g(f.request);
        DenoiseState again = from;
        g.told.steps_before = from.step;
        const auto stored = [&](int step) {
            EXPECT_LT(step, from.step);
            EXPECT_NO_THROW(Pipeline::check_latent(f.request, f.model, step, states[std::size_t(step)].latent));
            return states[std::size_t(step)].latent;
        };
        g.pipeline.denoise(g.request, g.model, c, again, {.stored = stored}, g.told, {});
        EXPECT_TRUE(same_bytes(again.latent, state.latent)) << "from step " << from.step;
    }
}

TEST(StepCache, StoppedAfterAnyStepItGoesOnWithTheSameBytes) {
    Request r = small_request("Wan2.1-T2V-tiny");
    r.steps = 7;
    r.cache = StepCaching{StepCaching::most, false, {1, 0}}; // reuses every forward that need not be computed
    expect_the_same_from_any_step(r, 10);
    for (const DType dtype : {DType::f32, DType::bf16}) {
        r = small_request("SkyReels-V2-DF-tiny");
        r.steps = 3, r.frames = 13, r.dtype = dtype;
        r.forcing = Forcing{1, 1, false};
        r.cache = StepCaching{StepCaching::most, false, {1, 0}};
        expect_the_same_from_any_step(r, 8); // of six rows the first and the fourth are computed
        r.guidance = 1;                      // there is one forward a row, of which the first two are computed
        expect_the_same_from_any_step(r, 4);
    }
    // Of 22 rows every fifth is guided. The last guided row reuses what the twelfth one computes for it.
    r.guidance = 5, r.guidance_until = 985, r.steps = 7, r.forcing = Forcing{.ar_step = 5};
    expect_the_same_from_any_step(r, 22 + 4 + 1 - 4);
}

TEST(StepCache, EachWindowComputesItsFirstStepAndGoesOnFromAny) {
    Request r = windows_request();
    r.steps = 4, r.frames = 21;
    r.forcing->condition_noise = 40;
    r.guidance = 1;
    r.cache = StepCaching{StepCaching::most, false, {1, 0}};
    expect_the_same_from_any_step(r, 2 * 2);
}

TEST(StepCache, ThreadsAndAThresholdThatIsNeverReachedChangeNothing) {
    Request r = small_request("SkyReels-V2-DF-tiny");
    const Tensor plain = Fixture(r).run();
    r.cache = StepCaching{1e-6, false, {1, 1}};
    EXPECT_TRUE(same_bytes(Fixture(r).run(), plain));
    r.cache->threshold = StepCaching::most;
    const Tensor reused = Fixture(r, 1).run();
    EXPECT_TRUE(same_bytes(Fixture(r, 2).run(), reused));
    EXPECT_FALSE(same_bytes(reused, plain));
}

/// The same request with latents in bf16.
Request in_bf16(Request r) {
    r.dtype = DType::bf16;
    return r;
}

/// spec/pipelines.md 7.4: each step draws its own noise, which is rounded wherever the reference holds it in bf16.
TEST(Windows, NoiseOnGivenFramesIsNewInEachStepAndRoundedAsInTheReference) {
    Request r = windows_request();
    const Tensor zeros = Tensor::zeros({2, 3, 4, 5});
    r.forcing->condition_noise = 1000; // all noise, nothing of the latent
    const Tensor noise = with_condition_noise(r, zeros, 2, 6);
    EXPECT_FALSE(same_bytes(noise, with_condition_noise(r, zeros, 2, 7)));
    EXPECT_TRUE(same_bytes(noise, with_condition_noise(r, zeros, 2, 6)));
    const Tensor last = noise.slice(1, 2, 3).to_host_f32();
    for (const float v : last.span<float>()) EXPECT_EQ(v, 0); // the third frame is not given, so it gets no noise
    r.forcing->condition_noise = 300;
    Tensor latent = Tensor::zeros(zeros.shape());
    for (std::size_t i = 0; i < latent.span<float>().size(); ++i)
        latent.span<float>()[i] = round_to_bf16(0.37f * float(i % 11) - 2);
    const Tensor f32 = with_condition_noise(r, latent, 2, 6), bf16 = with_condition_noise(in_bf16(r), latent, 2, 6);
    for (std::size_t i = 0; i < 120; ++i) {
        const float x = latent.span<float>()[i], n = noise.span<float>()[i];
        if (i / 20 % 3 == 2) { // a frame that is not given
            EXPECT_EQ(f32.span<float>()[i], x);
            EXPECT_EQ(bf16.span<float>()[i], x);
            continue;
        }
        EXPECT_NEAR(f32.span<float>()[i], x * 0.7f + n * 0.3f, 1e-6);
        const float kept = round_to_bf16(x * 0.7f), added = round_to_bf16(round_to_bf16(n) * 0.3f);
        EXPECT_EQ(bf16.span<float>()[i], round_to_bf16(kept + added)) << i;
    }
}

/// SkyReels holds its latents in bf16 from the very first one, Wan draws them in f32.
TEST(Windows, TheFirstLatentOfForcingIsRounded) {
    Request r = windows_request();
    const Tensor noise = TorchCpuGenerator(5).randn({2, 3, 4, 5});
    const auto rounded = [&](const Request& request) {
        const Tensor latent = window_latent(request, noise, {}, {});
        std::size_t same = 0, all = 0;
        for (std::size_t i = 0; i < 120; ++i) {
            same += latent.span<float>()[i] == noise.span<float>()[i];
            all += latent.span<float>()[i] == round_to_bf16(noise.span<float>()[i]);
        }
        return same == 120 ? "as drawn" : all == 120 ? "rounded" : "neither";
    };
    r.mode = Mode::forcing;
    EXPECT_STREQ(rounded(r), "as drawn");
    EXPECT_STREQ(rounded(in_bf16(r)), "rounded");
    r.mode = Mode::t2v;
    EXPECT_STREQ(rounded(in_bf16(r)), "as drawn");
}

/// A card's noise depends on how many multiprocessors it has. This tensor is the one in the generator's fixture.
TEST(Pipeline, NoiseOfACardIsThatOfItsMultiprocessors) {
    Request r = small_request("Wan2.1-T2V-tiny");
    r.mode = Mode::t2v, r.frames = 33, r.seed = 5;
    r.noise.kind = NoiseSource::Kind::torch_cuda;
    const auto drawn = [&](int multiprocessors) {
        r.noise.multiprocessors = multiprocessors;
        return WindowNoise(r, {4, 9, 10, 25}).of(windows_of(r).front());
    };
    const Tensor one = drawn(1), two = drawn(2);
    EXPECT_FALSE(same_bytes(one, two));
    const auto expected = read_safetensors(fixtures / "noise-cuda-5-1sm" / "expect.safetensors");
    const Tensor wanted = expected.begin()->second.to_host_f32();
    ASSERT_EQ(wanted.elements(), one.elements());
    for (std::size_t i = 0; i < one.span<float>().size(); ++i)
        ASSERT_NEAR(one.span<float>()[i], wanted.span<float>()[i], 2e-6) << i;
}

TEST(Windows, NoiseOnGivenFramesIsSeenByTheModelAndNotKeptInTheClip) {
    Request r = small_request("SkyReels-V2-DF-tiny");
    r.image = fixtures / "_inputs" / "landscape.png";
    r.forcing.emplace();
    const Tensor clean = Fixture(r).run();
    r.forcing->condition_noise = 20;
    Fixture f(r);
    const Conditioning c = f.condition();
    DenoiseState state = f.pipeline.begin(f.request, f.model, c);
    f.denoise(c, state);
    EXPECT_TRUE(same_bytes(state.latent.select(1, 0).to_host_f32(), c.prefix.select(1, 0).to_host_f32()));
    EXPECT_FALSE(same_bytes(state.latent, clean));
}

} // namespace
} // namespace denoir
