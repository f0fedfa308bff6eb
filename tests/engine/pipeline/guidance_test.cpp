// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/guidance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>

#include "engine/pipeline/schedule.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "tests/engine/pipeline/resolved.h"

namespace denoir::test {
namespace {

/// A request for three latent frames, each of which is `ar_step` steps behind the one before.
Request forcing(int ar_step, const std::function<void(Request&)>& change) {
    return resolved("SkyReels-V2-DF-tiny", [&](Request& q) {
        q.width = 64, q.height = 48, q.frames = 9, q.steps = 8, q.guidance = 5, q.negative_prompt = "blurred";
        q.forcing = Forcing{.ar_step = ar_step};
        change(q);
    });
}

/// Latent frames that wait for their turn are shown at time 999, which no real step reaches with a small shift.
TEST(GuidanceUntil, ATimeThatOnlyWaitingFramesSeeEncodesNoNegativePrompt) {
    const auto uses = [](double until) {
        const Request r = forcing(2, [&](Request& q) { q.shift = 0.1, q.guidance_until = until; });
        return uses_negative(r, ModelFolder::open(r.model));
    };
    EXPECT_FALSE(uses(995));
    EXPECT_TRUE(uses(985));
}

/// A step in which no moving frame is guided needs no second forward. In all steps every moving frame must have its
/// guided or unguided velocity.
TEST(GuidanceUntil, DecidesInForcingByTheFramesThatMove) {
    struct Told : Observer, LayerObserver {
        std::map<std::string, Tensor, std::less<>> velocities; ///< by their keys
        LayerObserver* layers() override { return this; }
        bool wants(std::string_view key) const override { return key.ends_with("/velocity"); }
        void layer(std::string_view key, const Tensor& x) override { velocities[std::string(key)] = clone(x); }
    } told;
    const Request r = forcing(6, [](Request& q) { q.guidance_until = 900; });
    const ModelFolder model = ModelFolder::open(r.model);
    Residency residency;
    Pipeline pipeline(residency, open_backend(Device{}, 1));
    const Conditioning c = pipeline.condition(r, model, told, {});
    DenoiseState state = pipeline.begin(r, model, c);
    pipeline.denoise(r, model, c, state, {}, told, {});

    const Window w = windows_of(r).front();
    const ForcingPlan plan = plan_of(r, w);
    const std::vector<int> forwards = step_forwards(r, model, w);
    ASSERT_EQ(plan.rows, std::ssize(forwards));
    int guided = 0; ///< how many moving frames were guided
    for (int row = 0; row < plan.rows; ++row) {
        const auto told_in = [&](const std::string& place) {
            const auto it = told.velocities.find(place + "/velocity");
            return it == told.velocities.end() ? Tensor() : it->second;
        };
        const Tensor velocity = told_in(fmt::format("sampler/step_{:03}", row + 1)),
                     expected = told_in(fmt::format("transformer/step_{:03}/cond", row + 1)),
                     second = told_in(fmt::format("transformer/step_{:03}/uncond", row + 1));
        EXPECT_EQ(forwards[std::size_t(row)], second ? 2 : 1) << row;
        const std::span times =
            std::span(plan.timesteps).subspan(std::size_t(row * plan.frames), std::size_t(plan.frames));
        if (second) guide(expected, second, 5, times, 900);
        for (int frame = 0; frame < plan.frames; ++frame) {
            if (!plan.update[std::size_t(row * plan.frames + frame)]) continue;
            const bool on = times[std::size_t(frame)] >= 900;
            EXPECT_TRUE(second || !on) << row;
            guided += on;
            const Tensor is = clone(velocity.slice(1, frame, frame + 1)),
                         should = clone(expected.slice(1, frame, frame + 1));
            EXPECT_TRUE(std::ranges::equal(is.span<float>(), should.span<float>())) << row << " " << frame;
        }
    }
    EXPECT_GT(guided, 3);
    EXPECT_EQ(std::ranges::count(forwards, 2), guided) << "one frame after the other begins when none is guided";
}

} // namespace
} // namespace denoir::test
