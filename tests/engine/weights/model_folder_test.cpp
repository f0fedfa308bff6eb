// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/model_folder.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/weights/family.h"
#include "engine/weights/inspect.h"
#include "engine/weights/names.h"
#include "support/gguf_writer.h"
#include "support/name_lists.h"
#include "support/torch_writer.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

TransformerSize with_images(bool clip = true) {
    TransformerSize s = tiny_transformer();
    s.in = 36;
    if (clip) s.clip = 10;
    return s;
}

std::string transformer_file(const TransformerSize& s = tiny_transformer()) {
    return safetensors(zero_tensors(transformer_names(s)));
}
std::string diffusers_file(Component component, const NameList& list) {
    std::vector<Raw> tensors;
    for (const auto& [name, shape] : list)
        if (!is_split(component, Layout::diffusers, name))
            if (const auto other = layout_name(component, Layout::diffusers, name))
                tensors.push_back(zeros(*other, shape, "F16"));
    return safetensors(tensors);
}

/// VAE, text encoder and tokenizer as the original repositories name them.
void add_companions(const fs::path& root) {
    write_bytes(root / "Wan2.1_VAE.pth", pth(zero_tensors(vae21_names(2, 2))));
    write_bytes(root / "models_t5_umt5-xxl-enc-bf16.pth", pth(zero_tensors(umt5_names(20, 8, 12, 2, 2), "BF16")));
    write_bytes(root / "google/umt5-xxl/tokenizer.json", "{}");
}
void add_clip(const fs::path& root) {
    write_bytes(root / "models_clip_open-clip-xlm-roberta-large-vit-huge-14.pth",
                pth(zero_tensors(clip_names(6, 12, 2))));
}

std::vector<std::string> names_of(const std::vector<fs::path>& files) {
    std::vector<std::string> result;
    for (const fs::path& f : files) result.push_back(f.filename().string());
    return result;
}
using Names = std::vector<std::string>;

std::string refusal(const fs::path& path) {
    try {
        ModelFolder::open(path);
    } catch (const Error& e) {
        return e.what();
    }
    return "accepted";
}

TEST(ModelFolderTest, OriginalWan) {
    TempFolder folder("Wan2.1-T2V-1.3B");
    add_companions(folder.path());
    write_bytes(folder / "diffusion_pytorch_model.safetensors", transformer_file());
    write_bytes(folder / "config.json", R"({"_class_name":"WanModel","model_type":"t2v","text_len":512})");
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(names_of(m.transformer), Names{"diffusion_pytorch_model.safetensors"});
    EXPECT_EQ(names_of(m.vae), Names{"Wan2.1_VAE.pth"});
    EXPECT_EQ(names_of(m.text_encoder), Names{"models_t5_umt5-xxl-enc-bf16.pth"});
    EXPECT_EQ(m.tokenizer, folder.path() / "google/umt5-xxl");
    EXPECT_EQ(m.config.at("model_type"), "t2v");
    EXPECT_TRUE(m.missing.empty());
    EXPECT_TRUE(m.warnings.empty());
    EXPECT_EQ(m.family, Family::wan);
}

TEST(ModelFolderTest, OriginalSkyReelsWithShardsAndClip) {
    TempFolder folder("SkyReels-V2-I2V-14B-540P");
    add_companions(folder.path());
    const std::vector<Raw> tensors = zero_tensors(transformer_names(with_images()));
    write_bytes(folder / "model-00001-of-00002.safetensors", safetensors({tensors.begin(), tensors.begin() + 40}));
    write_bytes(folder / "model-00002-of-00002.safetensors", safetensors({tensors.begin() + 40, tensors.end()}));
    const ModelFolder without = ModelFolder::open(folder.path());
    EXPECT_EQ(without.missing, Names{"CLIP image encoder"});
    EXPECT_TRUE(without.warnings.empty());
    fs::rename(folder / "model-00002-of-00002.safetensors", folder / "model-00002-of-00002.safetensors.incomplete");
    const ModelFolder half = ModelFolder::open(folder.path());
    ASSERT_EQ(half.warnings.size(), 1u);
    EXPECT_TRUE(has(half.warnings[0], "1 of 2 shards"));
    fs::rename(folder / "model-00002-of-00002.safetensors.incomplete", folder / "model-00002-of-00002.safetensors");
    add_clip(folder.path());
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(m.transformer.size(), 2u);
    EXPECT_EQ(m.clip.size(), 1u);
    EXPECT_TRUE(m.missing.empty());
    EXPECT_EQ(m.family, Family::skyreels);
}

TEST(ModelFolderTest, TheTwoExpertsOfWan22) {
    TempFolder folder("somewhere");
    add_companions(folder.path());
    write_bytes(folder / "high_noise_model/diffusion_pytorch_model.safetensors", transformer_file());
    write_bytes(folder / "low_noise_model/diffusion_pytorch_model.safetensors", transformer_file());
    write_bytes(folder / "high_noise_model/config.json", R"({"dim":8})");
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(m.transformer.front().parent_path().filename(), "high_noise_model");
    EXPECT_EQ(m.transformer_low.front().parent_path().filename(), "low_noise_model");
    EXPECT_EQ(m.config.at("dim"), 8);
    EXPECT_EQ(m.family, Family::wan22);
    EXPECT_TRUE(m.missing.empty());
    fs::remove_all(folder / "low_noise_model");
    EXPECT_EQ(ModelFolder::open(folder.path()).missing, Names{"low-noise transformer"});
}

void write_diffusers(const fs::path& root, std::string_view model_index) {
    write_bytes(root / "model_index.json", model_index);
    write_bytes(root / "transformer/diffusion_pytorch_model.safetensors",
                diffusers_file(Component::transformer, transformer_names(tiny_transformer())));
    write_bytes(root / "transformer/config.json", R"({"_class_name":"WanTransformer3DModel","num_attention_heads":2})");
    write_bytes(root / "vae/diffusion_pytorch_model.safetensors", diffusers_file(Component::vae21, vae21_names(2, 2)));
    write_bytes(root / "text_encoder/model.safetensors", diffusers_file(Component::umt5, umt5_names(20, 8, 12, 2, 2)));
    write_bytes(root / "tokenizer/spiece.model", "x");
}

TEST(ModelFolderTest, Diffusers) {
    struct Case {
        std::string_view index;
        Family family;
    };
    for (const Case& c :
         {Case{R"({"_class_name":"WanPipeline"})", Family::wan},
          Case{R"({"_class_name":"WanPipeline","boundary_ratio":null})", Family::wan},
          Case{R"({"_class_name":"WanPipeline","boundary_ratio":0.875})", Family::wan22},
          Case{R"({"_class_name":"WanImageToVideoPipeline","expand_timesteps":true})", Family::wan22},
          Case{R"({"_class_name":"SkyReelsV2Pipeline"})", Family::skyreels},
          Case{R"({"_class_name":"SkyReelsV2ImageToVideoPipeline"})", Family::skyreels},
          Case{R"({"_class_name":"SkyReelsV2DiffusionForcingPipeline"})", Family::skyreels_df},
          Case{R"({"_class_name":"SkyReelsV2DiffusionForcingImageToVideoPipeline"})", Family::skyreels_df}}) {
        TempFolder folder("plain");
        write_diffusers(folder.path(), c.index);
        const ModelFolder m = ModelFolder::open(folder.path());
        EXPECT_EQ(m.family, c.family) << c.index;
        EXPECT_TRUE(m.missing.empty());
        EXPECT_EQ(m.config.at("num_attention_heads"), 2);
        EXPECT_EQ(m.tokenizer, folder.path() / "tokenizer");
    }
}

TEST(ModelFolderTest, DiffusersWithTwoExperts) {
    TempFolder folder("plain");
    write_diffusers(folder.path(), R"({"_class_name":"WanPipeline","boundary_ratio":0.875})");
    fs::copy(folder / "transformer", folder / "transformer_2", fs::copy_options::recursive);
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(m.transformer_low.front().parent_path().filename(), "transformer_2");
    EXPECT_EQ(m.model_index.at("boundary_ratio"), 0.875);
}

TEST(ModelFolderTest, ComfyFolders) {
    TempFolder folder("ComfyUI");
    const fs::path split = folder / "split_files";
    write_bytes(split / "diffusion_models/wan2.1_t2v_1.3B_fp16.safetensors", transformer_file());
    write_bytes(split / "vae/wan_2.1_vae.safetensors", safetensors(zero_tensors(vae21_names(2, 2))));
    write_bytes(split / "vae/wan2.2_vae.safetensors", safetensors(zero_tensors(vae22_names(2, 2, 2))));
    std::vector<Raw> text = zero_tensors(umt5_names(20, 8, 12, 2, 2));
    write_bytes(split / "text_encoders/umt5_xxl_fp8.safetensors",
                safetensors(zero_tensors(umt5_names(20, 8, 12, 2, 2), "F8_E4M3")));
    text.push_back(zeros("spiece_model", {5}, "U8"));
    write_bytes(split / "text_encoders/umt5_xxl_fp16.safetensors", safetensors(text));
    for (const fs::path& path : {folder.path(), split, split / "diffusion_models/wan2.1_t2v_1.3B_fp16.safetensors"}) {
        const ModelFolder m = ModelFolder::open(path);
        EXPECT_EQ(names_of(m.transformer), Names{"wan2.1_t2v_1.3B_fp16.safetensors"}) << path;
        EXPECT_EQ(names_of(m.vae), Names{"wan_2.1_vae.safetensors"}) << path; // the one that fits 16 channels
        EXPECT_EQ(names_of(m.text_encoder), Names{"umt5_xxl_fp16.safetensors"}) << path;
        EXPECT_EQ(m.tokenizer.filename(), "umt5_xxl_fp16.safetensors") << path;
        EXPECT_EQ(m.family, Family::wan) << path;
        EXPECT_TRUE(m.missing.empty()) << path;
        EXPECT_EQ(m.warnings.size(), 1u) << path; // two text encoders
    }
    write_bytes(split / "diffusion_models/wan2.1_t2v_1.3B_bf16.safetensors", transformer_file());
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
}

std::string vae_file() { return safetensors(zero_tensors(vae21_names(2, 16))); }
/// With the vocabulary in it, as ComfyUI's; `width` 6: the one of tiny_transformer.
std::string encoder_file(bool tokenizer = true, std::int64_t width = 6, const std::string& dtype = "F16") {
    std::vector<Raw> tensors = zero_tensors(umt5_names(20, width, 12, 2, 2), dtype);
    if (tokenizer) tensors.push_back(zeros("spiece_model", {5}, "U8"));
    return safetensors(tensors);
}

/// ComfyUI lists what lies in folders of folders, too, and people use it; `clip` is the older name of text_encoders.
TEST(ModelFolderTest, ComfyFoldersSortedByTheirOwner) {
    TempFolder folder("ComfyUI");
    const fs::path models = folder / "models";
    const fs::path file = models / "diffusion_models/WanVideo/2_1/Wan2_1-T2V-1_3B_bf16.safetensors";
    write_bytes(file, transformer_file());
    write_bytes(models / "vae/wanvideo/Wan2_1_VAE_bf16.safetensors", vae_file());
    write_bytes(models / "clip/umt5_xxl_fp8_e4m3fn_scaled.safetensors", encoder_file());
    const ModelFolder m = ModelFolder::open(file);
    EXPECT_EQ(names_of(m.vae), Names{"Wan2_1_VAE_bf16.safetensors"});
    EXPECT_EQ(names_of(m.text_encoder), Names{"umt5_xxl_fp8_e4m3fn_scaled.safetensors"});
    EXPECT_TRUE(m.missing.empty());
    const fs::path nearer = models / "diffusion_models/WanVideo/Wan2_1-T2V-1_3B_bf16.safetensors";
    fs::rename(file, nearer);
    for (const fs::path& root : {folder.path(), models}) {
        EXPECT_EQ(names_of(ModelFolder::open(root).transformer), Names{"Wan2_1-T2V-1_3B_bf16.safetensors"});
        EXPECT_TRUE(ModelFolder::open(root).missing.empty());
    }
}

TEST(ModelFolderTest, OtherModelsFilesInComfyFoldersAreLeftAlone) {
    TempFolder folder("models");
    write_bytes(folder / "diffusion_models/wan2.1_t2v.safetensors", transformer_file());
    // Qwen-Image's VAE has Wan's names and shapes, Flux's T5 nearly those of UMT5, and the encoder of others is
    // narrower.
    write_bytes(folder / "vae/qwen_image_vae.safetensors", vae_file());
    write_bytes(folder / "text_encoders/t5xxl_fp32.safetensors", [] {
        std::vector<Raw> t5;
        for (const Raw& t : zero_tensors(umt5_names(90, 6, 12, 4, 2), "F32"))
            if (!t.name.ends_with("pos_embedding.embedding.weight") || t.name.starts_with("blocks.0.")) t5.push_back(t);
        return safetensors(t5);
    }());
    const ModelFolder none = ModelFolder::open(folder / "diffusion_models/wan2.1_t2v.safetensors");
    EXPECT_EQ(none.missing, (Names{"VAE", "text encoder", "tokenizer"}));
    ASSERT_EQ(none.warnings.size(), 1u);
    EXPECT_TRUE(has(none.warnings[0], "qwen_image_vae.safetensors"));

    write_bytes(folder / "vae/wan_2.1_vae.safetensors", vae_file());
    write_bytes(folder / "vae/Wan2.1_VAE_upscale2x.safetensors", [] {
        std::vector<Raw> wide; // four pixels for each
        for (const Raw& t : zero_tensors(vae21_names(2, 16), "F32"))
            wide.push_back(t.name.starts_with("decoder.head.2.")
                               ? zeros(t.name, t.shape.size() == 1 ? std::vector<std::int64_t>{12}
                                                                   : std::vector<std::int64_t>{12, 2, 3, 3, 3})
                               : t);
        return safetensors(wide);
    }());
    write_bytes(folder / "vae/vae-ft-mse-840000.pt", "PK\x03\x04"); // nobody asks for it
    write_bytes(folder / "text_encoders/umt5_base.safetensors", encoder_file(true, 64, "F32"));
    write_bytes(folder / "text_encoders/umt5_xxl_fp16.safetensors", encoder_file());
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(names_of(m.vae), Names{"wan_2.1_vae.safetensors"});
    EXPECT_EQ(names_of(m.text_encoder), Names{"umt5_xxl_fp16.safetensors"});
    EXPECT_EQ(m.tokenizer.filename(), "umt5_xxl_fp16.safetensors");
    EXPECT_TRUE(m.missing.empty());
}

TEST(ModelFolderTest, OfSeveralClipsTheOneThatTheTransformerKnows) {
    TempFolder folder("models");
    const auto clip = [](std::int64_t width, const std::string& dtype) {
        return safetensors(zero_tensors(clip_names(width, 12, 2), dtype));
    };
    write_bytes(folder / "diffusion_models/wan2.1_i2v.safetensors", transformer_file(with_images()));
    write_bytes(folder / "clip_vision/CLIP-ViT-H-14-laion2B-s32B-b79K.safetensors", clip(10, "F32"));
    write_bytes(folder / "clip_vision/clip_vision_g.safetensors", clip(20, "F32"));
    write_bytes(folder / "clip_vision/clip_vision_h.safetensors", clip(10, "F16"));
    EXPECT_EQ(names_of(ModelFolder::open(folder.path()).clip), Names{"clip_vision_h.safetensors"});
}

/// Kijai's encoder brings none; ComfyUI's beside it does, and so may a file.
TEST(ModelFolderTest, TheTokenizerBesideTheTextEncoder) {
    TempFolder folder("models");
    write_bytes(folder / "diffusion_models/wan2.1_t2v.safetensors", transformer_file());
    write_bytes(folder / "vae/wan_2.1_vae.safetensors", vae_file());
    write_bytes(folder / "text_encoders/umt5-xxl-enc-bf16.safetensors", encoder_file(false, 6, "F32"));
    EXPECT_EQ(ModelFolder::open(folder.path()).missing, Names{"tokenizer"});
    write_bytes(folder / "text_encoders/umt5_xxl_fp8_e4m3fn_scaled.safetensors", encoder_file());
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(names_of(m.text_encoder), Names{"umt5-xxl-enc-bf16.safetensors"});
    EXPECT_EQ(m.tokenizer.filename(), "umt5_xxl_fp8_e4m3fn_scaled.safetensors");
    fs::remove(folder / "text_encoders/umt5_xxl_fp8_e4m3fn_scaled.safetensors");
    write_bytes(folder / "text_encoders/spiece.model", "x");
    EXPECT_EQ(ModelFolder::open(folder.path()).tokenizer, folder / "text_encoders");
}

TEST(ModelFolderTest, TheExpertsOfOtherSpellings) {
    TempFolder folder("models");
    write_bytes(folder / "vae/wan_2.1_vae.safetensors", vae_file());
    write_bytes(folder / "text_encoders/umt5_xxl_fp16.safetensors", encoder_file());
    const fs::path place = folder / "diffusion_models";
    const std::vector<std::pair<std::string, std::string>> pairs{
        {"Wan2_2-T2V-A14B_HIGH_fp8_e4m3fn_scaled_KJ.safetensors",
         "Wan2_2-T2V-A14B-LOW_fp8_e4m3fn_scaled_KJ.safetensors"},
        {"smoothMixWan22_i2vHigh.safetensors", "smoothMixWan22_i2vLow.safetensors"},
        {"Wan2.2-T2V-A14B-HighNoise-Q5_K_M.gguf", "Wan2.2-T2V-A14B-LowNoise-Q4_K_M.gguf"}};
    for (const auto& [high, low] : pairs) {
        const auto file = [&](const std::string& name) {
            return name.ends_with(".gguf") ? gguf(gguf_tensors(zero_tensors(transformer_names(tiny_transformer()))))
                                           : transformer_file();
        };
        write_bytes(place / high, file(high));
        write_bytes(place / low, file(low));
        for (const fs::path& path : {folder.path(), place / high, place / low}) {
            const ModelFolder m = ModelFolder::open(path);
            EXPECT_EQ(names_of(m.transformer), Names{high}) << path;
            EXPECT_EQ(names_of(m.transformer_low), Names{low}) << path;
            EXPECT_EQ(m.family, Family::wan22) << path;
        }
        // Others beside the pair: a model of another kind, and one of a single transformer.
        TransformerSize i2v = with_images(false);
        write_bytes(place / "Wan2_2-I2V-A14B-LOW_fp8.safetensors", transformer_file(i2v));
        write_bytes(place / "wan2.1_t2v_14B_lowvram.safetensors", transformer_file());
        EXPECT_EQ(names_of(ModelFolder::open(place / high).transformer_low), Names{low});
        EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
        fs::remove_all(place);
    }
    // Such words mean other things, too.
    write_bytes(place / "wan2.1_t2v_14B_high_quality.safetensors", transformer_file());
    write_bytes(place / "wan2.2_t2v_low_noise_14B_fp16.safetensors", transformer_file());
    const ModelFolder alone = ModelFolder::open(place / "wan2.1_t2v_14B_high_quality.safetensors");
    EXPECT_TRUE(alone.transformer_low.empty());
    EXPECT_EQ(alone.family, Family::wan);
    EXPECT_TRUE(alone.warnings.empty());
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
}

/// A clone of a repository that keeps each expert's quantisations in a folder.
TEST(ModelFolderTest, TheExpertsInFoldersOfTheirNames) {
    TempFolder folder("Wan2.2-T2V-A14B-GGUF");
    const std::string transformer = gguf(gguf_tensors(zero_tensors(transformer_names(tiny_transformer()))));
    const fs::path high = folder / "HighNoise/Wan2.2-T2V-A14B-HighNoise-Q4_K_S.gguf";
    write_bytes(high, transformer);
    write_bytes(folder / "LowNoise/Wan2.2-T2V-A14B-LowNoise-Q4_K_S.gguf", transformer);
    write_bytes(folder / "VAE/Wan2.1_VAE.safetensors", vae_file());
    write_bytes(folder / "umt5_xxl_fp16.safetensors", encoder_file());
    const auto low = [](const fs::path& path) {
        const ModelFolder m = ModelFolder::open(path);
        EXPECT_TRUE(m.missing.empty()) << path;
        return names_of(m.transformer_low);
    };
    const Names twin{"Wan2.2-T2V-A14B-LowNoise-Q4_K_S.gguf"};
    for (const fs::path& path : {folder.path(), high}) EXPECT_EQ(low(path), twin);
    write_bytes(folder / "LowNoise/Wan2.2-T2V-A14B-LowNoise-Q5_K_M.gguf", transformer);
    for (const fs::path& path : {folder.path(), high}) EXPECT_EQ(low(path), twin);
    fs::rename(folder / "LowNoise" / twin[0], folder / "LowNoise/Wan2.2-T2V-A14B-LowNoise-Q3_K_M.gguf");
    EXPECT_TRUE(has(refusal(high), "several files may be its other expert"));
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
    fs::remove_all(folder / "LowNoise");
    EXPECT_TRUE(ModelFolder::open(high).transformer_low.empty());
}

/// What lies beside a pair is somebody's, and may be anything.
TEST(ModelFolderTest, StrangersBesideThePairAreLeftAlone) {
    TempFolder folder("models");
    const fs::path place = folder / "diffusion_models", high = place / "wan2.2_t2v_high_noise_14B.safetensors";
    write_bytes(high, transformer_file());
    write_bytes(place / "someFinetune_low_noise_v3.safetensors", transformer_file());
    const ModelFolder strange = ModelFolder::open(high); // it may be meant, and is said
    EXPECT_EQ(names_of(strange.transformer_low), Names{"someFinetune_low_noise_v3.safetensors"});
    ASSERT_FALSE(strange.warnings.empty());
    EXPECT_TRUE(has(strange.warnings[0], "someFinetune_low_noise_v3.safetensors are taken for the two experts"));
    write_bytes(place / "wan2.2_t2v_low_noise_14B.safetensors", transformer_file());
    write_bytes(place / "flux-low-vram.safetensors", "<!DOCTYPE html>");
    write_bytes(place / "half_LN.gguf", "");
    TransformerSize images = with_images(true);
    images.in = tiny_transformer().in;
    write_bytes(place / "wan_i2v_low_noise_with_clip.safetensors", transformer_file(images));
    const ModelFolder m = ModelFolder::open(high);
    EXPECT_EQ(names_of(m.transformer_low), Names{"wan2.2_t2v_low_noise_14B.safetensors"});
    EXPECT_TRUE(std::none_of(m.warnings.begin(), m.warnings.end(), [](const auto& w) { return has(w, "taken"); }));
    write_bytes(place / "wan2.2_t2v_low_noise_14B.safetensors", "<!DOCTYPE html>"); // but its own is missed
    EXPECT_TRUE(has(refusal(high), "wan2.2_t2v_low_noise_14B"));
}

TEST(ModelFolderTest, FoldersOfTwoModelsAreNoPair) {
    TempFolder folder("models");
    write_bytes(folder / "I2V_HighNoise/a.safetensors", transformer_file(with_images(false)));
    write_bytes(folder / "T2V_LowNoise/a.safetensors", transformer_file());
    EXPECT_TRUE(has(refusal(folder.path()), "no model is there"));
    fs::rename(folder / "T2V_LowNoise", folder / "I2V_LowNoise");
    EXPECT_TRUE(has(refusal(folder.path()), "of two models"));
    write_bytes(folder / "I2V_LowNoise/a.safetensors", transformer_file(with_images(false)));
    EXPECT_EQ(ModelFolder::open(folder.path()).transformer_low.size(), 1u);
    // Transformers of the folder itself come first.
    for (const char* name : {"a.safetensors", "b.safetensors"}) write_bytes(folder / name, transformer_file());
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
}

TEST(ModelFolderTest, TheTwinOfAFileIsInTheFolderOfItsOwnName) {
    TempFolder folder("models");
    for (const char* place : {"A_high_noise", "A_low_noise", "B_high_noise", "B_low_noise"})
        write_bytes(folder / place / "diffusion_pytorch_model.safetensors", transformer_file());
    const ModelFolder m = ModelFolder::open(folder / "A_high_noise/diffusion_pytorch_model.safetensors");
    ASSERT_EQ(m.transformer_low.size(), 1u);
    EXPECT_EQ(m.transformer_low.front().parent_path().filename(), "A_low_noise");
    fs::rename(folder / "A_low_noise", folder / "C_low_noise");
    const std::string several = refusal(folder / "A_high_noise/diffusion_pytorch_model.safetensors");
    EXPECT_TRUE(has(several, "B_low_noise/diffusion") && has(several, "C_low_noise/diffusion")) << several;
}

TEST(ModelFolderTest, APartThatIsDamagedIsSaidAndNotMissed) {
    TempFolder folder("models");
    write_bytes(folder / "transformer/diffusion_pytorch_model.safetensors", transformer_file());
    write_bytes(folder / "text_encoder/model.safetensors", encoder_file());
    write_bytes(folder / "vae/diffusion_pytorch_model.safetensors", vae_file().substr(0, 200));
    for (const fs::path& path : {folder.path(), folder / "transformer/diffusion_pytorch_model.safetensors"})
        EXPECT_TRUE(has(refusal(path), "vae/diffusion_pytorch_model.safetensors")) << path;
    write_bytes(folder / "vae/diffusion_pytorch_model.safetensors", vae_file());
    std::error_code error;
    fs::create_directory_symlink(".", folder / "vae/loop", error); // the same file once more
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_TRUE(m.missing.empty());
    EXPECT_TRUE(m.warnings.empty()) << m.warnings.front();
}

TEST(ModelFolderTest, TheLowExpertMayLieInTwoFilesAsTheHighOne) {
    TempFolder folder("Wan2.2-T2V-A14B");
    const std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    const auto half = tensors.begin() + std::ptrdiff_t(tensors.size() / 2);
    for (const char* place : {"high_noise_model", "low_noise_model"}) {
        write_bytes(folder / place / "part_one.safetensors", safetensors({tensors.begin(), half}));
        write_bytes(folder / place / "part_two.safetensors", safetensors({half, tensors.end()}));
    }
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(m.transformer.size(), 2u);
    EXPECT_EQ(m.transformer_low.size(), 2u);
    // Half of it is of the same model still.
    fs::remove(folder / "low_noise_model/part_two.safetensors");
    EXPECT_EQ(ModelFolder::open(folder.path()).transformer_low.size(), 1u);
}

/// The Hugging Face cache: files are links to blobs without names.
TEST(ModelFolderTest, ACachedRepositoryIsItsRevision) {
    TempFolder folder("models--Wan-AI--Wan2.1-T2V-1.3B");
    const auto add = [&](const fs::path& revision, const char* name, const std::string& bytes) {
        write_bytes(folder / "blobs" / name, bytes);
        fs::create_directories((folder / "snapshots" / revision / name).parent_path());
        fs::create_symlink(folder / "blobs" / name, folder / "snapshots" / revision / name);
    };
    add("0a1b", "diffusion_pytorch_model.safetensors", transformer_file());
    add("0a1b", "Wan2.1_VAE.pth", pth(zero_tensors(vae21_names(2, 16))));
    EXPECT_EQ(ModelFolder::open(folder.path()).root, folder / "snapshots/0a1b"); // the only one
    fs::create_directories(folder / "snapshots/2c3d");
    write_bytes(folder / "refs/main", "0a1b");
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(m.root, folder / "snapshots/0a1b");
    EXPECT_EQ(names_of(m.vae), Names{"Wan2.1_VAE.pth"});
    EXPECT_EQ(m.family, Family::wan);
}

TEST(ModelFolderTest, OfTwoVaesTheOneThatMakesTheLatents) {
    TempFolder folder("models");
    write_bytes(folder / "diffusion_models/some_16.safetensors", transformer_file());
    TransformerSize ti2v = tiny_transformer();
    ti2v.in = ti2v.out = 20;
    write_bytes(folder / "diffusion_models/some_20.safetensors", transformer_file(ti2v));
    write_bytes(folder / "vae/first.safetensors", safetensors(zero_tensors(vae21_names(2, 16))));
    write_bytes(folder / "vae/second.safetensors", safetensors(zero_tensors(vae22_names(2, 2, 20))));
    const auto opened = [&](const char* file) { return ModelFolder::open(folder / "diffusion_models" / file); };
    EXPECT_EQ(names_of(opened("some_16.safetensors").vae), Names{"first.safetensors"});
    EXPECT_EQ(opened("some_16.safetensors").family, std::nullopt);
    EXPECT_EQ(names_of(opened("some_20.safetensors").vae), Names{"second.safetensors"});
    EXPECT_EQ(opened("some_20.safetensors").family, Family::wan22); // no other family has this VAE
    EXPECT_EQ(inspect(folder / "vae/second.safetensors").family, "wan2.2");
}

/// As people download it: one quantised file, which llama.cpp's converter gave the vocabulary too.
TEST(ModelFolderTest, AGgufTextEncoderBringsItsTokenizer) {
    TempFolder folder("ComfyUI");
    write_bytes(folder / "diffusion_models/wan2.1_t2v.safetensors", transformer_file());
    write_bytes(folder / "vae/wan_2.1_vae.safetensors", safetensors(zero_tensors(vae21_names(2, 2))));
    const fs::path encoder = folder / "text_encoders/umt5-xxl-encoder-Q5_K_M.gguf";
    const auto tensors = gguf_tensors(zero_tensors(umt5_names(20, 8, 12, 2, 2)));
    const auto told = [&](const char* kind) {
        write_bytes(encoder, gguf(tensors, {gguf_pair("tokenizer.ggml.model", 8, gguf_string(kind))}));
        return ModelFolder::open(folder.path()).tokenizer;
    };
    EXPECT_EQ(told("t5"), encoder);
    EXPECT_EQ(told("llama"), "");
    write_bytes(encoder, gguf(tensors));
    EXPECT_EQ(ModelFolder::open(folder.path()).missing, Names{"tokenizer"});
    write_bytes(folder / "google/umt5-xxl/spiece.model", "x");
    EXPECT_EQ(told("t5"), folder / "google/umt5-xxl"); // a file of its own is asked first
}

TEST(ModelFolderTest, TheOtherExpertIsFoundByName) {
    TempFolder folder("models");
    add_companions(folder.path());
    write_bytes(folder / "wan2.2_t2v_high_noise_14B_fp16.safetensors", transformer_file());
    write_bytes(folder / "wan2.2_t2v_low_noise_14B_fp16.safetensors", transformer_file());
    for (const char* file :
         {"", "wan2.2_t2v_high_noise_14B_fp16.safetensors", "wan2.2_t2v_low_noise_14B_fp16.safetensors"}) {
        const ModelFolder m = ModelFolder::open(*file ? folder / file : folder.path());
        EXPECT_EQ(names_of(m.transformer), Names{"wan2.2_t2v_high_noise_14B_fp16.safetensors"});
        EXPECT_EQ(names_of(m.transformer_low), Names{"wan2.2_t2v_low_noise_14B_fp16.safetensors"});
        EXPECT_EQ(m.family, Family::wan22);
    }
    fs::remove(folder / "wan2.2_t2v_low_noise_14B_fp16.safetensors");
    EXPECT_EQ(ModelFolder::open(folder / "wan2.2_t2v_high_noise_14B_fp16.safetensors").warnings.size(), 1u);
}

TEST(ModelFolderTest, AnAllInOneFileServesEveryRole) {
    std::vector<Raw> all = zero_tensors(transformer_names(tiny_transformer()), "F16",
                                        [](const std::string& n) { return "model.diffusion_model." + n; });
    for (Raw& t : zero_tensors(vae21_names(2, 2), "F16", [](const std::string& n) { return "vae." + n; }))
        all.push_back(t);
    for (Raw& t : zero_tensors(umt5_names(20, 8, 12, 2, 2), "F16",
                               [](const std::string& n) { return "text_encoders.umt5xxl.transformer." + n; }))
        all.push_back(t);
    all.push_back(zeros("text_encoders.umt5xxl.spiece_model", {4}, "U8"));
    TempFolder folder("models");
    write_bytes(folder / "checkpoints/aio.safetensors", safetensors(all)); // where ComfyUI keeps such files
    for (const fs::path& path : {folder.path(), folder / "checkpoints/aio.safetensors"}) {
        const ModelFolder m = ModelFolder::open(path);
        EXPECT_EQ(m.transformer, m.vae);
        EXPECT_EQ(m.transformer, m.text_encoder);
        EXPECT_EQ(m.tokenizer, folder / "checkpoints/aio.safetensors");
        EXPECT_TRUE(m.missing.empty());
    }
}

TEST(ModelFolderTest, SaysWhatIsMissingOrDamaged) {
    TempFolder folder("x");
    EXPECT_TRUE(has(refusal(folder.path()), "no model is there"));
    EXPECT_TRUE(has(refusal(folder / "nothing"), "no such file"));
    write_bytes(folder / "model.safetensors", transformer_file());
    EXPECT_EQ(ModelFolder::open(folder.path()).missing, (Names{"VAE", "text encoder", "tokenizer"}));
    write_bytes(folder / "vae.pth", "PK\x03\x04");
    EXPECT_TRUE(has(refusal(folder.path()), "vae.pth"));
    TempFolder only_vae("y");
    write_bytes(only_vae / "vae.safetensors", safetensors(zero_tensors(vae21_names(2, 2))));
    EXPECT_TRUE(has(refusal(only_vae / "vae.safetensors"), "found: Wan 2.1 VAE"));
    write_bytes(folder / "style.safetensors", safetensors({f32("blocks.0.self_attn.q.lora_down.weight", {2, 8})}));
    EXPECT_TRUE(has(refusal(folder / "style.safetensors"), "found: LoRA"));
    write_bytes(folder / "module.safetensors", safetensors({f32("vace_blocks.0.after_proj.weight", {8, 8})}));
    EXPECT_TRUE(has(refusal(folder / "module.safetensors"), "relative VACE"));
    std::vector<Raw> quanto; // each linear layer as tensors of names that no network has
    for (const Raw& t : zero_tensors(transformer_names(tiny_transformer()))) {
        const bool linear = t.shape.size() == 2;
        quanto.push_back({linear ? t.name + "._data" : t.name, t.dtype, t.shape, t.data});
        if (linear) quanto.push_back(zeros(t.name + "._scale", {t.shape[0], 1}));
        if (linear) quanto.push_back(zeros(t.name.substr(0, t.name.rfind('.')) + ".output_scale", {}));
    }
    write_bytes(folder / "quanto_int8.safetensors", safetensors(quanto));
    EXPECT_TRUE(has(refusal(folder / "quanto_int8.safetensors"), "quantised with quanto"));
}

// The family

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
        {"class that says nothing", plain, R"({"_class_name":"WanTransformer3DModel"})", "{}", false, {}, std::nullopt},
    };
    for (const FamilyCase& c : cases) {
        FamilyEvidence e;
        e.config = Json::parse(c.config), e.model_index = Json::parse(c.index), e.traits = traits_of(c.size),
        e.two_experts = c.experts, e.names = c.names;
        EXPECT_EQ(detect_family(e), c.family) << c.what;
    }
}

TEST(FamilyTest, AnUnknownFieldIsRefused) {
    TempFolder folder("x");
    write_bytes(folder / "model.safetensors", transformer_file());
    write_bytes(folder / "config.json", R"({"family":"wan3"})");
    EXPECT_TRUE(has(refusal(folder.path()), "config.json: family"));
}

TEST(FamilyTest, NamesBothWays) {
    for (const Family f : {Family::wan, Family::skyreels, Family::skyreels_df, Family::wan22})
        EXPECT_EQ(family_from_name(name(f)), f);
    EXPECT_FALSE(family_from_name("Wan"));
}

} // namespace
} // namespace denoir
