// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/detect_family.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/weights/inspect.h"
#include "engine/weights/model_folder.h"
#include "support/model_files.h"

namespace denoir {
namespace {

using namespace test;

struct FamilyCase {
    const char* what;
    TransformerSize size;
    const char* config;
    const char* index;
    bool experts;
    std::vector<std::string> names;
    std::optional<Family> family;
};

TransformerTraits traits_of(const TransformerSize& s) {
    TransformerTraits t;
    t.in_channels = s.in, t.out_channels = s.out, t.clip = s.clip > 0, t.first_last = s.positions > 0, t.fps = s.fps;
    return t;
}

/// If the name of a link says nothing, the name of its target counts.
TEST(FamilyTest, NamesBehindLinks) {
    const TempFolder folder;
    const std::filesystem::path real = folder / "Wan2.1-T2V-1.3B", link = folder / "model";
    write_bytes(real / "x.safetensors", "");
    EXPECT_EQ(hint_names(real / "x.safetensors")[1], "Wan2.1-T2V-1.3B");
    std::filesystem::create_directory_symlink(real.filename(), link);
    for (const std::filesystem::path& path : {link, link / "", link / "x.safetensors"}) {
        const std::vector<std::string> names = hint_names(path);
        const auto own = std::find(names.begin(), names.end(), "model"),
                   behind = std::find(names.begin(), names.end(), "Wan2.1-T2V-1.3B");
        EXPECT_LT(own, behind) << path;
        EXPECT_NE(behind, names.end()) << path;
    }
}

TEST(FamilyTest, Table) {
    TransformerSize plain, i2v = with_images(), a14b = with_images(false), flf = with_images(), forcing, ti2v;
    flf.positions = 514, forcing.fps = true, ti2v.in = ti2v.out = 48;
    const std::vector<FamilyCase> cases{
        {"nothing tells", plain, "{}", "{}", false, {"model", "models"}, std::nullopt},
        {"nothing tells, images", i2v, "{}", "{}", false, {"model.safetensors", "home"}, std::nullopt},
        {"the field wins", forcing, R"({"family":"wan"})", "{}", false, {}, Family::wan},
        {"a null field", plain, R"({"family":null})", "{}", false, {}, std::nullopt},
        {"fps tensors", forcing, "{}", R"({"_class_name":"WanPipeline"})", false, {"Wan2.1"}, Family::skyreels_df},
        {"inject_sample_info", plain, R"({"inject_sample_info":true})", "{}", false, {}, Family::skyreels_df},
        {"inject_sample_info false", plain, R"({"inject_sample_info":false})", "{}", false, {}, std::nullopt},
        {"36 channels without CLIP", a14b, "{}", "{}", false, {"Wan2.1"}, Family::wan22},
        {"48 channels", ti2v, "{}", "{}", false, {}, Family::wan22},
        {"position table", flf, "{}", "{}", false, {}, Family::wan},
        {"position table, of Wan 2.2 nobody has one", flf, "{}", "{}", false, {"wan2.2"}, Family::wan},
        {"position table in diffusers' SkyReels",
         flf,
         R"({"_class_name":"SkyReelsV2Transformer3DModel"})",
         R"({"_class_name":"SkyReelsV2ImageToVideoPipeline"})",
         false,
         {"transformer", "model"},
         Family::skyreels},
        {"position table, SkyReels by name",
         flf,
         "{}",
         "{}",
         false,
         {"transformer", "SkyReels-V2-FLF2V-1.3B-540P-Diffusers", "DF"},
         Family::skyreels},
        {"position table of Wan among SkyReels",
         flf,
         R"({"model_type":"flf2v"})",
         "{}",
         false,
         {"Wan2.1-FLF2V-14B", "SkyReels"},
         Family::wan},
        {"two experts", plain, "{}", "{}", true, {}, Family::wan22},
        {"model_type alone", plain, R"({"_class_name":"WanModel","model_type":"t2v"})", "{}", false, {}, std::nullopt},
        {"model_type ti2v", plain, R"({"model_type":"ti2v"})", "{}", false, {}, Family::wan22},
        {"index before names",
         plain,
         "{}",
         R"({"_class_name":"SkyReelsV2Pipeline"})",
         false,
         {"Wan2.1-T2V"},
         Family::skyreels},
        {"folder Wan2.1", plain, "{}", "{}", false, {"model.safetensors", "Wan2.1-T2V-1.3B"}, Family::wan},
        {"file wan2.2", plain, "{}", "{}", false, {"wan2.2_t2v_high_noise_14B_fp16.safetensors"}, Family::wan22},
        {"2_2 apart", plain, "{}", "{}", false, {"Wan_2_2_T2V_A14B_HIGH.safetensors", "wan"}, Family::wan22},
        {"2-2", plain, "{}", "{}", false, {"wan2-2-t2v.safetensors"}, Family::wan22},
        {"several signs", plain, "{}", "{}", false, {"Wan2___2-T2V.safetensors"}, Family::wan22},
        {"of mixed signs", plain, "{}", "{}", false, {"Wan - 2.2_T2V.safetensors"}, Family::wan22},
        {"2_1 apart", plain, "{}", "{}", false, {"Wan_2_1_T2V.safetensors", "wan2.2"}, Family::wan},
        {"GGUF expert", plain, "{}", "{}", false, {"T2V-A14B-HighNoise-Q4_K_M.gguf"}, Family::wan22},
        {"SkyReels T2V", plain, "{}", "{}", false, {"x", "SkyReels-V2-T2V-14B-540P"}, Family::skyreels},
        {"SkyReels I2V", i2v, "{}", "{}", false, {"x", "SkyReels-V2-I2V-1.3B-540P"}, Family::skyreels},
        {"SkyReels DF", plain, "{}", "{}", false, {"x", "SkyReels-V2-DF-14B-720P"}, Family::skyreels_df},
        {"Kijai's names",
         plain,
         "{}",
         "{}",
         false,
         {"Wan2_1-SkyReels-V2-DF-14B-720P_fp16.safetensors"},
         Family::skyreels_df},
        {"Kijai's Wan", plain, "{}", "{}", false, {"Wan2_1-T2V-14B_fp8_e4m3fn.safetensors"}, Family::wan},
        {"SkyReels, but which", plain, "{}", "{}", false, {"SkyReels-V2-14B"}, std::nullopt},
        {"SkyReels with image channels", i2v, "{}", "{}", false, {"SkyReels-V2-14B"}, Family::skyreels},
        {"SkyReels in a Wan tree", plain, "{}", "{}", false, {"SkyReels-14B-tuned", "Wan2.1"}, std::nullopt},
        {"SkyReels, the folder says which",
         plain,
         "{}",
         "{}",
         false,
         {"skyreels_14B.safetensors", "DF"},
         Family::skyreels_df},
        {"no DF in pdf", plain, "{}", "{}", false, {"skyreels-pdf"}, std::nullopt},
        {"the nearest name wins", plain, "{}", "{}", false, {"SkyReels-V2-DF-1.3B", "wan"}, Family::skyreels_df},
        {"no Wan in Taiwan", plain, "{}", "{}", false, {"taiwan", "swan", "wander"}, std::nullopt},
        {"a cached snapshot",
         plain,
         "{}",
         "{}",
         false,
         {"abc123", "snapshots", "models--Wan-AI--Wan2.1-T2V-14B"},
         Family::wan},
        {"class of the transformer",
         i2v,
         R"({"_class_name":"SkyReelsV2Transformer3DModel"})",
         "{}",
         false,
         {},
         Family::skyreels},
        {"class of Wan's transformer, with CLIP",
         i2v,
         R"({"_class_name":"WanTransformer3DModel"})",
         "{}",
         false,
         {"transformer", "SkyReels"},
         Family::wan},
        {"class that says nothing", plain, R"({"_class_name":"WanTransformer3DModel"})", "{}", false, {}, std::nullopt},
    };
    for (const FamilyCase& c : cases) {
        FamilyEvidence e;
        e.config = Json::parse(c.config), e.model_index = Json::parse(c.index), e.traits = traits_of(c.size),
        e.two_experts = c.experts, e.names = c.names;
        EXPECT_EQ(detect_family(e), c.family) << c.what;
    }
}

/// "Rapid AIO" merges A14B's two experts into one transformer and keeps all its parts in one file.
TEST(FamilyTest, AMergeInAnAllInOneFileIsComputedAsWan21) {
    const auto all_in_one = [](const TransformerSize& size) {
        std::vector<Raw> all = zero_tensors(transformer_names(size), "F16",
                                            [](const std::string& n) { return "model.diffusion_model." + n; });
        for (Raw& t : zero_tensors(vae21_names(2, size.out), "F16", [](const std::string& n) { return "vae." + n; }))
            all.push_back(t);
        for (Raw& t : zero_tensors(umt5_names(20, 6, 12, 2, 2), "F16",
                                   [](const std::string& n) { return "text_encoders.umt5xxl.transformer." + n; }))
            all.push_back(t);
        return safetensors(all);
    };
    const auto family = [&](const char* name, const TransformerSize& size) {
        TempFolder folder("x");
        write_bytes(folder / name, all_in_one(size));
        const ModelFolder m = ModelFolder::open(folder / name);
        EXPECT_TRUE(m.transformer_low.empty());
        const Inspection seen = inspect(folder / name);
        EXPECT_EQ(seen.family, m.family ? std::string(denoir::name(*m.family)) : "unknown") << name;
        return m.family;
    };
    EXPECT_EQ(family("wan2.2-t2v-rapid-aio-v10.safetensors", tiny_transformer()), Family::wan);
    EXPECT_EQ(family("rapid-i2v.safetensors", with_images(false)), Family::wan);
    EXPECT_EQ(family("wan2.2_t2v_low_noise_aio.safetensors", tiny_transformer()), Family::wan22);
    EXPECT_EQ(family("aio.safetensors", tiny_transformer()), std::nullopt);
    TransformerSize ti2v = tiny_transformer();
    ti2v.in = ti2v.out = 48;
    EXPECT_EQ(family("wan2.2-ti2v-aio.safetensors", ti2v), Family::wan22);
}

/// GGUF files of such a merge hold the transformer alone, so that only the name says what it is.
TEST(FamilyTest, AMergeThatWasTakenOutOfItsFileIsKnownByItsName) {
    const auto family = [](const char* name, const TransformerSize& size) {
        TempFolder folder("x");
        write_bytes(folder / name, transformer_file(size));
        return ModelFolder::open(folder / name).family;
    };
    for (const char* name : {"wan2.2-t2v-rapid-aio-v10-Q4_K_M.safetensors", "wan2.2RapidAIO_v3.safetensors",
                             "WAN2.2-14B-Rapid-AllInOne/v10.safetensors", "wan22_rapid_all_in_one.safetensors"}) {
        EXPECT_EQ(family(name, tiny_transformer()), Family::wan) << name;
        EXPECT_EQ(family(name, with_images(false)), Family::wan) << name;
    }
    for (const char* name : {"wan2.2-t2v-rapid.safetensors", "wan2.2-aio.safetensors", "wan2.2_rapidly_aio.safetensors",
                             "wan2.2-t2v-rapid-aio-low-noise.safetensors"})
        EXPECT_EQ(family(name, tiny_transformer()), Family::wan22) << name;
}

/// SkyReels' other models may have the tensors of V2.
TEST(FamilyTest, SkyReelsOtherModelsAreNamed) {
    const auto told = [](const std::vector<std::string>& names) { return relative_by_name(names); };
    EXPECT_EQ(told({"Wan2_1_SkyreelsA2_fp8_e4m3fn.safetensors", "diffusion_models"}), "SkyReels-A2");
    EXPECT_EQ(told({"diffusion_pytorch_model.safetensors", "transformer", "SkyReels-A2"}), "SkyReels-A2");
    EXPECT_EQ(told({"model.safetensors", "SkyReels-A1-5B"}), "SkyReels-A1");
    EXPECT_EQ(told({"skyreels_a3.safetensors"}), "SkyReels-A3");
    EXPECT_EQ(told({"Wan21-SkyReelsV3-R2V_fp8_scaled_mixed.safetensors"}), "SkyReels-V3");
    EXPECT_EQ(told({"x", "transformer", "models--Skywork--SkyReels-V3-V2V-14B"}), "SkyReels-V3");
    for (const char* name : {"SkyReels-V2-I2V-14B-540P", "Wan2_1-SkyReels-V2-DF-14B-720P_fp16.safetensors",
                             "SkyReels-A14B", "skyreels", "skyreels-v30", "wan2.1_a2.safetensors"})
        EXPECT_EQ(told({name}), "") << name;
    // The name nearest to the file counts.
    EXPECT_EQ(told({"SkyReels-V2-I2V-1.3B.safetensors", "SkyReels-A2"}), "");
    EXPECT_EQ(told({"wan2.1_i2v_480p.safetensors", "SkyReels-A2"}), "");
    TempFolder folder("models");
    write_bytes(folder / "Wan2_1_SkyreelsA2_fp8.safetensors", transformer_file());
    EXPECT_EQ(ModelFolder::open(folder / "Wan2_1_SkyreelsA2_fp8.safetensors").relative, "SkyReels-A2");
}

TEST(FamilyTest, AnUnknownFieldIsRefused) {
    TempFolder folder("x");
    write_bytes(folder / "model.safetensors", transformer_file());
    write_bytes(folder / "config.json", R"({"family":"wan3"})");
    EXPECT_TRUE(has(refusal(folder.path()), "config.json: family"));
}

} // namespace
} // namespace denoir
