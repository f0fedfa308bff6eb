// SPDX-License-Identifier: Apache-2.0
#include "engine/session/branch.h"

#include <gtest/gtest.h>

#include "engine/weights/model_folder.h"

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

/// An unguided run encodes no negative prompt.
TEST(Conditioning, OfAnUnguidedRunServesNoGuidedOne) {
    const Request guided = guided_by(5), unguided = guided_by(1);
    const ModelFolder model;
    for (const auto same : {shares_conditioning, same_conditioning}) {
        EXPECT_FALSE(same(guided, unguided, model));
        EXPECT_TRUE(same(unguided, guided, model));
        EXPECT_TRUE(same(guided, guided_by(3), model));
        EXPECT_TRUE(same(unguided, unguided, model));
        Request other = guided;
        other.prompt = "a boat";
        EXPECT_FALSE(same(other, guided, model));
    }
}

/// In runs that are older than the pairing of LoRAs by their names each LoRA changed both experts.
TEST(Branch, LorasOfAnOlderRunStayAsTheyWere) {
    Request parent = guided_by(5);
    parent.guidance_low = 3;
    parent.loras = {{"/loras/style_h.safetensors"}, {"/loras/style_l.safetensors", 0.5}, {"/loras/grain.safetensors"}};
    Request branch = parent;
    branch.loras[0].strength = 0.3;
    branch.loras.push_back({"/loras/other_h.safetensors"});
    branch.loras.push_back({"/loras/other_l.safetensors"});
    leave_as_in_parent(branch, parent);
    const auto told = [&] {
        tell_pairs_apart(branch.loras); // as Pipeline::resolve does
        std::vector<std::optional<Expert>> experts;
        for (const Lora& lora : branch.loras) experts.push_back(lora.expert);
        return experts;
    };
    using Experts = std::vector<std::optional<Expert>>;
    EXPECT_EQ(told(), (Experts{Expert::none, Expert::none, std::nullopt, Expert::high, Expert::low}));
    // A new run has stored the pairs.
    tell_pairs_apart(parent.loras);
    branch.loras = parent.loras;
    leave_as_in_parent(branch, parent);
    EXPECT_EQ(told(), (Experts{Expert::high, Expert::low, std::nullopt}));
    // What the user says counts.
    parent.loras[0].expert = parent.loras[1].expert = std::nullopt;
    branch.loras = parent.loras;
    branch.loras[1].expert = Expert::low;
    leave_as_in_parent(branch, parent);
    EXPECT_EQ(told(), (Experts{Expert::none, Expert::low, std::nullopt}));
}

} // namespace
} // namespace denoir
