// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/weights/names.h"
#include "engine/weights/quantisation.h"
#include "engine/weights/weights.h"
#include "support/gguf_writer.h"
#include "support/model_files.h"
#include "support/name_lists.h"
#include "support/torch_writer.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

std::string refusal(const fs::path& path, Component component = Component::unknown) {
    return test::refusal([&] { load(path, component); });
}

/// The list in the names of another layout. CLIP then has separate q, k and v, and tables with fewer axes.
std::vector<Raw> in_layout(const NameList& list, Component component, Layout layout, const std::string& dtype = "F16") {
    std::vector<Raw> tensors;
    for (const auto& [name, shape] : list) {
        if (!layout_name(component, layout, name)) continue;
        std::vector<std::int64_t> s = shape;
        if (name == "visual.cls_embedding" && layout != Layout::original) s = {shape[2]};
        if (name == "visual.pos_embedding" && layout != Layout::original) s = {shape[1], shape[2]};
        if (!is_split(component, layout, name)) {
            tensors.push_back(zeros(*layout_name(component, layout, name), s, dtype));
            continue;
        }
        s[0] /= 3;
        for (int part = 0; part < 3; ++part)
            tensors.push_back(zeros(*layout_name(component, layout, name, part), s, dtype));
    }
    return tensors;
}

struct Kind {
    Component component;
    NameList list;
    std::vector<Layout> layouts;
};
std::vector<Kind> kinds() {
    TransformerSize image = tiny_transformer();
    image.in = 36, image.clip = 10, image.positions = 514;
    TransformerSize forcing = tiny_transformer();
    forcing.fps = true;
    return {
        {Component::transformer, transformer_names(tiny_transformer()), {Layout::original, Layout::diffusers}},
        {Component::transformer, transformer_names(image), {Layout::original, Layout::diffusers}},
        {Component::transformer, transformer_names(forcing), {Layout::original, Layout::diffusers}},
        {Component::vae21, vae21_names(2, 2), {Layout::original, Layout::diffusers}},
        {Component::vae22, vae22_names(2, 2, 2), {Layout::original, Layout::diffusers}},
        {Component::umt5, umt5_names(20, 8, 12, 2, 2), {Layout::original, Layout::diffusers, Layout::llama}},
        {Component::clip, clip_names(6, 12, 2, 14, 5, 0), {Layout::original, Layout::diffusers, Layout::open_clip}}};
}

TEST(Load, EveryComponentInEveryLayoutAndContainer) {
    for (const Kind& kind : kinds())
        for (const Layout layout : kind.layouts) {
            const std::vector<Raw> tensors = in_layout(kind.list, kind.component, layout);
            TempFolder folder;
            write_bytes(folder / "a", safetensors(tensors));
            write_bytes(folder / "b", pth(tensors));
            write_bytes(folder / "c", gguf(gguf_tensors(tensors)));
            for (const char* file : {"a", "b", "c"}) {
                const Weights w = load(folder / file, kind.component);
                EXPECT_EQ(w.component(), kind.component);
                EXPECT_EQ(w.all().size(), kind.list.size());
                EXPECT_NO_THROW(w.require(shapes(kind.list)))
                    << name(kind.component) << " " << name(layout) << " " << file;
            }
        }
}

TEST(Load, TrueSizedNameListsOfTheLargestModels) {
    TransformerSize s = tiny_transformer();
    s.layers = 40, s.in = 36, s.clip = 10, s.positions = 514;
    const NameList list = transformer_names(s);
    ASSERT_EQ(list.size(), 1304u);
    TempFolder folder;
    write_bytes(folder / "x", safetensors(in_layout(list, Component::transformer, Layout::diffusers)));
    EXPECT_NO_THROW(load(folder / "x").require(shapes(list)));
}

TEST(Load, PrefixesAreStripped) {
    const NameList list = transformer_names(tiny_transformer());
    for (const std::string prefix :
         {"model.diffusion_model.", "diffusion_model.", "model.", "net.", "module.", "pipe.dit.", "_orig_mod.",
          "net._orig_mod.", "module.model.", "module._orig_mod.net.", "model.diffusion_model.module."}) {
        TempFolder folder;
        write_bytes(folder / "x",
                    safetensors(zero_tensors(list, "F16", [&](const std::string& n) { return prefix + n; })));
        EXPECT_NO_THROW(load(folder / "x").require(shapes(list))) << prefix;
    }
    TempFolder folder;
    write_bytes(folder / "v", safetensors(zero_tensors(vae21_names(2, 2), "F16",
                                                       [](const std::string& n) { return "first_stage_model." + n; })));
    EXPECT_EQ(load(folder / "v").component(), Component::vae21);
    write_bytes(folder / "c", safetensors(zero_tensors(clip_names(6, 12, 2), "F16",
                                                       [](const std::string& n) { return n.substr(7); })));
    EXPECT_NO_THROW(load(folder / "c").require(shapes(clip_names(6, 12, 2))));
}

/// A file with a transformer, a VAE and a text encoder, each with its prefix.
std::string all_in_one() {
    std::vector<Raw> all = zero_tensors(transformer_names(tiny_transformer()), "F16",
                                        [](const std::string& n) { return "model.diffusion_model." + n; });
    for (Raw& t : zero_tensors(vae21_names(2, 2), "F16", [](const std::string& n) { return "vae." + n; }))
        all.push_back(t);
    for (Raw& t : in_layout(umt5_names(20, 8, 12, 2, 2), Component::umt5, Layout::diffusers))
        all.push_back({"text_encoders.umt5xxl.transformer." + t.name, t.dtype, t.shape, t.data});
    return safetensors(all);
}

TEST(Load, AllInOneFilesGiveTheAskedPart) {
    TempFolder folder;
    write_bytes(folder / "aio.safetensors", all_in_one());
    EXPECT_EQ(load(folder / "aio.safetensors", Component::transformer).all().size(),
              transformer_names(tiny_transformer()).size());
    EXPECT_EQ(load(folder / "aio.safetensors", Component::vae21).all().size(), 194u);
    EXPECT_EQ(load(folder / "aio.safetensors", Component::umt5).all().size(), 22u);
    EXPECT_TRUE(has(refusal(folder / "aio.safetensors", Component::clip), "no CLIP vision encoder there"));
}

TEST(Load, AFolderGivesTheAskedPartByContent) {
    TempFolder folder;
    write_bytes(folder / "model.safetensors", safetensors(zero_tensors(transformer_names(tiny_transformer()))));
    write_bytes(folder / "Wan2.1_VAE.pth", pth(zero_tensors(vae21_names(2, 2))));
    write_bytes(folder / "models_t5_umt5-xxl-enc-bf16.pth", pth(zero_tensors(umt5_names(20, 8, 12, 2, 2), "BF16")));
    write_bytes(folder / "some_lora.safetensors",
                safetensors({f32("diffusion_model.blocks.0.self_attn.q.lora_down.weight", {2, 8})}));
    write_bytes(folder / "config.json",
                R"({"_class_name":"WanModel","num_heads":2,"text_len":64,"latents_mean":[1,2],"num_res_blocks":1})");
    EXPECT_EQ(load(folder.path(), Component::transformer).config().at("num_heads"), 2);
    const Weights vae = load(folder.path(), Component::vae22); // asking for one VAE gives the other if that is there
    EXPECT_EQ(vae.component(), Component::vae21);
    EXPECT_TRUE(vae.config().contains("latents_mean"));
    // Only a VAE has this number, so it is the VAE's wherever it stands.
    EXPECT_EQ(vae.config().at("num_res_blocks"), 1);
    const Weights text = load(folder.path(), Component::umt5);
    EXPECT_EQ(text.config().at("text_len"), 64);
    EXPECT_FALSE(text.config().contains("num_heads")); // this number is the transformer's
    EXPECT_TRUE(has(refusal(folder.path(), Component::clip), "no CLIP vision encoder"));
    EXPECT_TRUE(has(refusal(folder.path()), "both a"));
}

TEST(Load, TheConfigMayLieBesideAnyPart) {
    TempFolder one, other;
    const std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    const std::vector<fs::path> files{one / "a.safetensors", other / "b.safetensors"};
    write_bytes(files[0], safetensors({tensors.begin(), tensors.begin() + 40}));
    write_bytes(files[1], safetensors({tensors.begin() + 40, tensors.end()}));
    for (const TempFolder* folder : {&one, &other}) {
        write_bytes(*folder / "config.json", R"({"_class_name":"WanModel","num_heads":2})");
        for (const auto& paths : {files, std::vector{one.path(), other.path()}})
            EXPECT_EQ(Weights::load(paths, Component::transformer).config().value("num_heads", 0), 2) << paths[0];
        fs::remove(*folder / "config.json");
    }
    // Each may say something; of the same, the first.
    write_bytes(one / "config.json", R"({"_class_name":"WanModel","text_len":32})");
    write_bytes(other / "config.json", R"({"_class_name":"WanModel","num_heads":2,"text_len":64})");
    const Json both = Weights::load(files, Component::transformer).config();
    EXPECT_EQ(both.value("num_heads", 0), 2);
    EXPECT_EQ(both.value("text_len", 0), 32);
}

/// A config.json without a class describes the network that its keys belong to, or otherwise the transformer in the
/// file or beside it.
TEST(Load, AConfigWithoutAClassIsAppliedToWhatItDescribes) {
    TempFolder folder;
    const fs::path file = folder / "aio.safetensors";
    write_bytes(file, all_in_one());
    const auto applied_to = [&](const char* config, const char* key) {
        write_bytes(folder / "config.json", config);
        std::string to;
        for (const Component c : {Component::transformer, Component::vae21, Component::umt5})
            if (load(file, c).config().contains(key)) to += fmt::format("{}, ", name(c));
        return to;
    };
    EXPECT_EQ(applied_to(R"({"num_heads": 4})", "num_heads"), "transformer, ");
    EXPECT_EQ(applied_to(R"({"num_heads": 4, "ffn_dim": 12})", "num_heads"), "transformer, ");
    EXPECT_EQ(applied_to(R"({"num_heads": 2, "d_model": 8})", "num_heads"), "UMT5 text encoder, ");
    EXPECT_EQ(applied_to(R"({"z_dim": 2})", "z_dim"), "Wan 2.1 VAE, ");
    EXPECT_EQ(applied_to(R"({"num_heads": 4, "in_dim": 16, "z_dim": 2, "d_ff": 12})", "num_heads"), "transformer, ");
    EXPECT_EQ(applied_to(R"({"num_heads": 4, "text_len": 64})", "text_len"),
              "transformer, Wan 2.1 VAE, UMT5 text encoder, "); // a key that every network may have
    // Beside a file of one network it belongs to that network.
    TempFolder other;
    const fs::path text = other / "t5.safetensors";
    write_bytes(text, safetensors(zero_tensors(umt5_names(20, 8, 12, 2, 2))));
    write_bytes(other / "config.json", R"({"num_heads": 3, "text_len": 64})");
    EXPECT_TRUE(load(text).config().contains("num_heads"));
    write_bytes(other / "broken.safetensors", "x");
    EXPECT_TRUE(load(text).config().contains("num_heads"));
    write_bytes(other / "model.safetensors", safetensors(zero_tensors(transformer_names(tiny_transformer()))));
    EXPECT_EQ(load(text).config(), (Json{{"text_len", 64}}));
    write_bytes(other / "config.json", R"({"num_heads": 2, "d_model": 8})");
    EXPECT_TRUE(load(text).config().contains("num_heads"));
}

TEST(Load, ADamagedNeighbourIsAWarning) {
    TempFolder folder;
    write_bytes(folder / "model.safetensors", safetensors(zero_tensors(transformer_names(tiny_transformer()))));
    write_bytes(folder / "VAE.pth", "PK\x03\x04 cut");
    const Weights w = load(folder.path(), Component::transformer);
    ASSERT_EQ(w.warnings().size(), 1u);
    EXPECT_TRUE(has(w.warnings()[0], "VAE.pth"));
    // The damaged file is named, and not called missing.
    EXPECT_TRUE(has(refusal(folder.path(), Component::vae21), "VAE.pth"));
}

/// Writes the tiny transformer in shards, with or without an index.
std::string write_shards(const TempFolder& folder, int shards, bool with_index) {
    const std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    std::string index = R"({"metadata":{"total_size":1},"weight_map":{)";
    for (int s = 0; s < shards; ++s) {
        std::vector<Raw> part;
        const std::string file =
            "model-0000" + std::to_string(s + 1) + "-of-0000" + std::to_string(shards) + ".safetensors";
        for (std::size_t i = static_cast<std::size_t>(s); i < tensors.size(); i += static_cast<std::size_t>(shards)) {
            part.push_back(tensors[i]);
            index += (index.back() == '{' ? "\"" : ",\"") + tensors[i].name + "\":\"" + file + "\"";
        }
        write_bytes(folder / file, safetensors(part));
    }
    if (with_index) write_bytes(folder / "model.safetensors.index.json", index + "}}");
    return index + "}}";
}

TEST(Load, ShardsWithAndWithoutTheirIndex) {
    for (const bool index : {true, false}) {
        TempFolder folder;
        write_shards(folder, 3, index);
        EXPECT_NO_THROW(
            load(folder.path(), Component::transformer).require(shapes(transformer_names(tiny_transformer()))));
        if (index) {
            EXPECT_EQ(load(folder / "model.safetensors.index.json").all().size(),
                      transformer_names(tiny_transformer()).size());
        }
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder.path()))
            if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
        EXPECT_NO_THROW(
            Weights::load(files, Component::transformer).require(shapes(transformer_names(tiny_transformer()))));
    }
}

TEST(Load, PartsOfAnyNameAreJoined) {
    const std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    TempFolder folder;
    write_bytes(folder / "first.safetensors", safetensors({tensors.begin(), tensors.begin() + 30}));
    write_bytes(folder / "second.safetensors", safetensors({tensors.begin() + 30, tensors.end()}));
    EXPECT_NO_THROW(load(folder.path(), Component::transformer).require(shapes(transformer_names(tiny_transformer()))));
    write_bytes(folder / "third.safetensors", safetensors({tensors.begin(), tensors.begin() + 30}));
    EXPECT_TRUE(has(refusal(folder.path(), Component::transformer), "the same tensor is there"));
}

std::vector<Raw> every_third(const std::vector<Raw>& tensors, std::size_t first) {
    std::vector<Raw> some;
    for (std::size_t i = first; i < tensors.size(); i += 3) some.push_back(tensors[i]);
    return some;
}

// A part may hold too little to be recognised alone, so parts that are named together are looked at together.
TEST(Load, PartsThatAreNamedOneByOneAreSeenTogether) {
    for (const Kind& kind : kinds()) {
        const std::vector<Raw> tensors = in_layout(kind.list, kind.component, Layout::original);
        const TempFolder folder;
        std::vector<fs::path> paths;
        for (std::size_t part = 0; part < 3; ++part) {
            paths.push_back(folder / fmt::format("part-{}", part));
            write_bytes(paths.back(), safetensors(every_third(tensors, part)));
        }
        EXPECT_EQ(Weights::load(paths, kind.component).all().size(), kind.list.size()) << name(kind.component);
        const Component other = kind.component == Component::umt5 ? Component::clip : Component::umt5;
        EXPECT_NE(test::refusal([&] { Weights::load(paths, other); }), "accepted");
    }
}

// The files of a folder are looked at together as well, whatever their names.
TEST(Load, PartsInAFolderAreSeenTogether) {
    for (const Kind& kind : kinds())
        for (const Layout layout : kind.layouts) {
            const std::vector<Raw> tensors = in_layout(kind.list, kind.component, layout);
            const TempFolder folder;
            for (std::size_t part = 0; part < 3; ++part)
                write_bytes(folder / fmt::format("part {}.safetensors", "abc"[part]),
                            safetensors(every_third(tensors, part)));
            // A file of another network, or of none, is no part.
            write_bytes(folder / "upscaler.safetensors", safetensors({f32("conv_first.weight", {2, 2})}));
            write_bytes(folder / "lora.safetensors", safetensors({f32("blocks.0.lora_A.weight", {2, 2})}));
            EXPECT_EQ(load(folder.path(), kind.component).all().size(), kind.list.size())
                << name(kind.component) << " " << name(layout);
        }
}

/// The whole model of the transformers library also has a decoder, and a head as large as the table.
TEST(Load, AQuantisedHeadDoesNotHideAPart) {
    const NameList names = umt5_names(20, 8, 12, 4, 2);
    for (const std::vector<Raw>& head :
         {std::vector{zeros("lm_head.weight._data", {20, 8}, "I8"), f32("lm_head.weight._scale", {20, 1})},
          std::vector{zeros("lm_head.weight", {20, 8}, "F8_E4M3"), f32("lm_head.scale_weight", {})}}) {
        std::vector<Raw> some = head, rest = in_layout(names, Component::umt5, Layout::diffusers);
        const auto tables = std::ranges::stable_partition(rest, [](const Raw& t) { return !has(t.name, "bias"); });
        some.insert(some.end(), tables.begin(), tables.end());
        rest.erase(tables.begin(), rest.end());
        const TempFolder folder;
        write_bytes(folder / "rest.safetensors", safetensors(rest));
        write_bytes(folder / "some.safetensors", safetensors(some));
        EXPECT_EQ(load(folder.path(), Component::umt5).all().size(), names.size());
    }
}

/// The text encoder's norms alone may be T5's just as well. Only with its tables of position biases is it UMT5.
TEST(Load, APartThatCannotBeRecognisedAloneIsFoundInItsFolder) {
    const std::vector<Raw> tensors = zero_tensors(umt5_names(20, 8, 12, 4, 2));
    std::vector<Raw> tables, rest;
    for (const Raw& t : tensors) (has(t.name, "pos_embedding") ? tables : rest).push_back(t);
    const TempFolder folder;
    write_bytes(folder / "one.safetensors", safetensors(rest));
    EXPECT_NE(refusal(folder.path(), Component::umt5), "accepted");
    write_bytes(folder / "two.safetensors", safetensors(tables));
    EXPECT_EQ(load(folder.path(), Component::umt5).all().size(), tensors.size());
    write_bytes(folder / "again.safetensors", safetensors({rest.front()})); // a copy of a tensor that is there
    EXPECT_TRUE(has(refusal(folder.path(), Component::umt5), "token_embedding.weight"));
}

TEST(Load, AWholeNetworkDoesNotTakeWhatLiesBesideIt) {
    const std::vector<Raw> tensors = zero_tensors(umt5_names(20, 8, 12, 4, 2));
    const TempFolder folder;
    write_bytes(folder / "whole.safetensors", safetensors(tensors));
    std::vector<Raw> rest;
    for (const Raw& t : tensors)
        if (!has(t.name, "pos_embedding")) rest.push_back(t);
    rest.push_back(f32("scaled_fp8", {2}));
    write_bytes(folder / "t5.safetensors", safetensors(rest)); // is not recognised, since T5 has these names, too
    EXPECT_EQ(load(folder.path(), Component::umt5).all().size(), tensors.size());
}

/// T5 has UMT5's names, and at this size more blocks.
TEST(Load, ALargerT5BesideTheTextEncoderIsNoPartOfIt) {
    const TempFolder folder;
    write_bytes(folder / "umt5.safetensors", safetensors(zero_tensors(umt5_names(20, 8, 12, 2, 2))));
    std::vector<Raw> t5 = zero_tensors(umt5_names(30, 8, 12, 6, 2));
    std::erase_if(t5, [](const Raw& t) { return has(t.name, "pos_embedding") && !t.name.starts_with("blocks.0."); });
    write_bytes(folder / "t5.safetensors", safetensors(t5));
    EXPECT_NO_THROW(load(folder.path(), Component::umt5).require(shapes(umt5_names(20, 8, 12, 2, 2))));
}

TEST(Load, AnIndexGoesBeforeCopies) {
    TempFolder folder;
    write_shards(folder, 2, true);
    write_bytes(folder / "copy-fp16.safetensors", safetensors(zero_tensors(transformer_names(tiny_transformer()))));
    EXPECT_NO_THROW(load(folder.path(), Component::transformer).require(shapes(transformer_names(tiny_transformer()))));
}

TEST(Load, WhatAnIndexDoesNotNameDoesNotCount) {
    TempFolder folder;
    write_shards(folder, 2, true);
    std::vector<Raw> second; // the rest of the model, one more tensor, and a copy of one that the first shard holds
    const std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    for (std::size_t i = 1; i < tensors.size(); i += 2) second.push_back(tensors[i]);
    second.push_back(f32("zzz.extra", {1}));
    second.push_back(tensors[0]);
    write_bytes(folder / "model-00002-of-00002.safetensors", safetensors(second));
    EXPECT_NO_THROW(load(folder.path(), Component::transformer).require(shapes(transformer_names(tiny_transformer()))));
}

TEST(Load, BadIndexes) {
    const auto with = [](std::string_view index) {
        TempFolder folder;
        write_shards(folder, 2, false);
        write_bytes(folder / "outside.safetensors", "x");
        fs::create_directories(folder / "sub");
        fs::rename(folder / "outside.safetensors", folder / "sub/outside.safetensors");
        for (const auto& entry : fs::directory_iterator(folder.path()))
            if (entry.path().filename().string().find("-of-") == std::string::npos && entry.is_regular_file())
                fs::remove(entry.path());
        write_bytes(folder / "model.safetensors.index.json", index);
        fs::remove(folder / "model-00001-of-00002.safetensors");
        fs::remove(folder / "model-00002-of-00002.safetensors");
        write_bytes(folder / "a.safetensors", safetensors({f32("w", {1})}));
        return refusal(folder.path(), Component::transformer);
    };
    EXPECT_TRUE(has(with(R"({"weight_map":{"w":"../a.safetensors"}})"), "not a plain file name"));
    EXPECT_TRUE(has(with(R"({"weight_map":{"w":"sub/outside.safetensors"}})"), "not a plain file name"));
    EXPECT_TRUE(has(with(R"({"weight_map":{"w":"/etc/passwd"}})"), "not a plain file name"));
    EXPECT_TRUE(has(with(R"({"weight_map":{"w":"..\\a.safetensors"}})"), "not a plain file name"));
    EXPECT_TRUE(has(with(R"({"weight_map":{"w":"b.safetensors"}})"), "missing beside it"));
    EXPECT_TRUE(has(with(R"({"weight_map":{"w":"a.safetensors","v":"a.safetensors"}})"), "no such tensor"));
    EXPECT_TRUE(has(with(R"({"weight_map":{"w":5}})"), "not a string"));
    EXPECT_TRUE(has(with(R"({"weight_map":[]})"), "weight_map"));
    EXPECT_TRUE(has(with(R"({"weight_map":{}})"), "names no tensor"));
    EXPECT_TRUE(has(with(R"({"weight_map":)"), "index.json"));

    // Sound shards beside a bad index do not help, since whoever wrote the index meant something else.
    for (const char* index : {R"({"weight_map":)", R"({"weight_map":{"w":"b.safetensors"}})"}) {
        TempFolder folder;
        write_shards(folder, 2, false);
        EXPECT_EQ(refusal(folder.path(), Component::transformer), "accepted");
        write_bytes(folder / "model.safetensors.index.json", index);
        EXPECT_TRUE(has(refusal(folder.path(), Component::transformer), "index.json")) << index;
    }
    TempFolder folder;
    write_bytes(folder / "s.safetensors", safetensors(zero_tensors(transformer_names(tiny_transformer()))));
    write_bytes(folder / "m.safetensors.index.json", R"({"weight_map":{"a":"other.json"}})");
    write_bytes(folder / "other.json", "{}");
    EXPECT_NE(refusal(folder.path(), Component::transformer), "accepted");
}

TEST(Load, QkvOfTransformersIsJoinedInOrder) {
    std::vector<Raw> tensors = in_layout(clip_names(2, 4, 1, 14, 5, 0), Component::clip, Layout::diffusers, "F32");
    for (Raw& t : tensors)
        for (const auto& [part, first] :
             {std::pair{"q_proj.weight", 0.f}, {"k_proj.weight", 4.f}, {"v_proj.weight", 8.f}})
            if (has(t.name, part)) t = f32(t.name, t.shape, first);
    TempFolder folder;
    write_bytes(folder / "x", safetensors(tensors));
    const Weights w = load(folder / "x", Component::clip);
    const Tensor qkv = w.find("visual.transformer.0.attn.to_qkv.weight")->stored();
    EXPECT_EQ(qkv.shape(), (Shape{6, 2}));
    for (int i = 0; i < 12; ++i) EXPECT_EQ(qkv.data<float>()[i], static_cast<float>(i));

    // If one of the three has another type, all are widened. A missing one is named.
    for (Raw& t : tensors)
        if (has(t.name, "k_proj.weight")) t = zeros(t.name, t.shape, "F16");
    write_bytes(folder / "y", safetensors(tensors));
    EXPECT_EQ(load(folder / "y").find("visual.transformer.0.attn.to_qkv.weight")->stored().dtype(), DType::f32);
    std::erase_if(tensors, [](const Raw& t) { return has(t.name, "v_proj.weight"); });
    write_bytes(folder / "z", safetensors(tensors));
    EXPECT_TRUE(has(refusal(folder / "z"), "v part is missing"));
}

TEST(Load, BothNamesOfTheEmbeddingAreOneTensor) {
    std::vector<Raw> tensors = in_layout(umt5_names(20, 8, 12, 2, 2), Component::umt5, Layout::diffusers);
    tensors.push_back(zeros("encoder.embed_tokens.weight", {20, 8}, "F16"));
    TempFolder folder;
    write_bytes(folder / "x", safetensors(tensors));
    EXPECT_NO_THROW(load(folder / "x").require(shapes(umt5_names(20, 8, 12, 2, 2))));
}

/// The embedding has two names, and one of them may be quantised. Whatever their order, numbers must keep their own
/// scale.
TEST(Load, TheTwinsOfTheEmbeddingKeepTheirScales) {
    const std::string shared = "shared", twin = "encoder.embed_tokens";
    const auto plain = [](const std::string& layer) {
        return std::vector{f32(layer + ".weight", {20, 8}, 1)}; // 1, 2, … in F32
    };
    const auto ones = [](const std::string& name, const char* type) { // ones in fp8, and 56 in int8
        return Raw{name, type, {20, 8}, std::string(160, '\x38')};
    };
    const auto fp8 = [&](const std::string& layer) {
        return std::vector{ones(layer + ".weight", "F8_E4M3"), f32(layer + ".scale_weight", {}, 3)};
    };
    const auto quanto = [&](const std::string& layer) {
        return std::vector{ones(layer + ".weight._data", "I8"), f32(layer + ".weight._scale", {20, 1}, 3)};
    };
    const auto bare = [&](const std::string& layer) { return std::vector{ones(layer + ".weight", "F8_E4M3")}; };
    const auto scale = [&](const std::string& layer) { return std::vector{f32(layer + ".scale_weight", {}, 3)}; };
    struct Case {
        std::vector<Raw> one, other;
        float first;
    };
    const std::vector<Case> cases{
        {plain(shared), fp8(twin), 1},         {plain(shared), quanto(twin), 1},     {fp8(shared), plain(twin), 3},
        {quanto(shared), plain(twin), 3 * 56}, {fp8(shared), quanto(twin), 3},       {bare(shared), fp8(twin), 3},
        {bare(shared), plain(twin), 1},        {bare(shared), scale(twin), 3},       {scale(shared), bare(twin), 3},
        {fp8(shared), scale(twin), 3},         {scale(shared), quanto(twin), 56 * 3}};
    for (std::size_t i = 0; i < cases.size(); ++i)
        for (const bool reversed : {false, true}) {
            std::vector<Raw> tensors = in_layout(umt5_names(20, 8, 12, 2, 2), Component::umt5, Layout::diffusers);
            std::erase_if(tensors, [](const Raw& t) { return t.name == "shared.weight"; });
            for (const auto* half : {&cases[i].one, &cases[i].other})
                tensors.insert(tensors.end(), half->begin(), half->end());
            if (reversed) std::ranges::reverse(tensors);
            TempFolder folder;
            write_bytes(folder / "x", safetensors(tensors));
            const Weights w = load(folder / "x");
            w.require(shapes(umt5_names(20, 8, 12, 2, 2)));
            const Weight& table = *w.find("token_embedding.weight");
            EXPECT_EQ(dequantised(table.stored(), table.scale).data<float>()[0], cases[i].first)
                << i << (reversed ? ", reversed" : "");
        }
    std::vector<Raw> tensors = in_layout(umt5_names(20, 8, 12, 2, 2), Component::umt5, Layout::diffusers);
    tensors.push_back(zeros("encoder.embed_tokens.weight", {19, 8}, "F16"));
    TempFolder folder;
    write_bytes(folder / "x", safetensors(tensors));
    EXPECT_TRUE(has(refusal(folder / "x"), "the same tensor is there as"));
}

TEST(Load, IgnorableTensorsAreDropped) {
    std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    tensors.push_back(zeros("spiece_model", {5}, "U8"));
    tensors.push_back(zeros("scaled_fp8", {0}, "F8_E4M3"));
    tensors.push_back(zeros("blocks.0.self_attn.q.scale_input", {}, "F32"));
    tensors.push_back(zeros("model_type.Wan2_1-FLF2V-14B-720P", {1}, "F32"));
    TempFolder folder;
    write_bytes(folder / "x", safetensors(tensors));
    const Weights w = load(folder / "x");
    EXPECT_EQ(w.all().size(), transformer_names(tiny_transformer()).size());
}

TEST(Load, ContentDecidesTheFormat) {
    TempFolder folder;
    write_bytes(folder / "vae.safetensors", pth(zero_tensors(vae21_names(2, 2))));
    write_bytes(folder / "vae.pth", safetensors(zero_tensors(vae21_names(2, 2))));
    EXPECT_EQ(load(folder / "vae.safetensors").component(), Component::vae21);
    EXPECT_EQ(load(folder / "vae.pth").component(), Component::vae21);
}

TEST(Load, AConfigThatIsNoObjectIsRefused) {
    TempFolder folder;
    write_bytes(folder / "x.safetensors", safetensors(zero_tensors(transformer_names(tiny_transformer()))));
    write_bytes(folder / "config.json", "[1]");
    EXPECT_TRUE(has(refusal(folder / "x.safetensors"), "config.json"));
    write_bytes(folder / "config.json", "{\"dim\": 8,}");
    EXPECT_TRUE(has(refusal(folder / "x.safetensors"), "config.json"));
    std::filesystem::remove(folder / "config.json");
    std::filesystem::create_symlink("config.json", folder / "config.json");
    EXPECT_TRUE(has(refusal(folder / "x.safetensors"), "config.json: symbolic links lead in a circle"));
}

/// 1.6 TB of holes: views of them cost nothing, and copies are refused before the first is made.
TEST(Load, CopiesThatDoNotFitAreRefusedFirst) {
    std::string header = "{";
    std::uint64_t at = 0;
    for (const auto& [name, shape] : transformer_names({.dim = 5120, .ffn = 1'000'000, .layers = 40})) {
        const auto end = at + static_cast<std::uint64_t>(product(shape)) * 4;
        header.append(header.size() > 1 ? ",\"" : "\"").append(name).append(R"(":{"dtype":"F32","shape":[)");
        for (std::size_t i = 0; i < shape.size(); ++i) header.append(i ? "," : "").append(std::to_string(shape[i]));
        header.append("],\"data_offsets\":[").append(std::to_string(at)).append(",");
        header.append(std::to_string(end)).append("]}");
        at = end;
    }
    header += '}';
    header.append((8 - header.size() % 8) % 8, ' ');
    TempFolder folder;
    for (const bool odd : {false, true}) {
        const fs::path file = folder / "x.safetensors";
        write_bytes(file, safetensors(odd ? header + " " : header));
        std::error_code code;
        fs::resize_file(file, fs::file_size(file) + at, code);
        if (code) GTEST_SKIP() << "no file may be so large here: " << code.message();
        const std::string said = refusal(file, Component::transformer);
        if (odd)
            EXPECT_TRUE(has(said, "not aligned") && has(said, "GiB are free")) << said;
        else
            EXPECT_EQ(said, "accepted");
    }
}

TEST(Require, NamesMissingExtraAndWrong) {
    std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    std::erase_if(tensors, [](const Raw& t) { return t.name == "head.modulation" || t.name == "blocks.1.norm3.bias"; });
    for (Raw& t : tensors)
        if (t.name == "blocks.0.ffn.0.weight") t = zeros(t.name, {13, 8}, "F16");
    tensors.push_back(zeros("vace_blocks.0.after_proj.weight", {8, 8}, "F16"));
    TempFolder folder;
    write_bytes(folder / "x.safetensors", safetensors(tensors));
    const Weights w = load(folder / "x.safetensors", Component::transformer);
    try {
        w.require(shapes(transformer_names(tiny_transformer())));
        FAIL();
    } catch (const Error& e) {
        EXPECT_TRUE(has(e.file(), "x.safetensors"));
        EXPECT_EQ(e.field(), "blocks.0.ffn.0.weight");
        for (const char* part : {"[13, 8]", "[12, 8]", "2 missing", "head.modulation", "blocks.1.norm3.bias",
                                 "1 too many", "vace_blocks.0.after_proj.weight"})
            EXPECT_TRUE(has(e.message(), part)) << part << " in " << e.message();
    }
    std::map<std::string, Shape> any;
    for (const auto& [name, weight] : w.all()) {
        Shape s = weight.shape();
        for (int i = 0; i < s.rank(); ++i) s[i] = -1;
        any.emplace(name, s);
    }
    EXPECT_NO_THROW(w.require(any));
}

} // namespace
} // namespace denoir
