// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/few_steps.h"
#include "engine/weights/model_folder.h"

#include <gtest/gtest.h>

namespace denoir {
namespace {

TEST(FewSteps, NamesOfDistilledModelsAndLoras) {
    for (const char* name :
         {"lightx2v_I2V_14B_480p_cfg_step_distill_rank64_bf16.safetensors", "Wan2.1-T2V-14B-StepDistill-CfgDistill",
          "Wan21_CausVid_14B_T2V_lora_rank32.safetensors", "TurboWan2.1-T2V-1.3B-480P.pth",
          "Wan_2_1_T2V_14B_480p_rCM_lora_average_rank_83_bf16.safetensors", "longlive_base.pt",
          "Wan2_1-T2V-14B-Krea-Realtime_fp8.safetensors", "Wan2.2-Lightning_I2V-A14B-HIGH.safetensors",
          "smoothMixWan22_i2vLightning.safetensors", "wan2.2-rapid-mega-aio-v3.safetensors",
          "wan2.2RapidAIO.safetensors", "self_forcing_dmd.pt", "Self-Forcing-1.3B.safetensors",
          "wan_dmd2_lora.safetensors", "Wan2.2-TI2V-5B-Turbo", "wan2.2_ti2v_turbo.safetensors",
          "Wan21_T2V_14B_LightX2V_rank32.safetensors"})
        EXPECT_EQ(few_steps_of(name), 4) << name;
    for (const char* name : {"Wan14BT2VFusionX_fp16_.safetensors", "Wan2.1_I2V_14B_FusionX_LoRA.safetensors",
                             "Wan14BT2VFusioniX_fp16.safetensors"})
        EXPECT_EQ(few_steps_of(name), 8) << name;
    for (const char* name :
         {"Wan21_AccVid_T2V_14B_lora_rank32_fp16.safetensors", "Wan2_1-AccVideo-T2V-14B_fp8.safetensors"})
        EXPECT_EQ(few_steps_of(name), 10) << name;
    for (const char* name :
         {"Wan2_2_5B_FastWanFullAttn_lora_rank_128_bf16.safetensors", "FastWan2.1-T2V-1.3B-Diffusers"})
        EXPECT_EQ(few_steps_of(name), 3) << name;
    EXPECT_EQ(few_steps_of("wan2.2_t2v_lightx2v_4steps_lora_v1.1_high_noise.safetensors"), 4);
    EXPECT_EQ(few_steps_of("Wan2.2-I2V-A14B-8Steps-lora-rank64.safetensors"), 8);
    EXPECT_EQ(few_steps_of("wan_i2v_6step.gguf"), 6);
}

TEST(FewSteps, OtherNames) {
    for (const char* name : {"wan2.1_t2v_14B_fp16.safetensors",
                             "Wan2.1-FLF2V-14B-720P",
                             "SkyReels-V2-DF-1.3B-540P",
                             "wan2.2_i2v_high_noise_14B_fp8_scaled.safetensors",
                             "HighHeels_wan.safetensors",
                             "turbocharged_cars.safetensors",
                             "TurboCharger.safetensors",
                             "rapidly_growing_plants.safetensors",
                             "thunder_lightningbolt.safetensors",
                             "my_lora_2000steps.safetensors",
                             "lora-000008steps.safetensors",
                             "epoch_4_step_2000.safetensors",
                             "v4steps.safetensors",
                             "two_step_dance.safetensors",
                             "admd_style.safetensors",
                             "fusion_xl.safetensors",
                             "fast_wanderer.safetensors",
                             "footsteps.safetensors",
                             "4stepped_stairs.safetensors",
                             ""})
        EXPECT_EQ(few_steps_of(name), 0) << name;
}

/// The warning for a request with this model and these LoRAs.
std::string warning(const char* file, const std::vector<Lora>& loras = {}, std::optional<int> steps = {},
                    std::optional<double> guidance = {}, const char* index = "{}",
                    const char* root = "/models/Wan2.1") {
    Request asked;
    asked.steps = steps, asked.guidance = guidance, asked.loras = loras;
    Request resolved = asked;
    resolved.steps = steps.value_or(50), resolved.guidance = guidance.value_or(5), resolved.family = Family::wan;
    ModelFolder model;
    model.root = root;
    model.transformer = {model.root / file};
    model.model_index = Json::parse(index);
    return few_steps_warning(asked, resolved, model);
}

TEST(FewSteps, WarnsIfTheRequestLeavesStepsOrGuidanceOpen) {
    const char *plain = "wan2.1_t2v_14B.safetensors", *distilled = "wan2.1_t2v_14B_lightx2v_4step.safetensors";
    const std::string expected = "wan2.1_t2v_14B_lightx2v_4step.safetensors is made for few steps: use --steps 4 "
                                 "--guidance 1 --shift 5";
    EXPECT_EQ(warning(plain), "");
    EXPECT_EQ(warning(distilled), expected);
    EXPECT_EQ(warning(distilled, {}, 4), expected); // guidance is left to the default
    EXPECT_EQ(warning(distilled, {}, {}, 1), expected);
    EXPECT_EQ(warning(distilled, {}, 50, 5), expected);
    EXPECT_EQ(warning(distilled, {}, 8, 1), "");
    EXPECT_EQ(warning(distilled, {}, 8, 3), ""); // the user chose both numbers
    EXPECT_NE(warning(plain, {{.file = "loras/Wan21_CausVid_lora.safetensors"}}), "");
    EXPECT_EQ(warning(plain, {{.file = "loras/Wan21_CausVid_lora.safetensors", .strength = 0}}), "");
    EXPECT_EQ(warning(plain, {{.file = "lightning/style.safetensors"}}), "");
    const char* official = "Wan2.2-T2V-A14B-4steps-lora-rank64-Seko-V1.1/high_noise_model.safetensors";
    EXPECT_NE(warning(plain, {{.file = official}}).find("--steps 4"), std::string::npos);
    EXPECT_EQ(warning(plain, {}, {}, {}, R"({"_class_name":"WanDMDPipeline"})").substr(0, 15), "Wan2.1 is made ");
}

/// Hugging Face's cache keeps a repository in models--OWNER--NAME/snapshots/COMMIT. An owner such as lightx2v says
/// nothing about the model.
TEST(FewSteps, ReadsTheNameOfACachedRepositoryButNotItsOwner) {
    const auto of = [](const char* repository) {
        const std::string root = std::string("/hub/") + repository + "/snapshots/0f1e2d";
        return warning("transformer/diffusion_pytorch_model.safetensors", {}, {}, {}, "{}", root.c_str());
    };
    EXPECT_EQ(of("models--lightx2v--Wan2.1-T2V-14B-StepDistill-CfgDistill"),
              "Wan2.1-T2V-14B-StepDistill-CfgDistill is made for few steps: use --steps 4 --guidance 1 --shift 5");
    EXPECT_EQ(of("models--lightx2v--Wan2.1-T2V-14B"), "");
    EXPECT_NE(of("Wan2.2-TI2V-5B-Turbo"), "");
}

} // namespace
} // namespace denoir
