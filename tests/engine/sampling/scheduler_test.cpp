// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/scheduler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/sampling/guidance.h"

namespace denoir {
namespace {

using Values = std::vector<float>;

std::unique_ptr<Scheduler> make(Sampler sampler, int steps, double shift, SchedulerOptions options = {}) {
    return Scheduler::create(sampler, sigma_schedule(usual_sigmas(sampler), steps, shift), options);
}

/// The scalar experiment of spec/schedulers.md 4: x = 1 at first, and the velocity is v = 0.5 x + 0.3 + 0.1 i.
Values toy(Sampler sampler, int steps, double shift, SchedulerOptions options = {}) {
    const auto s = make(sampler, steps, shift, options);
    Values out;
    Values x{1.0f};
    for (int i = 0; i < steps; ++i) {
        const Values v{0.5f * x[0] + 0.3f + 0.1f * static_cast<float>(i)};
        s->step(v, x);
        out.push_back(x[0]);
    }
    return out;
}

void expect_near(const Values& got, const Values& want, float tolerance = 1.5e-7f) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << "after step " << i + 1;
}

TEST(Scheduler, ToyTable) {
    expect_near(toy(Sampler::unipc, 4, 8), {0.9679771f, 0.9030190f, 0.7418392f, 0.0359728f});
    expect_near(toy(Sampler::unipc, 4, 5), {0.9499725f, 0.8560993f, 0.6551717f, 0.0757206f});
    expect_near(toy(Sampler::unipc, 6, 8), {0.9804736f, 0.9484949f, 0.8945940f, 0.7977159f, 0.5884726f, -0.0845926f});
    expect_near(toy(Sampler::dpmpp, 4, 8), {0.9680000f, 0.9051378f, 0.7456463f, 0.0381386f});
    expect_near(toy(Sampler::dpmpp, 4, 5), {0.9500000f, 0.8588541f, 0.6595540f, 0.0784434f});
    expect_near(toy(Sampler::euler, 4, 8), {0.9679771f, 0.9050768f, 0.7510675f, 0.0418465f});
}

TEST(Scheduler, ToyOfDiffusionForcing) {
    expect_near(toy(Sampler::unipc, 4, 8, {.alias_first_sample = true}),
                {0.9679771f, 0.8745570f, 0.7136972f, 0.0180605f});
    EXPECT_EQ(toy(Sampler::unipc, 4, 8, {.alias_first_sample = true, .bf16_latents = true}),
              (Values{0.96875f, 0.875f, 0.7109375f, 0.016357421875f}));
    EXPECT_EQ(toy(Sampler::unipc, 4, 8, {.bf16_latents = true}),
              (Values{0.96875f, 0.90625f, 0.7421875f, 0.0361328125f}));
}

/// The distance of two numbers in units of the last place, counted across zero, too.
std::int64_t ulps(float a, float b) {
    std::int32_t x, y;
    std::memcpy(&x, &a, 4);
    std::memcpy(&y, &b, 4);
    if ((x < 0) != (y < 0)) return a == b ? 0 : 1 << 30;
    return std::abs(static_cast<std::int64_t>(x) - y);
}

TEST(Scheduler, AgreesWithDiffusers) {
    const Json golden = parse_json(read_text(DENOIR_FIXTURES "/sampling/solvers.json", 1 << 20), "solvers.json");
    std::int64_t values = 0, exact = 0;
    for (const Json& run : golden["solvers"]) {
        const bool bf16 = run["bf16"];
        const Sampler sampler = *value_named(samplers, run["sampler"].get<std::string>());
        const int steps = run["steps"];
        const auto s = make(sampler, steps, run["shift"], {.alias_first_sample = run["alias"], .bf16_latents = bf16});
        auto x = run["start"].get<Values>();
        for (int i = 0; i < steps; ++i) {
            s->step(run["velocities"][i].get<Values>(), x);
            const auto want = run["latents"][i].get<Values>();
            for (std::size_t k = 0; k < x.size(); ++k) {
                // A sum whose terms cancel has few digits left, so the tolerance is relative to the latents, which are
                // about 1.
                EXPECT_NEAR(x[k], want[k], bf16 ? 0.0f : 2e-6f)
                    << run["sampler"] << " " << steps << " step " << i << " bf16 " << bf16;
                ++values;
                exact += ulps(x[k], want[k]) == 0;
            }
        }
    }
    // The rest differs because PyTorch does not round its logarithms to the nearest and solves a linear system
    // otherwise.
    EXPECT_GT(exact * 10, values * 7) << exact << " of " << values;
}

Values noise(std::size_t n, unsigned seed) {
    Values out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(std::sin(static_cast<float>(seed * 131 + i * 7919 % 1013)));
    return out;
}

TEST(Scheduler, RestoredAtEveryStepItEndsTheSame) {
    for (const auto& [name, sampler] : samplers)
        for (const SchedulerOptions options :
             {SchedulerOptions{}, {.alias_first_sample = true}, {.alias_first_sample = true, .bf16_latents = true}})
            for (const int steps : {1, 2, 3, 7}) {
                const auto whole = make(sampler, steps, 5, options);
                std::vector<Values> latents{noise(33, 1)};
                std::vector<SchedulerState> states{whole->state()};
                for (int i = 0; i < steps; ++i) {
                    latents.push_back(latents.back());
                    whole->step(noise(33, 100u + static_cast<unsigned>(i)), latents.back());
                    states.push_back(whole->state());
                }
                for (int from = 0; from <= steps; ++from) {
                    const auto again = make(sampler, steps, 5, options);
                    again->restore(SchedulerState::from_tensors(states[static_cast<std::size_t>(from)].to_tensors()));
                    EXPECT_EQ(again->index(), from);
                    Values x = latents[static_cast<std::size_t>(from)];
                    for (int i = from; i < steps; ++i) again->step(noise(33, 100u + static_cast<unsigned>(i)), x);
                    EXPECT_EQ(x, latents.back()) << name << " " << steps << " from " << from;
                }
            }
}

/// A run may have this many steps, and all of them are stored and restored.
TEST(Scheduler, RestoredAfterStep150ItEndsTheSame) {
    const auto whole = make(Sampler::unipc, 200, 5), again = make(Sampler::unipc, 200, 5);
    Values x = noise(3, 1), y;
    for (unsigned i = 0; i < 200; ++i) {
        if (i == 150) {
            again->restore(SchedulerState::from_tensors(whole->state().to_tensors()));
            EXPECT_EQ(again->index(), 150);
            y = x;
        }
        whole->step(noise(3, 100 + i), x);
        if (i >= 150) again->step(noise(3, 100 + i), y);
    }
    EXPECT_EQ(x, y);
}

TEST(Scheduler, EstimateIsSampleMinusSigmaVelocity) {
    const auto s = make(Sampler::unipc, 4, 8);
    Values x{1.0f, -2.0f}, x0(2);
    const Values v{0.5f, 0.25f};
    s->step(v, x, x0);
    EXPECT_EQ(x0[0], 1.0f - s->schedule().sigmas[0] * 0.5f);
    EXPECT_EQ(x0[1], -2.0f - s->schedule().sigmas[0] * 0.25f);
}

TEST(Scheduler, LastStepEndsOnTheEstimate) {
    for (const Sampler sampler : {Sampler::unipc, Sampler::dpmpp})
        for (const int steps : {1, 2, 3, 12}) {
            const auto s = make(sampler, steps, 5);
            Values x = noise(9, 3), x0(9);
            for (int i = 0; i < steps; ++i) s->step(noise(9, 7u + static_cast<unsigned>(i)), x, x0);
            EXPECT_EQ(x, x0) << int(sampler) << " " << steps;
        }
}

TEST(Scheduler, LongListsWithRepeatedTimesStayFinite) {
    for (const auto& [name, sampler] : samplers) {
        const auto s = make(sampler, 1000, 16);
        if (sampler != Sampler::dpmpp) { // the reference would begin at the second of two equal times
            EXPECT_EQ(s->schedule().timesteps[0], s->schedule().timesteps[1]);
        }
        Values x{1.0f, -1.0f, 0.25f};
        for (int i = 0; i < 1000; ++i) s->step(Values{0.3f, 0.2f, -0.7f}, x);
        EXPECT_EQ(s->index(), 1000);
        for (const float v : x) EXPECT_TRUE(std::isfinite(v)) << name;
    }
}

TEST(Scheduler, RefusesForeignState) {
    const auto refused = [](Sampler sampler, const SchedulerState& state) {
        try {
            make(sampler, 4, 5)->restore(state);
        } catch (const Error&) {
            return true;
        }
        return false;
    };
    const auto s = make(Sampler::unipc, 4, 5);
    Values x = noise(5, 1);
    s->step(noise(5, 2), x);
    s->step(noise(5, 3), x);
    const SchedulerState good = s->state();
    EXPECT_FALSE(refused(Sampler::unipc, good));
    const auto changed = [&](auto&& change) {
        SchedulerState state = good;
        change(state);
        return state;
    };
    EXPECT_TRUE(refused(Sampler::unipc, changed([](auto& t) { t.index = 5; })));
    EXPECT_TRUE(refused(Sampler::unipc, changed([](auto& t) { t.index = -1; })));
    EXPECT_TRUE(refused(Sampler::unipc, changed([](auto& t) { t.last_order = 3; })));
    EXPECT_TRUE(refused(Sampler::unipc, changed([](auto& t) { t.warm = 3; })));
    // A state cannot remember more steps than were taken; with one that does the solver would read before the first
    // sigma.
    EXPECT_TRUE(refused(Sampler::unipc, changed([](auto& t) { t.index = 1; })));
    EXPECT_TRUE(refused(Sampler::unipc, {.index = 0, .last_order = 0, .warm = 1, .history = {}}));
    EXPECT_TRUE(refused(Sampler::unipc, changed([](auto& t) { t.history.erase("m"); })));
    EXPECT_TRUE(refused(Sampler::unipc, changed([](auto& t) { t.history.erase("m_prev"); })));
    EXPECT_TRUE(refused(Sampler::unipc, changed([](auto& t) { t.history.erase("last"); })));
    EXPECT_TRUE(refused(Sampler::unipc, changed([](auto& t) { t.history["last"].pop_back(); })));
    EXPECT_TRUE(refused(Sampler::dpmpp, changed([](auto& t) { t.history.erase("m"); })));
    // A state that belongs to latents of another size is refused at the next step.
    const auto other = make(Sampler::unipc, 4, 5);
    other->restore(good);
    Values larger = noise(6, 1);
    EXPECT_THROW(other->step(noise(6, 2), larger), Error);
    EXPECT_THROW(SchedulerState::from_tensors({}), Error);
    EXPECT_THROW(SchedulerState::from_tensors({{"counters", Tensor::from(Values{1, 2}, {2})}}), Error);
    const Values nan{std::nanf(""), 0, 0};
    EXPECT_TRUE(refused(Sampler::euler, SchedulerState::from_tensors({{"counters", Tensor::from(nan, {3})}})));
}

TEST(Guidance, CombinesInF32) {
    const Tensor cond = Tensor::from(Values{1.0f, 2.0f, -3.0f}, {1, 1, 1, 3});
    const float time = 900;
    guide(cond, Tensor::from(Values{0.5f, 2.0f, 1.0f}, {1, 1, 1, 3}), 5.0f, {&time, 1}, 0);
    EXPECT_EQ(Values(cond.span<float>().begin(), cond.span<float>().end()), (Values{3.0f, 2.0f, -19.0f}));
    const Tensor same = Tensor::from(Values{1.0f, 0.1f}, {1, 1, 1, 2});
    // At guidance 1 rounding makes the result differ slightly from the conditional branch.
    guide(same, Tensor::from(Values{0.7f, 0.3f}, {1, 1, 1, 2}), 1.0f, {&time, 1}, 0);
    EXPECT_NEAR(same.data<float>()[0], 1.0f, 1e-7f);
}

TEST(Guidance, EndsInEachLatentFrameOfItsOwn) {
    const Values times{900, 500, 499};
    EXPECT_TRUE(guided_at(900, 900));
    EXPECT_FALSE(guided_at(900, 900.5));
    EXPECT_TRUE(guided_at(0, 0)); // an end at 0 means that guidance never ends
    const Tensor cond = Tensor::from(Values{1, 1, 1, 2, 2, 2}, {2, 3, 1, 1});
    guide(cond, Tensor::from(Values(6, 0.0f), {2, 3, 1, 1}), 3.0f, times, 500);
    EXPECT_EQ(Values(cond.span<float>().begin(), cond.span<float>().end()), (Values{3, 3, 1, 6, 6, 2}));
}

} // namespace
} // namespace denoir
