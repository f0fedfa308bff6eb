// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/companions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <map>
#include <span>

#include "engine/weights/inspect.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/weights.h"
#include "support/gguf_writer.h"
#include "support/model_files.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

TEST(CompanionsTest, OtherModelsFilesInComfyFoldersAreLeftAlone) {
    TempFolder folder("models");
    write_bytes(folder / "diffusion_models/wan2.1_t2v.safetensors", transformer_file());
    // Qwen-Image's VAE has the same names and shapes as Wan's, Flux's T5 has nearly those of UMT5, and the encoders of
    // others are narrower.
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
        std::vector<Raw> wide; // makes four pixels of each, so that it doubles the sides
        for (const Raw& t : zero_tensors(vae21_names(2, 16), "F32"))
            wide.push_back(t.name.starts_with("decoder.head.2.")
                               ? zeros(t.name, t.shape.size() == 1 ? std::vector<std::int64_t>{12}
                                                                   : std::vector<std::int64_t>{12, 2, 3, 3, 3})
                               : t);
        return safetensors(wide);
    }());
    write_bytes(folder / "vae/vae-ft-mse-840000.pt", "PK\x03\x04"); // another program's, which is not even opened
    write_bytes(folder / "text_encoders/umt5_base.safetensors", encoder_file(true, 64, "F32"));
    write_bytes(folder / "text_encoders/umt5_xxl_fp16.safetensors", encoder_file());
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(names_of(m.vae), Names{"wan_2.1_vae.safetensors"});
    EXPECT_EQ(names_of(m.text_encoder), Names{"umt5_xxl_fp16.safetensors"});
    EXPECT_EQ(m.tokenizer.filename(), "umt5_xxl_fp16.safetensors");
    EXPECT_TRUE(m.missing.empty());
}

/// Wan-Alpha's two VAEs have Wan's names and shapes, but other values.
TEST(CompanionsTest, WanAlphasVaesAreLeftAlone) {
    TempFolder folder("models");
    write_bytes(folder / "diffusion_models/wan2.1_t2v.safetensors", transformer_file());
    for (const char* name : {"wan_alpha_2.1_vae_alpha_channel", "wan_alpha_2.1_vae_rgb_channel", "Wan-Alpha-VAE"})
        write_bytes(folder / fmt::format("vae/{}.safetensors", name),
                    safetensors(zero_tensors(vae21_names(2, 16), "F32")));
    const ModelFolder none = ModelFolder::open(folder.path());
    EXPECT_TRUE(none.vae.empty());
    EXPECT_EQ(none.warnings.size(), 3u);
    write_bytes(folder / "vae/wan_2.1_vae.safetensors", safetensors(zero_tensors(vae21_names(2, 16), "F16")));
    EXPECT_EQ(names_of(ModelFolder::open(folder.path()).vae), Names{"wan_2.1_vae.safetensors"});
}

/// The repositories of other models, each downloaded into a folder that has its name.
TEST(CompanionsTest, AVaeIsToldByItsFolderToo) {
    TempFolder folder("models");
    write_bytes(folder / "diffusion_models/wan2.1_t2v.safetensors", transformer_file());
    const char* own = "diffusion_pytorch_model.safetensors";
    const auto open = [&] { return ModelFolder::open(folder.path()); };
    write_bytes(folder / "vae/Qwen-Image" / own, vae_file());
    write_bytes(folder / "vae/edit" / own, vae_file());
    write_bytes(folder / "vae/edit/config.json", R"({"_class_name": "AutoencoderKLQwenImage"})");
    const ModelFolder none = open();
    EXPECT_TRUE(none.vae.empty());
    ASSERT_EQ(none.warnings.size(), 2u);
    EXPECT_TRUE(has(none.warnings[0], "Qwen-Image/diffusion_pytorch_model")) << none.warnings[0];
    write_bytes(folder / "vae/wan2.1/wan_2.1_vae.safetensors", vae_file());
    EXPECT_EQ(names_of(open().vae), Names{"wan_2.1_vae.safetensors"});
    EXPECT_TRUE(open().warnings.empty());
    // A file with Wan's name is Wan's wherever it lies, and a config.json that cannot be read says nothing.
    fs::rename(folder / "vae/wan2.1", folder / "vae/qwen and wan");
    EXPECT_EQ(names_of(open().vae), Names{"wan_2.1_vae.safetensors"});
    write_bytes(folder / "vae/edit/config.json", "{");
    const ModelFolder two = open();
    ASSERT_EQ(two.warnings.size(), 1u);
    EXPECT_TRUE(has(two.warnings[0], "edit/diffusion_pytorch_model.safetensors is used") ||
                has(two.warnings[0], "qwen and wan/wan_2.1_vae.safetensors is used"))
        << two.warnings[0];
}

TEST(CompanionsTest, OfSeveralClipsTheOneThatTheTransformerKnows) {
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

/// A run's record names every file of its model, and `verify` reads them all, so no file may be there that is not used.
TEST(CompanionsTest, ATransformerWithoutAnImageBranchTakesNoClipUnlessItIsNamed) {
    TempFolder folder("models");
    const std::string clip = safetensors(zero_tensors(clip_names(10, 12, 2)));
    write_bytes(folder / "diffusion_models/wan2.1_t2v.safetensors", transformer_file());
    write_bytes(folder / "clip_vision/clip_vision_h.safetensors", clip);
    write_bytes(folder / "clip_vision/clip_vision_h_2.safetensors", clip);
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_TRUE(m.clip.empty());
    EXPECT_TRUE(m.warnings.empty()) << m.warnings.front();
    const fs::path named = folder / "clip_vision/clip_vision_h.safetensors";
    EXPECT_EQ(ModelFolder::open(folder.path(), {.clip = named}).clip, std::vector{named});
    // No transformer is there, so CLIP is all that can be meant.
    EXPECT_EQ(ModelFolder::open(folder / "clip_vision").clip.size(), 1u);
}

/// The vision towers of Flux (SigLIP) and of SDXL.
TEST(CompanionsTest, AnotherProgramsVisionTowerIsNoClip) {
    TempFolder folder("models");
    write_bytes(folder / "diffusion_models/wan2.1_i2v.safetensors", transformer_file(with_images()));
    write_bytes(folder / "vae/wan_2.1_vae.safetensors", vae_file());
    write_bytes(folder / "text_encoders/umt5_xxl_fp16.safetensors", encoder_file());
    write_bytes(folder / "clip_vision/clip_vision_g.safetensors", safetensors(zero_tensors(clip_names(20, 12, 2))));
    std::vector<Raw> siglip;
    for (const Raw& t : zero_tensors(clip_names(10, 12, 2)))
        if (t.name != "visual.cls_embedding") siglip.push_back(t);
    write_bytes(folder / "clip_vision/sigclip_vision_patch14_384.safetensors", safetensors(siglip));
    // It is as wide as Wan's, but made for pictures of 384 pixels.
    write_bytes(folder / "clip_vision/DFN5B-CLIP-ViT-H-14-384.safetensors",
                safetensors(zero_tensors(clip_names(10, 12, 2, 14, 730))));
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(m.clip.size(), 0u);
    EXPECT_EQ(m.missing, Names{"CLIP image encoder"});
}

/// An encoder in 8-bit whole numbers that cannot be read may be the larger file.
TEST(CompanionsTest, ATextEncoderThatCanBeReadIsTakenBeforeALargerOne) {
    TempFolder folder("models");
    write_bytes(folder / "diffusion_models/wan2.1_t2v.safetensors", transformer_file());
    const std::string readable = "umt5_xxl_fp8_e4m3fn_scaled.safetensors";
    write_bytes(folder / "text_encoders" / readable, encoder_file(true, 6, "F8_E4M3"));
    const auto int8 = [](const char* extra, const char* dtype = "F16") {
        std::vector<Raw> tensors = zero_tensors(umt5_names(20, 6, 12, 2, 2), dtype);
        tensors.push_back(zeros(std::string("blocks.0.attn.q.") + extra, {2000}, "F32"));
        return safetensors(tensors);
    };
    for (const std::string& unread : {int8("weight._data"), int8("SCB"), int8("weight_format", "I8")}) {
        write_bytes(folder / "text_encoders/umt5-xxl-enc-int8.safetensors", unread);
        EXPECT_EQ(names_of(ModelFolder::open(folder.path()).text_encoder), Names{readable});
    }
}

/// Kijai's text encoder has no tokenizer. ComfyUI's has one and may lie beside it, and so may a file.
TEST(CompanionsTest, TheTokenizerBesideTheTextEncoder) {
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

TEST(CompanionsTest, ADamagedPartIsNotCalledMissing) {
    TempFolder folder("models");
    write_bytes(folder / "transformer/diffusion_pytorch_model.safetensors", transformer_file());
    write_bytes(folder / "text_encoder/model.safetensors", encoder_file());
    write_bytes(folder / "vae/diffusion_pytorch_model.safetensors", vae_file().substr(0, 200));
    for (const fs::path& path : {folder.path(), folder / "transformer/diffusion_pytorch_model.safetensors"})
        EXPECT_TRUE(has(refusal(path), "vae/diffusion_pytorch_model.safetensors")) << path;
    write_bytes(folder / "vae/diffusion_pytorch_model.safetensors", vae_file());
    std::error_code error;
    // This link leads to the folder itself, which shows every file once more.
    fs::create_directory_symlink(".", folder / "vae/loop", error);
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_TRUE(m.missing.empty());
    EXPECT_TRUE(m.warnings.empty()) << m.warnings.front();
}

/// The same safetensors file, grown to this size by spaces behind its header.
std::string grown(const std::string& file, std::size_t bytes) {
    const std::size_t more = bytes - file.size();
    std::uint64_t header = 0;
    std::memcpy(&header, file.data(), sizeof header);
    return le(header + more) + file.substr(8, header) + std::string(more, ' ') + file.substr(8 + header);
}

/// A model may lie among hundreds of transformers. To find its parts each file is opened once, and again only if its
/// size or time has changed.
TEST(CompanionsTest, AFileWithoutCompanionsIsReadAgainOnlyWhenItChanged) {
    TempFolder folder("models");
    const fs::path file = folder / "diffusion_models/a.safetensors", beside = folder / "diffusion_models/b.safetensors";
    write_bytes(file, transformer_file());
    const std::size_t bytes = std::max(transformer_file().size(), vae_file().size());
    const auto missing = [&] { return ModelFolder::open(file).missing.front(); };
    const auto put = [&](const std::string& content, fs::file_time_type time) {
        write_bytes(beside, grown(content, bytes));
        fs::last_write_time(beside, time);
    };
    const auto now = fs::file_time_type::clock::now(), then = now - std::chrono::hours(1);
    put(transformer_file(), then);
    EXPECT_EQ(missing(), "VAE");
    put(vae_file(), then); // other content with the same size and time, which nobody notices
    EXPECT_EQ(missing(), "VAE");
    put(vae_file(), then + std::chrono::seconds(1));
    EXPECT_EQ(missing(), "text encoder");
    // A file with a time in the future may be in the middle of being written, so it is always read again.
    const auto later = now + std::chrono::hours(1);
    put(transformer_file(), later);
    EXPECT_EQ(missing(), "VAE");
    put(vae_file(), later);
    EXPECT_EQ(missing(), "text encoder");
}

TEST(CompanionsTest, OfTwoVaesTheOneThatMakesTheLatents) {
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

/// Neither an index nor numbers in their names say that the files belong together.
TEST(CompanionsTest, PartsOfOneNetworkAreJoinedUnderAnyNames) {
    TempFolder folder("models"), elsewhere("elsewhere");
    TransformerSize five = tiny_transformer();
    five.in = five.out = 48;
    write_bytes(folder / "a.safetensors", transformer_file(five));
    const auto put = [&](const fs::path& place, const NameList& list, std::size_t cut) {
        const std::vector<Raw> tensors = zero_tensors(list);
        const auto middle = tensors.begin() + std::ptrdiff_t(cut ? cut : tensors.size() / 2);
        write_bytes(place / "x-part1.safetensors", safetensors({tensors.begin(), middle}));
        write_bytes(place / "x-part2.safetensors", safetensors({middle, tensors.end()}));
    };
    const auto shapes = [](const NameList& list) {
        std::map<std::string, Shape> all;
        for (const auto& [name, shape] : list) all.emplace(name, Shape(std::span(shape)));
        return all;
    };
    const NameList vae = vae22_names(2, 2, 48), encoder = umt5_names(20, 6, 12, 2, 2);
    const Names both{"x-part1.safetensors", "x-part2.safetensors"};
    put(folder / "text_encoder", encoder, 0);
    // Either half may have too few names to be recognised alone.
    for (const std::size_t cut : {std::size_t{3}, std::size_t{0}, vae.size() - 2}) {
        put(folder / "vae", vae, cut);
        const ModelFolder m = ModelFolder::open(folder.path());
        EXPECT_EQ(names_of(m.vae), both) << cut;
        EXPECT_EQ(names_of(m.text_encoder), both);
        EXPECT_EQ(m.missing, Names{"tokenizer"});
        EXPECT_TRUE(m.warnings.empty()) << m.warnings.front();
        EXPECT_NO_THROW(Weights::load(m.vae, Component::vae22).require(shapes(vae))) << cut;
        EXPECT_NO_THROW(Weights::load(m.text_encoder, Component::umt5).require(shapes(encoder)));
    }
    put(elsewhere.path(), vae, 0);
    EXPECT_EQ(ModelFolder::open(folder.path(), {.vae = elsewhere.path()}).vae[1], elsewhere / "x-part2.safetensors");
    // Beside a whole network the halves are not joined, and the largest file is taken.
    write_bytes(folder / "vae/whole.safetensors", safetensors(zero_tensors(vae)));
    const ModelFolder m = ModelFolder::open(folder.path());
    EXPECT_EQ(names_of(m.vae), Names{"whole.safetensors"});
    ASSERT_EQ(m.warnings.size(), 1u);
    EXPECT_TRUE(has(m.warnings[0], "3 files hold a VAE"));
}

/// People download such an encoder as one quantised file, into which llama.cpp's converter also wrote the vocabulary.
TEST(CompanionsTest, AGgufTextEncoderBringsItsTokenizer) {
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
    EXPECT_EQ(told("t5"), folder / "google/umt5-xxl"); // a tokenizer in files of its own counts first
}

} // namespace
} // namespace denoir
