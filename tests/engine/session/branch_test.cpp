// SPDX-License-Identifier: Apache-2.0
#include "engine/session/branch.h"

#include <gtest/gtest.h>

namespace denoir {
namespace {

Request guided_by(double guidance) {
    Request r;
    r.mode = Mode::t2v, r.model = "/models/wan", r.family = Family::wan, r.prompt = "a fox", r.negative_prompt = "grey";
    r.width = 80, r.height = 48, r.frames = 9, r.fps = 16, r.steps = 3, r.guidance = guidance, r.shift = 5, r.seed = 7;
    r.sampler = Sampler::unipc, r.dtype = DType::f32, r.precision = PrecisionPolicy::f32;
    r.preprocess = Preprocess::original, r.device = Device{};
    return r;
}

/// An unguided run encoded no negative prompt.
TEST(Conditioning, OfAnUnguidedRunServesNoGuidedOne) {
    const Request guided = guided_by(5), unguided = guided_by(1);
    for (const auto same : {shares_conditioning, same_conditioning}) {
        EXPECT_FALSE(same(guided, unguided));
        EXPECT_TRUE(same(unguided, guided));
        EXPECT_TRUE(same(guided, guided_by(3)));
        EXPECT_TRUE(same(unguided, unguided));
        Request other = guided;
        other.prompt = "a boat";
        EXPECT_FALSE(same(other, guided));
    }
}

} // namespace
} // namespace denoir
