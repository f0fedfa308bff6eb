// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/schedule.h"
#include "engine/pipeline/step_cache.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "engine/weights/model_folder.h"
#include "tests/engine/pipeline/resolved.h"

namespace denoir::test {
namespace {

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

// A card computes with copies of the weights in the type of the products, so in f32 a bf16 file takes twice its size
// there.
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

/// The polynomials of spec/pipelines.md 8.
TEST(StepCache, CoefficientsDependOnTheModel) {
    ModelFolder model;
    Variant v;
    Request r;
    r.width = 832, r.height = 480;
    const auto first = [&](const char* name, std::int64_t dim, int condition, bool ret_steps = false) {
        model.root = name, v.dim = dim, v.condition = condition;
        r.cache = StepCaching{0.2, ret_steps, {}};
        const std::vector<double> c = cache_coefficients(r, v, model);
        return c[0] != 0 ? c[0] : c[1]; // a polynomial of degree four begins with a zero
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
    // A stored request whose rule was changed afterwards takes the polynomial of the new rule.
    r.cache->ret_steps = true, r.cache->coefficients = cache_coefficients(r, v, model);
    EXPECT_EQ(r.cache->coefficients[1], 2.57151496e5);
    r.cache->ret_steps = false;
    EXPECT_EQ(cache_coefficients(r, v, model)[1], -3.02331670e2);
    // If the folder's new name tells no model, the stored polynomial stays. If it names another model, that model's
    // counts.
    r.cache->coefficients = cache_coefficients(r, v, model);
    model.root = "renamed";
    EXPECT_EQ(cache_coefficients(r, v, model)[1], -3.02331670e2);
    model.root = "Wan2.1-I2V-14B-720P";
    EXPECT_EQ(cache_coefficients(r, v, model)[1], -114.36346466);
    v.condition = 0, v.dim = 1536;
    EXPECT_EQ(cache_coefficients(r, v, model)[1], 2.39676752e3);
    r.cache->coefficients = {0, 0, 0, 0, 0, 0}; // a polynomial that the user wrote is kept, odd as it is
    EXPECT_EQ(cache_coefficients(r, v, model), std::vector<double>(6));
    v.stride = 16;
    EXPECT_EQ(first("Wan2.2-TI2V-5B", 3072, 0), 1.57472669e5);
    EXPECT_THROW(first("Wan2.2-TI2V-5B", 3072, 0, true), UsageError);
    v.stride = 8;
    model.transformer_low = {"low.safetensors"};
    EXPECT_THROW(first("Wan2.2-T2V-A14B", 5120, 0), UsageError);
    r.cache->coefficients = {0, -5784.54975374, 5449.50911966, -1811.16591783, 256.27178429, -13.02252404};
    // People try the polynomial of Wan 2.1's 14B with this model.
    EXPECT_EQ(cache_coefficients(r, v, model)[1], -5784.54975374);
    // It is accepted with a warning, also if the request was made for another model.
    EXPECT_NE(cache_warning(r, model), "");
    model.transformer_low.clear();
    EXPECT_EQ(cache_warning(r, model), "");
    model.transformer_low = {"low.safetensors"};
    r.cache->coefficients = {3, 2, 1};
    EXPECT_EQ(cache_warning(r, model), "");
    EXPECT_EQ(cache_coefficients(r, v, model), (std::vector<double>{3, 2, 1}));
}

TEST(StepCache, EachExpertCountsItsOwnSteps) {
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

/// spec/schedulers.md 8: a time equal to the boundary is the high-noise expert's. model_index.json gives the boundary,
/// and otherwise a default does.
TEST(Experts, AStepAtTheBoundaryIsTheHighNoiseExperts) {
    Request q;
    q.model = models / "Wan2.2-T2V-A14B-tiny", q.prompt = "a fox";
    q.width = 64, q.height = 32, q.frames = 5, q.steps = 4, q.shift = 1, q.sampler = Sampler::euler;
    ModelFolder model = ModelFolder::open(q.model);
    const Request r = Pipeline::resolve(q, model);
    const Window w{.frames = 2, .steps = 4};
    ASSERT_EQ(step_times(r, w, 0)[2][0], 499);
    EXPECT_EQ(expert_steps(r, model, w, false), (std::pair{0, 1}));
    model.model_index["boundary_ratio"] = 0.499;
    EXPECT_EQ(expert_steps(r, model, w, false), (std::pair{0, 3}));
    EXPECT_EQ(expert_steps(r, model, w, true), (std::pair{3, 4}));
    // A run loads its experts at the same steps.
    struct Loads : Observer {
        std::vector<int> after; ///< how many steps were done at each load
        int steps = 0;
        void stage_begins(Stage s) override {
            if (s == Stage::load_transformer) after.push_back(steps);
        }
        void step_done(const StepInfo&) override { ++steps; }
    } loads;
    Residency residency;
    Pipeline pipeline(residency, open_backend(Device{}, 1));
    const Conditioning c = pipeline.condition(r, model, loads, {});
    DenoiseState state = pipeline.begin(r, model, c);
    pipeline.denoise(r, model, c, state, {}, loads, {});
    EXPECT_EQ(loads.after, (std::vector{0, 3}));
}

/// Guidance is on for both experts, but it ends before the second one begins.
TEST(Experts, AnExpertThatIsNeverGuidedPreparesNoNegativePrompt) {
    struct Prepared : Observer, LayerObserver {
        std::set<std::string> prompts; ///< written as EXPERT/BRANCH
        LayerObserver* layers() override { return this; }
        bool wants(std::string_view key) const override { return key.ends_with("/text_embedding.2"); }
        void layer(std::string_view key, const Tensor&) override { prompts.emplace(key.substr(0, key.rfind('/'))); }
    };
    const auto prepared = [](double until) {
        const Request r = resolved("Wan2.2-T2V-A14B-tiny", [&](Request& q) {
            q.width = 64, q.height = 32, q.frames = 5, q.steps = 4, q.shift = 1;
            q.guidance = 4, q.guidance_until = until;
        });
        const ModelFolder model = ModelFolder::open(r.model);
        Residency residency;
        Pipeline pipeline(residency, open_backend(Device{}, 1));
        Prepared told;
        const Conditioning c = pipeline.condition(r, model, told, {});
        DenoiseState state = pipeline.begin(r, model, c);
        pipeline.denoise(r, model, c, state, {}, told, {});
        return told.prompts;
    };
    using Prompts = std::set<std::string>;
    const Prompts but_one{"transformer/cond", "transformer/uncond", "transformer_low/cond"};
    EXPECT_EQ(prepared(900), but_one);
    Prompts all = but_one;
    all.insert("transformer_low/uncond");
    EXPECT_EQ(prepared(0), all);
}

TEST(Guided, AsInTheLoopOfEachFamily) {
    Request r;
    r.mode = Mode::forcing, r.family = Family::skyreels_df;
    EXPECT_FALSE(guided(r, 0.5));
    EXPECT_FALSE(guided(r, 1));
    EXPECT_TRUE(guided(r, 1.5));
    r.mode = Mode::t2v, r.family = Family::wan;
    EXPECT_TRUE(guided(r, 0.5));
    EXPECT_FALSE(guided(r, 1));
}

/// A negative prompt is encoded if any step of either expert is guided. Wan 2.1 has one expert, to which `low` means
/// nothing.
TEST(Guided, ByTheGuidanceOfItsExpertWhileThatLasts) {
    ModelFolder model;
    Request r;
    r.mode = Mode::t2v, r.family = Family::wan, r.frames = 5, r.sampler = Sampler::euler, r.steps = 10, r.shift = 1;
    using Steps = std::pair<int, int>;
    const auto guided_by = [&](double high, double low, double until = 0) {
        r.guidance = high, r.guidance_low = low, r.guidance_until = until;
        const Steps steps = guided_steps(r, model);
        EXPECT_EQ(uses_negative(r, model), steps.first > 0);
        return steps;
    };
    EXPECT_EQ(guided_by(1, 3), Steps(0, 10));
    r.family = Family::wan22;
    model.transformer_low = {"low.safetensors"};
    const int high = expert_steps(r, model, windows_of(r).front(), false).second; // the steps at time 875 and above
    ASSERT_GT(high, 0);
    EXPECT_EQ(guided_by(1, 1), Steps(0, 10));
    EXPECT_EQ(guided_by(3, 1), Steps(high, 10));
    EXPECT_EQ(guided_by(1, 3), Steps(10 - high, 10));
    EXPECT_EQ(guided_by(3, 3), Steps(10, 10));
    EXPECT_EQ(guided_by(3, 3, 876), Steps(high, 10));
    EXPECT_EQ(guided_by(1, 3, 876), Steps(0, 10)); // none of the low-noise expert's steps is that noisy
}

TEST(Guided, SixteenFramesASecondAloneAreTheFirstRow) {
    Request r;
    for (const auto& [fps, row] : {std::pair{15.0, 1}, {16.0, 0}, {24.0, 1}}) {
        r.fps = fps;
        EXPECT_EQ(fps_row(r), row) << fps;
    }
}

/// A run goes on with the polynomial it began with, even if its model was moved or renamed.
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

/// spec/pipelines.md 1.3: without guidance SkyReels' forcing loop makes one forward a step, but the reference counts
/// two for each of its first steps.
TEST(StepCache, CountsForwardsAsEachLoopMakesThem) {
    const auto computed = [](Mode mode, Family family) {
        Request r;
        r.mode = mode, r.family = family, r.cache = StepCaching{StepCaching::most, true, {1, 0}};
        std::vector<std::vector<float>> times;
        for (int step = 0; step < 14; ++step) times.push_back({float(900 - 50 * step)});
        const StepCache cache(r, {1, 0}, {}, 0, times, false, [](std::span<const float> t) {
            Tensor same = Tensor::zeros({std::int64_t(t.size()), 1});
            for (float& v : same.span<float>()) v = 1;
            return same;
        });
        std::string said;
        for (int step = 0; step < 14; ++step) said += cache.at(step, 0).source == step ? 'x' : '.';
        return said;
    };
    EXPECT_EQ(computed(Mode::forcing, Family::skyreels_df), "xxxxxxxxxx....");
    EXPECT_EQ(computed(Mode::t2v, Family::wan), "xxxxx.........");
}

/// Guidance in only one expert's steps costs less than guidance in both.
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
    // The threshold is so low that nothing is reused.
    EXPECT_DOUBLE_EQ(flop(5, 1, StepCaching{1e-6, false, {1, 1}}), high);
}

/// Each step below the end of guidance saves a forward, with TeaCache as well.
TEST(Estimate, CountsWhereGuidanceEnds) {
    const auto flop = [](double until, double guidance = 5, std::optional<StepCaching> cache = {}) {
        const Request r = resolved("Wan2.1-T2V-tiny", [&](Request& q) {
            q.width = 64, q.height = 64, q.frames = 5, q.steps = 8, q.shift = 1, q.sampler = Sampler::euler;
            q.guidance = guidance, q.guidance_until = until, q.cache = std::move(cache);
        });
        return Pipeline::estimate(r, ModelFolder::open(r.model)).flop;
    };
    const double none = flop(0, 1), step = none / 8; // the times are 999, 874, … 124.9
    EXPECT_DOUBLE_EQ(flop(0), 2 * none);
    EXPECT_DOUBLE_EQ(flop(124), 2 * none);
    EXPECT_DOUBLE_EQ(flop(499), none + 5 * step);
    EXPECT_DOUBLE_EQ(flop(500), none + 4 * step);
    EXPECT_DOUBLE_EQ(flop(500, 1), none);
    EXPECT_DOUBLE_EQ(flop(500, 5, StepCaching{1e-6, false, {1, 1}}), flop(500));
    // The first step is guided, the last is not.
    EXPECT_DOUBLE_EQ(flop(500, 5, StepCaching{StepCaching::most, false, {1, 0}}), 3 * step);
}

/// A branch takes over the steps before its start. If guidance ends, these cost more than the ones after it.
TEST(Estimate, CountsOnlyABranchsOwnSteps) {
    Request r = resolved("Wan2.1-T2V-tiny", [](Request& q) {
        q.width = 64, q.height = 64, q.frames = 5, q.steps = 8, q.shift = 1, q.sampler = Sampler::euler;
        q.guidance = 5, q.guidance_until = 500;
    });
    const ModelFolder model = ModelFolder::open(r.model);
    EXPECT_EQ(step_forwards(r, model, windows_of(r)[0]), (std::vector{2, 2, 2, 2, 1, 1, 1, 1}));
    const double whole = Pipeline::estimate(r, model).flop;
    r.start = Request::Start{"somewhere", 3, {}};
    EXPECT_DOUBLE_EQ(Pipeline::estimate(r, model).flop, whole * 6 / 12);
    r.start->step = 8;
    EXPECT_EQ(Pipeline::estimate(r, model).flop, 0);
}

} // namespace
} // namespace denoir::test
