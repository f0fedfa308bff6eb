// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/weights/model_folder.h"
#include "support/model_files.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

std::string refusal_with(const fs::path& model, const ModelParts& named) {
    return refusal([&] { ModelFolder::open(model, named); });
}

TEST(NamedPartsTest, CompleteATransformerThatLiesAlone) {
    TempFolder folder("alone"), parts("elsewhere");
    write_bytes(folder / "wan_i2v.safetensors", transformer_file(with_images()));
    write_bytes(parts / "wan_vae.safetensors", vae_file());
    write_bytes(parts / "umt5.safetensors", encoder_file(false));
    add_clip(parts.path());
    write_bytes(parts / "words/spiece.model", "x");
    const fs::path clip = parts / "models_clip_open-clip-xlm-roberta-large-vit-huge-14.pth";
    ASSERT_EQ(ModelFolder::open(folder.path()).missing,
              (Names{"VAE", "text encoder", "tokenizer", "CLIP image encoder"}));
    const ModelFolder m = ModelFolder::open(folder.path(), {.vae = parts / "wan_vae.safetensors",
                                                            .text_encoder = parts / "umt5.safetensors",
                                                            .clip = clip,
                                                            .tokenizer = parts / "words"});
    EXPECT_TRUE(m.missing.empty());
    EXPECT_EQ(m.vae, std::vector{parts / "wan_vae.safetensors"});
    EXPECT_EQ(m.text_encoder, std::vector{parts / "umt5.safetensors"});
    EXPECT_EQ(m.clip, std::vector{clip});
    EXPECT_EQ(m.tokenizer, parts / "words");
    // The run's record names the tokenizer's own folder, although that lies in another one.
    write_bytes(parts / "repository/google/umt5-xxl/tokenizer.json", "{}");
    EXPECT_EQ(ModelFolder::open(folder.path(), {.tokenizer = parts / "repository"}).tokenizer,
              parts / "repository/google/umt5-xxl");
    EXPECT_EQ(ModelFolder::open(folder.path(), {.tokenizer = parts / "words/spiece.model"}).tokenizer,
              parts / "words/spiece.model");
}

TEST(NamedPartsTest, WinOverWhatLiesBeside) {
    TempFolder folder("Wan2.1-T2V-1.3B"), parts("elsewhere");
    add_companions(folder.path());
    write_bytes(folder / "diffusion_pytorch_model.safetensors", transformer_file());
    // A file with this name would be left out if nobody had named it.
    write_bytes(parts / "qwen_image_vae.safetensors", vae_file());
    write_bytes(parts / "encoder/umt5.safetensors", encoder_file());
    const ModelFolder m = ModelFolder::open(
        folder.path(), {.vae = parts / "qwen_image_vae.safetensors", .text_encoder = parts / "encoder"});
    EXPECT_EQ(m.vae, std::vector{parts / "qwen_image_vae.safetensors"});
    EXPECT_EQ(m.text_encoder, std::vector{parts / "encoder/umt5.safetensors"});
    EXPECT_TRUE(m.warnings.empty()) << m.warnings.front(); // there was nothing to choose
    EXPECT_TRUE(m.missing.empty());
}

TEST(NamedPartsTest, TheLowNoiseExpertMayLieAnywhere) {
    TempFolder folder("models"), parts("elsewhere");
    write_bytes(folder / "first.safetensors", transformer_file());
    write_bytes(parts / "second.safetensors", transformer_file());
    write_bytes(parts / "images.safetensors", transformer_file(with_images()));
    add_companions(folder.path());
    const ModelFolder m = ModelFolder::open(folder / "first.safetensors", {.low_noise = parts / "second.safetensors"});
    EXPECT_EQ(names_of(m.transformer), Names{"first.safetensors"});
    EXPECT_EQ(m.transformer_low, std::vector{parts / "second.safetensors"});
    EXPECT_EQ(m.family, Family::wan22);
    EXPECT_TRUE(has(refusal_with(folder / "first.safetensors", {.low_noise = parts / "images.safetensors"}),
                    "is a transformer of another model"));

    fs::create_directories(folder / "high_noise_model");
    fs::rename(folder / "first.safetensors", folder / "high_noise_model/first.safetensors");
    EXPECT_EQ(ModelFolder::open(folder.path()).missing, Names{"low-noise transformer"});
    EXPECT_TRUE(ModelFolder::open(folder.path(), {.low_noise = parts / "second.safetensors"}).missing.empty());
}

/// A named low-noise expert makes a model one of two experts. It must not do so with a model of another kind.
TEST(NamedPartsTest, TheLowNoiseExpertMakesNoOtherModelOneOfTwo) {
    TempFolder folder("models"), parts("elsewhere");
    write_bytes(parts / "low.safetensors", transformer_file());
    const auto family = [&](const char* name) {
        const fs::path model = folder / name / "model.safetensors";
        write_bytes(model, transformer_file());
        return ModelFolder::open(model, {.low_noise = parts / "low.safetensors"}).family;
    };
    EXPECT_EQ(family("Wan2.1-T2V-14B"), Family::wan);
    EXPECT_EQ(family("wan2.2/wan2_1_t2v"), Family::wan);
    EXPECT_EQ(family("SkyReels-V2-T2V-14B"), Family::skyreels);
    for (const char* name : {"wan", "plain", "wan2.1/wan2.2_high", "wan2.2", "wan2.2-rapid-aio"})
        EXPECT_EQ(family(name), Family::wan22) << name;
    write_bytes(folder / "plain/config.json", R"({"family": "wan"})");
    EXPECT_EQ(family("plain"), Family::wan);
    write_bytes(folder / "images.safetensors", transformer_file(with_images()));
    write_bytes(parts / "images.safetensors", transformer_file(with_images()));
    write_bytes(folder / "wan/images.safetensors", transformer_file(with_images()));
    EXPECT_EQ(ModelFolder::open(folder / "wan/images.safetensors", {.low_noise = parts / "images.safetensors"}).family,
              Family::wan);
}

TEST(NamedPartsTest, MustBeWhatTheyAreNamedFor) {
    TempFolder folder("models"), parts("elsewhere");
    add_companions(folder.path());
    write_bytes(folder / "wan.safetensors", transformer_file());
    write_bytes(parts / "vae/a.safetensors", vae_file());
    write_bytes(parts / "vae/b.safetensors", vae_file());
    write_bytes(parts / "encoder.safetensors", encoder_file());
    write_bytes(parts / "damaged.safetensors", "no header");
    write_bytes(parts / "notes.txt", "of nobody");
    const fs::path model = folder / "wan.safetensors";
    EXPECT_TRUE(has(refusal_with(model, {.vae = parts / "gone.safetensors"}), "gone.safetensors: no such file"));
    EXPECT_TRUE(has(refusal_with(model, {.tokenizer = parts / "gone"}), "gone: no such file"));
    EXPECT_TRUE(
        has(refusal_with(model, {.vae = parts / "encoder.safetensors"}), "holds no VAE (found: UMT5 text encoder)"));
    EXPECT_TRUE(has(refusal_with(model, {.vae = parts / "vae"}), "several files hold a VAE (a.safetensors, b.saf"));
    EXPECT_TRUE(has(refusal_with(model, {.vae = parts / "damaged.safetensors"}), "damaged.safetensors"));
    EXPECT_TRUE(has(refusal_with(model, {.clip = parts / "notes.txt"}), "notes.txt"));
}

TEST(NamedPartsTest, FitTheTransformer) {
    TempFolder folder("Wan2.2-TI2V-5B"), parts("elsewhere");
    TransformerSize five = tiny_transformer();
    five.in = five.out = 48;
    write_bytes(folder / "model.safetensors", transformer_file(five));
    write_bytes(parts / "wan_2.1_vae.safetensors", vae_file());
    EXPECT_TRUE(has(refusal_with(folder.path(), {.vae = parts / "wan_2.1_vae.safetensors"}),
                    "this VAE is not the transformer's"));
    TempFolder images("Wan2.1-I2V");
    write_bytes(images / "model.safetensors", transformer_file(with_images()));
    write_bytes(parts / "clip_vision_g.safetensors", safetensors(zero_tensors(clip_names(14, 12, 2))));
    EXPECT_TRUE(has(refusal_with(images.path(), {.clip = parts / "clip_vision_g.safetensors"}),
                    "this CLIP image encoder is not the transformer's"));
}

} // namespace
} // namespace denoir
