// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/experts.h"

#include <gtest/gtest.h>

#include "engine/weights/model_folder.h"
#include "support/gguf_writer.h"
#include "support/model_files.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

TEST(ExpertsTest, TheTwoExpertsOfWan22) {
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
    // An index that somebody added hides neither expert, and says what it knows.
    write_bytes(folder / "model_index.json", R"({"_class_name":"WanPipeline","boundary_ratio":0.875})");
    const ModelFolder indexed = ModelFolder::open(folder.path());
    EXPECT_EQ(indexed.transformer, m.transformer);
    EXPECT_EQ(indexed.transformer_low, m.transformer_low);
    EXPECT_EQ(indexed.model_index.at("boundary_ratio"), 0.875);
    fs::remove(folder / "model_index.json");
    fs::remove_all(folder / "low_noise_model");
    EXPECT_EQ(ModelFolder::open(folder.path()).missing, Names{"low-noise transformer"});
}

TEST(ExpertsTest, DiffusersWithTwoExperts) {
    TempFolder folder("plain");
    write_diffusers(folder.path(), R"({"_class_name":"WanPipeline","boundary_ratio":0.875})");
    fs::copy(folder / "transformer", folder / "transformer_2", fs::copy_options::recursive);
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(m.transformer_low.front().parent_path().filename(), "transformer_2");
    EXPECT_EQ(m.model_index.at("boundary_ratio"), 0.875);
    // As in folders of other layouts: of several files none is chosen, and files of two models make no pair.
    const fs::path low = m.transformer_low.front();
    fs::copy_file(low, low.parent_path() / "another.safetensors");
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers are there"));
    fs::remove(low.parent_path() / "another.safetensors");
    TransformerSize other = tiny_transformer();
    other.dim *= 2;
    write_bytes(low, diffusers_file(Component::transformer, transformer_names(other)));
    EXPECT_TRUE(has(refusal(folder.path()), "are of two models"));
}

TEST(ExpertsTest, TheExpertsOfOtherSpellings) {
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
        // A model of another kind and one with a single transformer lie beside the pair.
        TransformerSize i2v = with_images(false);
        write_bytes(place / "Wan2_2-I2V-A14B-LOW_fp8.safetensors", transformer_file(i2v));
        write_bytes(place / "wan2.1_t2v_14B_lowvram.safetensors", transformer_file());
        EXPECT_EQ(names_of(ModelFolder::open(place / high).transformer_low), Names{low});
        EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
        fs::remove_all(place);
    }
    // These words have other meanings, too.
    write_bytes(place / "wan2.1_t2v_14B_high_quality.safetensors", transformer_file());
    write_bytes(place / "wan2.2_t2v_low_noise_14B_fp16.safetensors", transformer_file());
    const ModelFolder alone = ModelFolder::open(place / "wan2.1_t2v_14B_high_quality.safetensors");
    EXPECT_TRUE(alone.transformer_low.empty());
    EXPECT_EQ(alone.family, Family::wan);
    EXPECT_TRUE(alone.warnings.empty());
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
}

/// Clones of repositories that keep each expert's quantisations in a folder of its own.
TEST(ExpertsTest, TheExpertsInFoldersOfTheirNames) {
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

/// Folders without the word "noise", as makers of finetunes name them, and people who download each half of a
/// repository.
TEST(ExpertsTest, TheExpertsInFoldersOfOneWord) {
    struct Case {
        fs::path high, low, opened;
    };
    const char* alike = "diffusion_pytorch_model.safetensors";
    for (const Case& c : {Case{"diffusion_models/wan_i2v_high/smoothMix_i2vHigh.safetensors",
                               "diffusion_models/wan_i2v_low/smoothMix_i2vLow.safetensors", "."},
                          Case{fs::path("Wan2.2-T2V-A14B-high") / alike, fs::path("Wan2.2-T2V-A14B-low") / alike, "."},
                          Case{fs::path("transformer_high") / alike, fs::path("transformer_low") / alike, "."},
                          Case{fs::path("distill_models/high_noise_model") / alike,
                               fs::path("distill_models/low_noise_model") / alike, "distill_models"}}) {
        TempFolder folder("models");
        add_companions(folder.path());
        write_bytes(folder.path() / c.high, transformer_file());
        write_bytes(folder.path() / c.low, transformer_file());
        for (const fs::path& path :
             {folder.path(), folder.path() / c.opened, folder.path() / c.high, folder.path() / c.low}) {
            const ModelFolder m = ModelFolder::open(path);
            ASSERT_EQ(m.transformer.size() + m.transformer_low.size(), 2u) << path;
            EXPECT_TRUE(fs::equivalent(m.transformer.front(), folder.path() / c.high)) << path;
            EXPECT_TRUE(fs::equivalent(m.transformer_low.front(), folder.path() / c.low)) << path;
            EXPECT_EQ(m.family, Family::wan22) << path;
            EXPECT_EQ(m.missing, Names{}) << path;
            EXPECT_EQ(m.warnings, Names{}) << path;
        }
    }
    // The words have other meanings, too: a folder with another name beside them is no half, and alone they say
    // nothing.
    TempFolder folder("models");
    write_bytes(folder / "high_vram/wan2.1_t2v.safetensors", transformer_file());
    write_bytes(folder / "low_quality/wan2.1_t2v.safetensors", transformer_file());
    const ModelFolder one = ModelFolder::open(folder / "high_vram/wan2.1_t2v.safetensors");
    EXPECT_TRUE(one.transformer_low.empty());
    EXPECT_EQ(one.family, Family::wan);
    EXPECT_EQ(one.warnings, Names{});
    // A third transformer beside the two folders may be the one that is meant.
    write_bytes(folder / "diffusion_models/A_high/a.safetensors", transformer_file());
    write_bytes(folder / "diffusion_models/A_low/a.safetensors", transformer_file());
    EXPECT_EQ(ModelFolder::open(folder.path()).transformer_low.size(), 1u);
    write_bytes(folder / "diffusion_models/wan2.1/b.safetensors", transformer_file());
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
}

/// Two folders called just "high" and "low" hold experts if their files are as alike as A14B's two are. Otherwise they
/// may be two qualities of one model.
TEST(ExpertsTest, FoldersOfTwoQualitiesAreNoExperts) {
    TempFolder folder("models");
    const fs::path high = folder / "high/model.safetensors", low = folder / "low/model.safetensors";
    const auto pairs = [&](const TransformerSize& one, const std::string& dtype) {
        write_bytes(high, transformer_file(one));
        write_bytes(low, safetensors(zero_tensors(transformer_names(one), dtype)));
        const ModelFolder m = ModelFolder::open(high);
        const bool both = !m.transformer_low.empty();
        EXPECT_EQ(m.family, both ? std::optional(Family::wan22) : std::nullopt);
        const std::string said = refusal(folder.path());
        EXPECT_EQ(said == "accepted", both);
        // The refusal lists the files that can be named.
        EXPECT_EQ(has(said, "in its folders: high/model.safetensors, low/model.safetensors"), !both) << said;
        return both;
    };
    EXPECT_TRUE(pairs(tiny_transformer(), "F16"));
    EXPECT_FALSE(pairs(tiny_transformer(), "F32")); // this file is twice as large
    EXPECT_FALSE(pairs(with_images(), "F16"));      // this one has a CLIP branch
    add_companions(folder.path());
    const ModelFolder parts = ModelFolder::open(folder.path());
    EXPECT_EQ(parts.missing, Names{"transformer"});
    EXPECT_EQ(parts.deeper, "high/model.safetensors, low/model.safetensors");
    for (const char* name : {"Wan2.1_VAE.pth", "models_t5_umt5-xxl-enc-bf16.pth", "google"})
        fs::remove_all(folder / name);
    TransformerSize small;
    small.dim = 1536, small.ffn = 2, small.text = small.freq = 2, small.layers = 1;
    EXPECT_TRUE(pairs(small, "F16"));
    // If the names of the files say so, the two may differ in size.
    fs::remove_all(folder / "high");
    fs::remove_all(folder / "low");
    write_bytes(folder / "high/Wan22_HIGH.safetensors", transformer_file());
    write_bytes(folder / "low/Wan22_LOW.safetensors",
                safetensors(zero_tensors(transformer_names(tiny_transformer()), "F32")));
    EXPECT_EQ(ModelFolder::open(folder / "high/Wan22_HIGH.safetensors").transformer_low.size(), 1u);
    EXPECT_EQ(ModelFolder::open(folder.path()).transformer_low.size(), 1u);
}

/// Any other file of the user may lie beside a pair.
TEST(ExpertsTest, StrangersBesideThePairAreLeftAlone) {
    TempFolder folder("models");
    const fs::path place = folder / "diffusion_models", high = place / "wan2.2_t2v_high_noise_14B.safetensors";
    write_bytes(high, transformer_file());
    write_bytes(place / "someFinetune_low_noise_v3.safetensors", transformer_file());
    const ModelFolder strange = ModelFolder::open(high); // this file may be meant, so it is taken with a warning
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
    // The expert's own file is damaged, which must be told and not covered by another file.
    write_bytes(place / "wan2.2_t2v_low_noise_14B.safetensors", "<!DOCTYPE html>");
    EXPECT_TRUE(has(refusal(high), "wan2.2_t2v_low_noise_14B"));
}

TEST(ExpertsTest, FoldersOfTwoModelsAreNoPair) {
    TempFolder folder("models");
    write_bytes(folder / "I2V_HighNoise/a.safetensors", transformer_file(with_images(false)));
    write_bytes(folder / "T2V_LowNoise/a.safetensors", transformer_file());
    EXPECT_TRUE(has(refusal(folder.path()), "no model is there"));
    fs::rename(folder / "T2V_LowNoise", folder / "I2V_LowNoise");
    EXPECT_TRUE(has(refusal(folder.path()), "of two models"));
    write_bytes(folder / "I2V_LowNoise/a.safetensors", transformer_file(with_images(false)));
    EXPECT_EQ(ModelFolder::open(folder.path()).transformer_low.size(), 1u);
    // A transformer in the folder itself counts before those in its subfolders.
    for (const char* name : {"a.safetensors", "b.safetensors"}) write_bytes(folder / name, transformer_file());
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
}

TEST(ExpertsTest, TheTwinOfAFileIsInTheFolderOfItsOwnName) {
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

TEST(ExpertsTest, TheLowExpertMayLieInTwoFilesAsTheHighOne) {
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
    // One half of it still belongs to the same model.
    fs::remove(folder / "low_noise_model/part_two.safetensors");
    EXPECT_EQ(ModelFolder::open(folder.path()).transformer_low.size(), 1u);
}

TEST(ExpertsTest, AnyShardOfAnExpertLeadsToTheOther) {
    TempFolder folder("models");
    add_companions(folder.path());
    const std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    const auto half = tensors.begin() + std::ptrdiff_t(tensors.size() / 2);
    for (const std::string expert : {"high", "low"}) {
        write_bytes(folder / ("mix_" + expert + "-00001-of-00002.safetensors"), safetensors({tensors.begin(), half}));
        write_bytes(folder / ("mix_" + expert + "-00002-of-00002.safetensors"), safetensors({half, tensors.end()}));
    }
    for (const char* file : {"mix_high-00001-of-00002.safetensors", "mix_high-00002-of-00002.safetensors",
                             "mix_low-00001-of-00002.safetensors", "mix_low-00002-of-00002.safetensors"}) {
        const ModelFolder m = ModelFolder::open(folder / file);
        EXPECT_EQ(names_of(m.transformer).front(), "mix_high-00001-of-00002.safetensors") << file;
        EXPECT_EQ(m.transformer_low.size(), 2u) << file;
        EXPECT_TRUE(m.warnings.empty()) << file;
    }
}

/// Whether two folders called "high" and "low" hold experts is decided by all shards of each.
TEST(ExpertsTest, ShardsInFoldersOfWordsAlone) {
    TempFolder folder("models");
    add_companions(folder.path());
    const std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    const auto quarter = tensors.begin() + std::ptrdiff_t(tensors.size() / 4),
               half = quarter + (quarter - tensors.begin());
    for (const auto& [place, cut] : {std::pair("high", quarter), std::pair("low", half)}) {
        write_bytes(folder / place / "m-00001-of-00002.safetensors", safetensors({tensors.begin(), cut}));
        write_bytes(folder / place / "m-00002-of-00002.safetensors", safetensors({cut, tensors.end()}));
    }
    for (const char* file : {"high/m-00001-of-00002.safetensors", "low/m-00002-of-00002.safetensors"}) {
        const ModelFolder m = ModelFolder::open(folder / file);
        EXPECT_EQ(m.transformer.size(), 2u) << file;
        EXPECT_EQ(m.transformer_low.size(), 2u) << file;
    }
    EXPECT_EQ(ModelFolder::open(folder.path()).transformer_low.size(), 2u);
}

/// "lowvram" and "highvram" name two versions of one model and not two experts.
TEST(ExpertsTest, LowVramNamesNoExpert) {
    TempFolder folder("models");
    write_bytes(folder / "Wan2.1-14B-LowVRAM/a.safetensors", transformer_file());
    write_bytes(folder / "Wan2.1-14B-HighVRAM/a.safetensors", transformer_file());
    EXPECT_TRUE(has(refusal(folder.path()), "no model is there"));
    for (const char* name : {"high_rank.safetensors", "LowMemory-v2.safetensors", "low-cfg.safetensors"})
        EXPECT_EQ(file_expert_of(name), Expert::none) << name;
    // "Lightning" begins like "light", after which "high" would mean no expert.
    EXPECT_EQ(file_expert_of("high_lightning.safetensors"), Expert::high);
    for (const char* both : {"style_high_noise_low_noise.safetensors", "HighNoise+LowNoise"})
        EXPECT_EQ(file_expert_of(both), Expert::none) << both;
}

/// Makers of finetunes name experts "…H" and "…L". Any other two files may be two versions of a model.
TEST(ExpertsTest, ALastLetterTellsTwoFilesApart) {
    TempFolder folder("models");
    add_companions(folder.path());
    const Names pair{"wan22EnhancedNSFWSVICamera_nsfwV2FP8H.safetensors",
                     "wan22EnhancedNSFWSVICamera_nsfwV2FP8L.safetensors"};
    write_bytes(folder / pair[0], transformer_file());
    EXPECT_TRUE(ModelFolder::open(folder / pair[0]).transformer_low.empty());
    write_bytes(folder / pair[1], transformer_file());
    for (const fs::path& path : {folder.path(), folder / pair[0], folder / pair[1]}) {
        const ModelFolder m = ModelFolder::open(path);
        EXPECT_EQ(names_of(m.transformer), Names{pair[0]}) << path;
        EXPECT_EQ(names_of(m.transformer_low), Names{pair[1]}) << path;
        EXPECT_EQ(m.family, Family::wan22) << path;
        ASSERT_EQ(m.warnings.size(), 1u) << path; // one letter says little, so there is a warning
        EXPECT_TRUE(has(m.warnings[0], "are taken for the two experts")) << path;
    }
    write_bytes(folder / pair[1], transformer_file(with_images(false))); // now they are of two models
    EXPECT_TRUE(ModelFolder::open(folder / pair[0]).transformer_low.empty());
    EXPECT_FALSE(has(refusal(folder.path()), "..._high"));
    write_bytes(folder / pair[1], transformer_file());
    fs::rename(folder / pair[1], folder / "wan22EnhancedNSFWSVICamera_nsfwV2FP8M.safetensors");
    EXPECT_TRUE(ModelFolder::open(folder / pair[0]).transformer_low.empty());
    EXPECT_TRUE(has(refusal(folder.path()), "or name them ..._high and ..._low")) << refusal(folder.path());
    EXPECT_EQ(letter_expert_of("aH.safetensors", "aL.gguf"), Expert::none);
    EXPECT_EQ(letter_expert_of("ah.safetensors", "al.safetensors"), Expert::none);
}

TEST(ExpertsTest, TheOtherExpertIsFoundByName) {
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

} // namespace
} // namespace denoir
