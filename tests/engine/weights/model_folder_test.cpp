// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/model_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/weights/config_file.h"
#include "engine/weights/convert.h"
#include "engine/weights/inspect.h"
#include "engine/weights/no_transformer.h"
#include "engine/weights/places.h"
#include "support/model_files.h"
#include "support/torch_writer.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

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

TEST(ModelFolderTest, OneShardStandsForAll) {
    TempFolder folder("Wan2.1-T2V-14B");
    add_companions(folder.path());
    const std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    const Names both{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"};
    write_bytes(folder / both[0], safetensors({tensors.begin(), tensors.begin() + 40}));
    write_bytes(folder / both[1], safetensors({tensors.begin() + 40, tensors.end()}));
    for (const std::string& shard : both) {
        const ModelFolder m = ModelFolder::open(folder / shard);
        EXPECT_EQ(names_of(m.transformer), both);
        EXPECT_TRUE(m.missing.empty());
        EXPECT_TRUE(m.warnings.empty());
    }
    std::string map;
    for (const Raw& t : tensors)
        map += (map.empty() ? "\"" : ",\"") + t.name + "\":\"" + both[&t < &tensors[40] ? 0 : 1] + "\"";
    write_bytes(folder / "model.safetensors.index.json", R"({"weight_map":{)" + map + "}}");
    EXPECT_EQ(names_of(ModelFolder::open(folder / both[1]).transformer), both);
    fs::remove(folder / both[1]);
    const ModelFolder half = ModelFolder::open(folder / both[0]);
    ASSERT_FALSE(half.warnings.empty());
    EXPECT_TRUE(has(half.warnings.back(), "1 of 2 shards")) << half.warnings.back();
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
        EXPECT_EQ(m.missing, has(std::string(c.index), "0.875") ? Names{"low-noise transformer"} : Names{}) << c.index;
        EXPECT_EQ(m.config.at("num_attention_heads"), 2);
        EXPECT_EQ(m.tokenizer, folder.path() / "tokenizer");
    }
}

TEST(ModelFolderTest, NamesTheExpertThatIsMissing) {
    for (const char* second : {R"(["diffusers","WanTransformer3DModel"])", "[null,null]", "[]"})
        for (const bool bound : {true, false}) {
            TempFolder folder("plain");
            write_diffusers(folder.path(),
                            fmt::format(R"({{"_class_name":"WanPipeline","boundary_ratio":{},"transformer_2":{}}})",
                                        bound ? "0.875" : "null", second));
            const bool half = bound || has(std::string(second), "Wan");
            EXPECT_EQ(ModelFolder::open(folder.path()).missing, half ? Names{"low-noise transformer"} : Names{})
                << second << bound;
        }
    for (const auto& [there, missing] :
         {std::pair{"high_noise_model", "low-noise transformer"}, {"low_noise_model", "high-noise transformer"}}) {
        TempFolder folder("Wan2.2-T2V-A14B");
        write_bytes(folder / there / "diffusion_pytorch_model.safetensors", transformer_file());
        add_companions(folder.path());
        const Names found = ModelFolder::open(folder.path()).missing;
        EXPECT_NE(std::ranges::find(found, missing), found.end()) << there;
    }
}

/// The config.json that the transformers library writes for a CLIP with both towers.
TEST(ConfigFile, NamesItsArchitecture) {
    TempFolder folder("x");
    write_bytes(folder / "config.json",
                R"({"architectures": ["CLIPModel"], "vision_config": {"n": 6}, "text_len": 77})");
    EXPECT_EQ(read_config(folder.path(), Component::clip), (Json{{"n", 6}}));
    EXPECT_EQ(read_config(folder.path(), Component::transformer, Component::transformer), (Json{{"text_len", 77}}));
    write_bytes(folder / "config.json", R"({"architectures": ["UMT5EncoderModel"], "dropout_rate": 0.1})");
    EXPECT_TRUE(read_config(folder.path(), Component::umt5, Component::transformer).contains("dropout_rate"));
    EXPECT_EQ(read_config(folder.path(), Component::transformer, Component::transformer), Json::object());
}

/// The download was interrupted, or the transformer is kept elsewhere.
TEST(ModelFolderTest, DiffusersWithoutTransformer) {
    TempFolder folder("plain");
    write_diffusers(folder.path(), R"({"_class_name":"WanPipeline"})");
    fs::remove_all(folder / "transformer");
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(m.missing, Names{"transformer"});
    EXPECT_FALSE(m.vae.empty());
}

/// In the model's folder a user may name the transformer without any path.
TEST(ModelFolderTest, TheRepositoryOfARelativePath) {
    TempFolder folder("plain");
    write_diffusers(folder.path(), R"({"_class_name":"SkyReelsV2Pipeline"})");
    const fs::path before = fs::current_path();
    fs::current_path(folder / "transformer");
    for (const char* path : {"diffusion_pytorch_model.safetensors", "./diffusion_pytorch_model.safetensors", ".", "./",
                             "../transformer"}) {
        const ModelFolder m = ModelFolder::open(path);
        EXPECT_EQ(m.family, Family::skyreels) << path;
        EXPECT_TRUE(fs::equivalent(m.model_index_file, folder / "model_index.json")) << path;
        EXPECT_EQ(inspect(path).family, "skyreels") << path;
    }
    fs::current_path(before);
}

TEST(ModelFolderTest, AnIndexBesideTheFilesOfAnOriginalRepositoryTellsTheFamily) {
    TempFolder folder("plain");
    add_companions(folder.path());
    write_bytes(folder / "model.safetensors", transformer_file());
    write_bytes(folder / "model_index.json", R"({"_class_name":"SkyReelsV2DiffusionForcingPipeline"})");
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(names_of(m.transformer), Names{"model.safetensors"});
    EXPECT_TRUE(m.missing.empty());
    EXPECT_TRUE(m.warnings.empty());
    EXPECT_EQ(m.family, Family::skyreels_df);
    EXPECT_EQ(inspect(folder.path()).family, "skyreels-df");
    const fs::path file = folder / "model.safetensors";
    EXPECT_EQ(ModelFolder::open(file).family, Family::skyreels_df);
    EXPECT_EQ(inspect(file).family, "skyreels-df");
}

TEST(ModelFolderTest, AWorkingDirectoryThatIsGoneIsRefusedAsAnEmptyFolderIs) {
    TempFolder folder("parent");
    const fs::path before = fs::current_path(), gone = folder / "gone";
    fs::create_directory(gone);
    fs::current_path(gone);
    fs::remove(gone);
    std::string why;
    EXPECT_NO_THROW(why = refusal([] { ModelFolder::open("."); }));
    EXPECT_NO_THROW(EXPECT_EQ(normal_path("a/../b/"), "b"));
    fs::current_path(before);
    EXPECT_TRUE(why.starts_with(".: ")) << why;
    EXPECT_NO_THROW(EXPECT_EQ(normal_path(""), ""));
}

TEST(ModelFolderTest, AnIndexThatCannotBeLookedAtIsNotCalledAbsent) {
    TempFolder folder("repository");
    write_diffusers(folder.path(), R"({"_class_name":"WanPipeline"})");
    fs::remove(folder / "model_index.json");
    fs::create_symlink("model_index.json", folder / "model_index.json");
    const std::string why =
        (folder / "model_index.json").string() + ": symbolic links lead in a circle; name the file itself";
    const fs::path file = folder / "transformer/diffusion_pytorch_model.safetensors";
    for (const fs::path& path : {folder.path(), file}) {
        EXPECT_EQ(refusal(path), why);
        EXPECT_EQ(refusal([&] { inspect(path); }), why);
    }
    EXPECT_EQ(refusal([&] { convert(folder.path(), folder / "out.safetensors", {}); }), why);
}

TEST(ModelFolderTest, AnUnknownFamilyIsRefusedByTheFileThatSaysIt) {
    TempFolder folder("repository");
    write_diffusers(folder.path(), R"({"_class_name":"WanPipeline"})");
    const fs::path file = folder / "transformer/diffusion_pytorch_model.safetensors";
    const auto said = [](const fs::path& path) { return refusal([&] { inspect(path); }); };
    write_bytes(folder / "model_index.json", R"({"family":"vidu"})");
    for (const fs::path& path : {folder.path(), file})
        EXPECT_TRUE(refusal(path).starts_with((folder / "model_index.json").string() + ": family")) << refusal(path);
    EXPECT_TRUE(said(file).starts_with((folder / "model_index.json").string() + ": family")) << said(file);
    write_bytes(folder / "transformer/config.json", R"({"_class_name":"WanTransformer3DModel","family":"vidu"})");
    for (const fs::path& path : {folder.path(), file})
        EXPECT_TRUE(refusal(path).starts_with((folder / "transformer/config.json").string())) << refusal(path);
    EXPECT_TRUE(said(file).starts_with((folder / "transformer/config.json").string())) << said(file);
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
        EXPECT_EQ(m.warnings.size(), 1u) << path; // warns that there are two text encoders
    }
    write_bytes(split / "diffusion_models/wan2.1_t2v_1.3B_bf16.safetensors", transformer_file());
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
}

/// ComfyUI also lists files in subfolders, and people sort their files so. `clip` is the older name of text_encoders.
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

TEST(ModelFolderTest, OfSeveralModelsInComfyFoldersNoneIsChosen) {
    const std::string model = transformer_file();
    for (const char* other : {"models/diffusion_models/Wan22/wan_i2v.safetensors", "models/unet/wan_q8.safetensors",
                              "models/checkpoints/aio/wan_aio.safetensors"}) {
        TempFolder folder("ComfyUI");
        write_bytes(folder / "models/diffusion_models/wan2.1_t2v_1.3B_fp16.safetensors", model);
        EXPECT_EQ(ModelFolder::open(folder.path()).transformer.size(), 1u);
        write_bytes(folder / other, model);
        EXPECT_TRUE(has(refusal(folder.path()), "several transformers are there (wan")) << refusal(folder.path());
        EXPECT_EQ(ModelFolder::open(folder / other).transformer.size(), 1u);
    }
    // A pair of experts is one model, and a file that a link shows again is the same file.
    TempFolder folder("ComfyUI");
    const fs::path place = folder / "models/diffusion_models";
    write_bytes(place / "Wan22/wan2.2_i2v_high_noise_14B.safetensors", model);
    write_bytes(place / "Wan22/wan2.2_i2v_low_noise_14B.safetensors", model);
    fs::create_directory_symlink("diffusion_models", folder / "models/unet");
    fs::create_directory_symlink(".", place / "loop");
    const ModelFolder pair = ModelFolder::open(folder.path());
    EXPECT_EQ(names_of(pair.transformer), Names{"wan2.2_i2v_high_noise_14B.safetensors"});
    EXPECT_EQ(names_of(pair.transformer_low), Names{"wan2.2_i2v_low_noise_14B.safetensors"});
    write_bytes(place / "Wan21/model-00001-of-00001.safetensors", model); // the same model as a shard with an index
    std::string map;
    for (const Raw& t : zero_tensors(transformer_names(tiny_transformer())))
        map += (map.empty() ? "\"" : ",\"") + t.name + "\":\"model-00001-of-00001.safetensors\"";
    write_bytes(place / "Wan21/model.safetensors.index.json", R"({"weight_map":{)" + map + "}}");
    EXPECT_TRUE(has(refusal(folder.path()), "several transformers"));
}

/// File systems list folders in any order, and the right ones must be found wherever they are in the list.
TEST(ModelFolderTest, AmongThousandsOfFoldersItsOwnAreFound) {
    TempFolder folder("models");
    write_bytes(folder / "vae/wan_2.1_vae.safetensors", vae_file());
    for (int i = 0; i < 1500; ++i) fs::create_directory(folder / ("run-" + std::to_string(i)));
    write_bytes(folder / "text_encoders/umt5_xxl_fp16.safetensors", encoder_file());
    write_bytes(folder / "model.safetensors", transformer_file());
    EXPECT_EQ(ModelFolder::open(folder / "model.safetensors").missing, Names{}); // the text encoder holds its tokenizer
}

TEST(ModelFolderTest, OtherProgramsFolders) {
    const auto complete = [](const fs::path& path) {
        const ModelFolder m = ModelFolder::open(path);
        EXPECT_EQ(m.transformer.size(), 1u) << path;
        return m.missing;
    };
    TempFolder wan2gp("ckpts");
    write_bytes(wan2gp / "wan2.1_image2video_480p_14B_mbf16.safetensors", transformer_file(with_images()));
    write_bytes(wan2gp / "Wan2.1_VAE.safetensors", vae_file());
    write_bytes(wan2gp / "umt5-xxl/models_t5_umt5-xxl-enc-bf16.safetensors", encoder_file(false));
    write_bytes(wan2gp / "umt5-xxl/spiece.model", "x");
    write_bytes(wan2gp / "xlm-roberta-large/models_clip_open-clip-xlm-roberta-large-vit-huge-14-bf16.safetensors",
                safetensors(zero_tensors(clip_names(10, 12, 2))));
    EXPECT_EQ(complete(wan2gp.path()), Names{});
    EXPECT_EQ(complete(wan2gp / "wan2.1_image2video_480p_14B_mbf16.safetensors"), Names{});
    TempFolder forge("webui");
    write_bytes(forge / "models/Stable-diffusion/wan2.1_t2v_1.3B.safetensors", transformer_file());
    write_bytes(forge / "models/text_encoder/umt5_xxl_fp16.safetensors", encoder_file());
    write_bytes(forge / "models/VAE/wan_2.1_vae.safetensors", vae_file());
    for (const char* path : {"models/Stable-diffusion/wan2.1_t2v_1.3B.safetensors", "models", "."})
        EXPECT_EQ(complete(forge / path), Names{});
    TempFolder comfy("ComfyUI");
    const char* deep = "models/diffusion_models/video/wan/2.2/i2v/wan_i2v.safetensors";
    write_bytes(comfy / deep, transformer_file());
    write_bytes(comfy / "models/vae/wan_2.1_vae.safetensors", vae_file());
    write_bytes(comfy / "models/text_encoders/umt5_xxl_fp16.safetensors", encoder_file());
    EXPECT_EQ(complete(comfy / deep), Names{});
}

/// In Hugging Face's cache the files are links to blobs whose names say nothing.
TEST(ModelFolderTest, ACachedRepositoryIsItsRevision) {
    TempFolder folder("models--Wan-AI--Wan2.1-T2V-1.3B");
    const auto add = [&](const fs::path& revision, const char* name, const std::string& bytes) {
        write_bytes(folder / "blobs" / name, bytes);
        fs::create_directories((folder / "snapshots" / revision / name).parent_path());
        fs::create_symlink(folder / "blobs" / name, folder / "snapshots" / revision / name);
    };
    add("0a1b", "diffusion_pytorch_model.safetensors", transformer_file());
    add("0a1b", "Wan2.1_VAE.pth", pth(zero_tensors(vae21_names(2, 16))));
    EXPECT_EQ(ModelFolder::open(folder.path()).root, folder / "snapshots/0a1b"); // there is only this revision
    fs::create_directories(folder / "snapshots/2c3d");
    write_bytes(folder / "refs/main", "0a1b");
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(m.root, folder / "snapshots/0a1b");
    EXPECT_EQ(names_of(m.vae), Names{"Wan2.1_VAE.pth"});
    EXPECT_EQ(m.family, Family::wan);
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
    // ComfyUI keeps such files in this folder.
    write_bytes(folder / "checkpoints/aio.safetensors", safetensors(all));
    for (const fs::path& path : {folder.path(), folder / "checkpoints/aio.safetensors"}) {
        const ModelFolder m = ModelFolder::open(path);
        EXPECT_EQ(m.transformer, m.vae);
        EXPECT_EQ(m.transformer, m.text_encoder);
        EXPECT_EQ(m.tokenizer, folder / "checkpoints/aio.safetensors");
        EXPECT_TRUE(m.missing.empty());
    }
}

TEST(ModelFolderTest, WhoStopsWaitsForNoFurtherFile) {
    TempFolder folder("x");
    write_bytes(folder / "Wan2.1-T2V.safetensors", transformer_file());
    add_companions(folder.path());
    std::stop_source stop;
    EXPECT_TRUE(ModelFolder::open(folder.path(), {}, stop.get_token()).missing.empty());
    stop.request_stop();
    for (const fs::path& path : {folder.path(), folder / "Wan2.1-T2V.safetensors"})
        EXPECT_THROW(ModelFolder::open(path, {}, stop.get_token()), Cancelled);
    EXPECT_THROW(unread_transformer(folder.path(), stop.get_token()), Cancelled);
    EXPECT_THROW(refuse_no_transformer(folder / "Wan2.1_VAE.pth", {}, stop.get_token()), Cancelled);
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
    std::vector<Raw> fast = zero_tensors(transformer_names(tiny_transformer()));
    for (const char* block : {"blocks.0", "blocks.1"})
        fast.push_back(zeros(std::string(block) + ".to_gate_compress.weight", {8, 8}));
    TempFolder sparse("z");
    write_bytes(sparse / "FastWan2.1-T2V-1.3B.safetensors", safetensors(fast));
    EXPECT_EQ(ModelFolder::open(sparse.path()).relative, "FastWan (sparse attention)");
    std::vector<Raw> awq; // each linear layer consists of tensors that no network has
    for (const Raw& t : zero_tensors(transformer_names(tiny_transformer()))) {
        const std::string of = t.name.substr(0, t.name.rfind('.'));
        const bool linear = t.shape.size() == 2;
        awq.push_back({linear ? of + ".qweight" : t.name, t.dtype, t.shape, t.data});
        for (const char* leaf : {".qzeros", ".scales"})
            if (linear) awq.push_back(zeros(of + leaf, {t.shape[0], 1}));
    }
    write_bytes(folder / "awq.safetensors", safetensors(awq));
    EXPECT_TRUE(has(refusal(folder / "awq.safetensors"), "quantised with GPTQ / AWQ"));
    TempFolder beside("quantised");
    write_bytes(beside / "transformer/awq.safetensors", safetensors(awq));
    write_bytes(beside / "vae.safetensors", safetensors(zero_tensors(vae21_names(2, 2))));
    EXPECT_EQ(ModelFolder::open(beside.path()).unread,
              "awq.safetensors is quantised with GPTQ / AWQ, which is not read");
    EXPECT_EQ(ModelFolder::open(sparse.path()).unread, "");
    for (Raw& t : awq) // TurboDiffusion's names
        if (t.name.ends_with(".qweight")) t.name.replace(t.name.rfind(".qweight"), std::string::npos, ".int8_weight");
    write_bytes(beside / "transformer/awq.safetensors", safetensors(awq));
    EXPECT_EQ(ModelFolder::open(beside.path()).relative, "");
}

} // namespace
} // namespace denoir
