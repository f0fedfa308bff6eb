// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/inspect.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/core/error.h"
#include "support/gguf_writer.h"
#include "support/model_files.h"
#include "support/name_lists.h"
#include "support/torch_writer.h"

namespace denoir {
namespace {

using namespace test;

TEST(Inspect, ATransformerFile) {
    TempFolder folder("SkyReels-V2-I2V-tiny");
    TransformerSize s = tiny_transformer();
    s.in = 36, s.clip = 10;
    write_bytes(folder / "model.safetensors", safetensors(zero_tensors(transformer_names(s), "BF16")));
    write_bytes(folder / "config.json",
                R"({"_class_name":"WanModel","dim":8,"num_heads":2,"ffn_dim":13,"text_len":64})");
    const Json j = to_json(inspect(folder / "model.safetensors"));
    for (const char* key :
         {"family", "variant", "config", "dtype", "tensors", "parts", "missing", "warnings", "estimate"})
        EXPECT_TRUE(j.contains(key)) << key;
    EXPECT_EQ(j["family"], "skyreels");
    EXPECT_EQ(j["variant"], "i2v");
    EXPECT_EQ(j["dtype"], "bf16");
    EXPECT_EQ(j["tensors"], transformer_names(s).size());
    EXPECT_EQ(j["config"]["dim"], 8);
    EXPECT_EQ(j["config"]["ffn_dim"], 12); // config.json is wrong here, and the tensors are right
    EXPECT_EQ(j["config"]["num_layers"], 2);
    EXPECT_EQ(j["config"]["in_dim"], 36);
    EXPECT_EQ(j["config"]["num_heads"], 2);
    EXPECT_EQ(j["config"]["text_len"], 64);
    ASSERT_EQ(j["warnings"].size(), 1u);
    EXPECT_TRUE(has(j["warnings"][0], "ffn_dim 13"));
    EXPECT_EQ(j["estimate"]["parameters"], parameters(transformer_names(s)));
    EXPECT_EQ(j["estimate"]["bytes"], 2 * parameters(transformer_names(s)));
    EXPECT_EQ(j["parts"][0]["role"], "transformer");
    EXPECT_FALSE(j.contains("tensor_list"));
    EXPECT_EQ(to_json(inspect(folder / "model.safetensors"), true)["tensor_list"].size(), transformer_names(s).size());
}

TEST(Inspect, HeadsOfTheConfigAndTheTensors) {
    TempFolder folder("plain");
    TransformerSize s = tiny_transformer();
    const auto described = [&](std::string_view config) {
        write_bytes(folder / "model.safetensors", safetensors(zero_tensors(transformer_names(s))));
        write_bytes(folder / "config.json", config);
        return inspect(folder / "model.safetensors");
    };
    EXPECT_TRUE(described(R"({"num_attention_heads": 2, "attention_head_dim": 4})").warnings.empty());
    for (const char* wrong : {R"({"num_attention_heads": 3, "attention_head_dim": 4})",
                              R"({"num_attention_heads": 9223372036854775807, "attention_head_dim": 4})"}) {
        const Inspection i = described(wrong);
        ASSERT_EQ(i.warnings.size(), 1u) << wrong;
        EXPECT_TRUE(has(i.warnings[0], "num_attention_heads * attention_head_dim")) << i.warnings[0];
    }
    EXPECT_FALSE(described("{}").config.contains("num_heads"));
    s.dim = 256; // the heads of every released model have 128 values
    EXPECT_EQ(described("{}").config.at("num_heads"), 2);
    EXPECT_EQ(described(R"({"num_attention_heads": 4})").config.at("num_heads"), 4);
}

TEST(Inspect, APatchEmbeddingOfTwoAxes) {
    TempFolder folder("plain");
    std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    const std::int64_t channels = tiny_transformer().in, dim = tiny_transformer().dim;
    for (Raw& t : tensors)
        if (t.name == "patch_embedding.weight") t = zeros(t.name, {dim, 4 * channels}, "F16");
    write_bytes(folder / "model.safetensors", safetensors(tensors));
    EXPECT_EQ(inspect(folder / "model.safetensors").config.at("in_dim"), channels);
    EXPECT_EQ(inspect(folder / "model.safetensors").variant, "t2v");
}

TEST(Inspect, Variants) {
    struct Case {
        const char* folder;
        TransformerSize size;
        const char* variant;
        const char* family;
    };
    TransformerSize t2v = tiny_transformer(), i2v = t2v, flf = t2v, df = t2v, ti2v = t2v;
    i2v.in = 36, flf.in = 36, flf.clip = 10, flf.positions = 514, df.fps = true, ti2v.in = ti2v.out = 48;
    for (const Case& c :
         {Case{"plain", t2v, "t2v", "unknown"}, Case{"plain", i2v, "i2v", "wan2.2"}, Case{"plain", flf, "flf2v", "wan"},
          Case{"plain", df, "df", "skyreels-df"}, Case{"plain", ti2v, "ti2v", "wan2.2"},
          Case{"SkyReels-V2-DF-14B", t2v, "df", "skyreels-df"}}) {
        TempFolder folder(c.folder);
        write_bytes(folder / "m.gguf", gguf(gguf_tensors(zero_tensors(transformer_names(c.size)))));
        const Inspection i = inspect(folder / "m.gguf");
        EXPECT_EQ(i.variant, c.variant);
        EXPECT_EQ(i.family, c.family);
        EXPECT_EQ(i.parts.at(0).format, "gguf");
    }
}

TEST(Inspect, ShardsByTheirIndexAndOneAlone) {
    TempFolder folder("Wan2.1-T2V-tiny");
    auto all = zero_tensors(transformer_names(tiny_transformer()), "BF16");
    const auto half = std::ptrdiff_t(all.size() / 2);
    const char* shards[] = {"m-00001-of-00002.safetensors", "m-00002-of-00002.safetensors"};
    Json index = {{"weight_map", Json::object()}};
    const decltype(all) first(all.begin(), all.begin() + half), second(all.begin() + half, all.end());
    for (const auto& t : first) index["weight_map"][t.name] = shards[0];
    for (const auto& t : second) index["weight_map"][t.name] = shards[1];
    write_bytes(folder / shards[0], safetensors(first));
    write_bytes(folder / shards[1], safetensors(second));
    write_bytes(folder / "m.safetensors.index.json", index.dump());
    const Inspection whole = inspect(folder / "m.safetensors.index.json");
    EXPECT_EQ(whole.tensors.size(), all.size());
    EXPECT_TRUE(whole.warnings.empty());
    const Inspection one = inspect(folder / shards[0]);
    EXPECT_EQ(one.tensors.size(), first.size());
    ASSERT_FALSE(one.warnings.empty());
    EXPECT_TRUE(has(one.warnings.back(), "one of 2 shards"));
}

/// Such a file is refused by a render, but inspect still tells what is in it.
TEST(Inspect, FilesFromBeforeOneSixAreDescribed) {
    const std::filesystem::path fixtures = std::filesystem::path(DENOIR_FIXTURES) / "weights";
    const Inspection old = inspect(fixtures / "torch-old.pth"), now = inspect(fixtures / "torch-views.pth");
    EXPECT_EQ(old.tensors.size(), now.tensors.size());
    EXPECT_EQ(old.parameters, now.parameters);
    EXPECT_EQ(old.dtypes, now.dtypes);
    ASSERT_FALSE(old.warnings.empty());
    EXPECT_TRUE(has(old.warnings.front(), "before 1.6") && has(old.warnings.front(), "torch.save"));
    EXPECT_TRUE(now.warnings.empty() || !has(now.warnings.front(), "before 1.6"));
}

TEST(Inspect, CompanionsAndStrangers) {
    TempFolder folder("x");
    write_bytes(folder / "vae.pth", pth(zero_tensors(vae21_names(2, 2))));
    write_bytes(folder / "t5.safetensors", safetensors(zero_tensors(umt5_names(20, 8, 12, 2, 2))));
    write_bytes(folder / "clip.safetensors", safetensors(zero_tensors(clip_names(6, 12, 2))));
    write_bytes(folder / "lora.safetensors", safetensors({f32("blocks.0.self_attn.q.lora_down.weight", {2, 8})}));
    write_bytes(folder / "other.safetensors",
                safetensors({f32("anything", {1, 1, 1, 1, 1, 1, 1, 1, 1, 2}), Raw{"odd", "F4", {2}, "x"}}));
    write_bytes(folder / "none.safetensors", safetensors("{}"));
    EXPECT_EQ(inspect(folder / "vae.pth").variant, "vae");
    EXPECT_EQ(inspect(folder / "vae.pth").config.at("z_dim"), 2);
    EXPECT_EQ(inspect(folder / "vae.pth").config.at("scale_factor_spatial"), 8);
    TempFolder second("z");
    write_bytes(second / "vae.safetensors", safetensors(zero_tensors(vae22_names(2, 2, 2))));
    EXPECT_EQ(inspect(second / "vae.safetensors").config.at("scale_factor_spatial"), 16);
    EXPECT_EQ(inspect(folder / "t5.safetensors").variant, "text-encoder");
    EXPECT_EQ(inspect(folder / "t5.safetensors").config.at("num_heads"), 2);
    EXPECT_EQ(inspect(folder / "clip.safetensors").variant, "clip");
    EXPECT_EQ(inspect(folder / "lora.safetensors").variant, "lora");
    const Inspection other = inspect(folder / "other.safetensors");
    EXPECT_EQ(other.family, "unknown");
    EXPECT_EQ(other.variant, "unknown");
    EXPECT_EQ(other.tensors.size(), 2u);
    EXPECT_EQ(other.parameters, 4u);
    EXPECT_TRUE(has(other.warnings.at(0), "F4"));
    EXPECT_EQ(inspect(folder / "none.safetensors").tensors.size(), 0u);
    EXPECT_EQ(inspect(folder.path()).family, "unknown"); // a folder of parts
    EXPECT_EQ(inspect(folder.path()).parts.size(), 6u);
    EXPECT_THROW(inspect(folder / "missing"), Error);
    TempFolder empty("y");
    EXPECT_THROW(inspect(empty.path()), Error);
}

TEST(Inspect, SaysWhatIsNotReadOrNotRendered) {
    TempFolder folder("x");
    std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    const auto warning = [&](std::vector<Raw> more, std::string_view metadata = {}) {
        more.insert(more.end(), tensors.begin(), tensors.end());
        write_bytes(folder / "x.safetensors", safetensors(more, metadata));
        const Inspection i = inspect(folder / "x.safetensors");
        return i.warnings.size() == 1 ? i.warnings[0] : std::to_string(i.warnings.size());
    };
    EXPECT_EQ(warning({}), "0");
    const std::string int8 = R"({"format":"int8_tensorwise"})", fp8 = R"({"format":"float8_e4m3fn"})";
    const auto quantised = [](const std::string& as) {
        std::vector<Raw> marks;
        for (const char* layer : {"q", "k"})
            marks.push_back(
                {std::string("blocks.0.self_attn.") + layer + ".comfy_quant", "U8", {std::int64_t(as.size())}, as});
        return marks;
    };
    EXPECT_TRUE(has(warning(quantised(int8)), "int8_tensorwise"));
    EXPECT_EQ(warning(quantised(fp8)), "0");
    EXPECT_TRUE(has(warning({}, R"({"_quantization_metadata":"{\"layers\":{\"blocks.0\":{\"format\":\"nvfp4\"}}}"})"),
                    "nvfp4"));
    EXPECT_TRUE(
        has(warning({zeros("blocks.0.self_attn.q.weight_scale_2", {}), zeros("blocks.0.ffn.0.weight_scale_2", {})}),
            "nvfp4")); // told once for all layers
    EXPECT_TRUE(has(warning({Raw{"blocks.0.ffn.0.a", "F4", {2}, "x"}, Raw{"blocks.0.ffn.2.a", "F4", {2}, "x"}}), "F4"));
    for (Raw& t : tensors)
        if (t.name == "blocks.0.self_attn.q.weight") t = zeros(t.name, t.shape, "I8");
    EXPECT_TRUE(has(warning({}), "int8"));
    tensors = zero_tensors(transformer_names(tiny_transformer()));
    for (const auto& [tensor, name] : std::vector<std::pair<const char*, const char*>>{
             {"vace_blocks.0.after_proj.weight", "VACE"},
             {"face_adapter.fuser_blocks.0.k_norm.weight", "Animate"},
             {"casual_audio_encoder.encoder.final_linear.weight", "S2V"},
             {"audio_proj.audio_proj_glob_1.layer.bias", "HuMo"},
             {"blocks.0.audio_cross_attn.kv_linear.weight", "InfiniteTalk"},
             {"control_adapter.conv.weight", "Fun-Control"},
             {"blocks.1.cam_encoder.weight", "ReCamMaster"},
             {"blocks.0.self_attn.attn_op.local_attn.proj_l.weight", "TurboDiffusion"},
             {"blocks.1.emotion.weight", "layers of its own (blocks.1.emotion.weight)"},
             {"blocks.0.cross_attn.ip_adapter.registers", "Lynx"}})
        EXPECT_TRUE(has(warning({f32(tensor, {2, 2})}), name)) << tensor;
    for (const char* harmless : {"freqs", "rope.freqs_cos", "model_ema.decay", "blocks.0.self_attn.q._extra_state"})
        EXPECT_EQ(warning({f32(harmless, {2})}), "0") << harmless;
    TransformerSize control = tiny_transformer();
    control.in = 48;
    tensors = zero_tensors(transformer_names(control));
    EXPECT_TRUE(has(warning({}), "Fun-Control"));
}

TEST(Inspect, AModelFolder) {
    TempFolder folder("Wan2.1-T2V-1.3B");
    write_bytes(folder / "model.safetensors", safetensors(zero_tensors(transformer_names(tiny_transformer()))));
    write_bytes(folder / "Wan2.1_VAE.pth", pth(zero_tensors(vae21_names(2, 2), "F32")));
    const Inspection i = inspect(folder.path());
    EXPECT_EQ(i.family, "wan");
    EXPECT_EQ(i.variant, "t2v");
    EXPECT_EQ(i.missing, (std::vector<std::string>{"text encoder", "tokenizer"}));
    ASSERT_EQ(i.parts.size(), 2u);
    EXPECT_EQ(i.parts[1].role, "VAE");
    EXPECT_EQ(i.tensors.size(), transformer_names(tiny_transformer()).size() + 194u);

    std::vector<Raw> fast = zero_tensors(transformer_names(tiny_transformer()));
    fast.push_back(zeros("blocks.0.to_gate_compress.weight", {8, 8}));
    write_bytes(folder / "model.safetensors", safetensors(fast));
    const std::vector<std::string> said = inspect(folder.path()).warnings;
    EXPECT_TRUE(std::ranges::any_of(said, [](const std::string& w) { return has(w, "sparse attention"); }));
}

/// A small model may have any number of channels, also that of TI2V's. Its VAE tells what it is.
TEST(Inspect, TheVaeOfAModelTellsTi2v) {
    TempFolder folder("plain");
    TransformerSize s = tiny_transformer();
    s.in = s.out = 16;
    write_bytes(folder / "model.safetensors", safetensors(zero_tensors(transformer_names(s))));
    EXPECT_EQ(inspect(folder.path()).variant, "t2v");
    write_bytes(folder / "vae.safetensors", safetensors(zero_tensors(vae22_names(2, 2, 16))));
    EXPECT_EQ(inspect(folder.path()).variant, "ti2v");
}

TEST(Inspect, AFolderOfOtherFiles) {
    TempFolder folder("x");
    const std::string lora = safetensors(
        {f32("blocks.0.self_attn.q.lora_down.weight", {2, 8}), f32("blocks.0.self_attn.q.lora_up.weight", {8, 2})});
    write_bytes(folder / "a.safetensors", lora);
    write_bytes(folder / "b.safetensors", lora.substr(0, lora.size() - 1));
    const Inspection i = inspect(folder.path());
    ASSERT_EQ(i.parts.size(), 1u);
    EXPECT_TRUE(std::ranges::any_of(
        i.warnings, [](const std::string& w) { return has(w, "left out: ") && has(w, "b.safetensors"); }));
}

/// A14B needs both transformers, and the names of the files say which of them is missing.
TEST(Inspect, HalfOfTheA14B) {
    const std::vector<std::pair<std::string, std::string>> files{
        {"wan2.2_t2v_high_noise_14B.safetensors", "low-noise transformer"},
        {"wan2.2_t2v_low_noise_14B.safetensors", "high-noise transformer"},
        {"model.safetensors", "low-noise transformer"},
        {"high_noise_model/model.safetensors", "low-noise transformer"},
        {"low_noise_model/model.safetensors", "high-noise transformer"}};
    for (const auto& [file, missing] : files) {
        TempFolder folder("Wan2.2-T2V-A14B");
        add_companions(folder.path());
        write_bytes(folder / file, transformer_file());
        EXPECT_EQ(inspect(folder.path()).missing, Names{missing}) << file;
    }
    // Neither the TI2V of the same release nor a model of Wan 2.1 lacks a half.
    TempFolder ti2v("Wan2.2-TI2V-5B"), older("Wan2.1-T2V-14B");
    TransformerSize five = tiny_transformer();
    five.in = five.out = 48;
    for (const auto& [folder, size] : {std::pair{&ti2v, five}, {&older, tiny_transformer()}}) {
        add_companions(folder->path());
        write_bytes(*folder / "model.safetensors", transformer_file(size));
        const Names missing = inspect(folder->path()).missing;
        EXPECT_TRUE(std::ranges::none_of(missing, [](const auto& m) { return has(m, "noise"); }));
    }
}

TEST(Inspect, ScalesAreNoParameters) {
    TempFolder folder;
    const NameList names = transformer_names(tiny_transformer());
    const std::string q = "blocks.0.self_attn.q", k = "blocks.0.self_attn.k";
    std::vector<Raw> tensors = zero_tensors(names, "F8_E4M3");
    for (Raw& t : tensors)
        if (t.name == k + ".weight") t.name += "._data", t.dtype = "I8";
    for (Raw& t : std::vector{f32(q + ".scale_weight", {8}), f32(q + ".scale_input", {}),
                              f32(k + ".weight._scale", {8, 1}), f32(k + ".output_scale", {}),
                              zeros("scaled_fp8", {2}, "F8_E4M3"), zeros("spiece_model", {100}, "U8")})
        tensors.push_back(std::move(t));
    for (const std::string prefix : {"", "model.diffusion_model."}) {
        std::vector<Raw> prefixed = tensors;
        for (Raw& t : prefixed) t.name = prefix + t.name;
        // An all-in-one file keeps its vocabulary as a tensor.
        prefixed.push_back(zeros("text_encoders.umt5xxl.spiece_model", {50}, "U8"));
        write_bytes(folder / "x", safetensors(prefixed));
        const Inspection i = inspect(folder / "x");
        EXPECT_EQ(i.parameters, static_cast<std::uint64_t>(parameters(names)));
        EXPECT_EQ(i.bytes, i.parameters + 4 * (8 + 1 + 8 + 1) + 2 + 100 + 50);
    }
}

} // namespace
} // namespace denoir
