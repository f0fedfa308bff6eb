// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/convert.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

#include "engine/core/error.h"
#include "engine/weights/gguf_writer.h"
#include "engine/weights/names.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_writer.h"
#include "engine/weights/weights.h"
#include "support/gguf_writer.h"
#include "support/model_files.h"
#include "support/torch_writer.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;
using Options = ConvertOptions;

/// Random F32 values, so that tensors that were mixed up are noticed.
std::vector<Raw> random_tensors(const NameList& list) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0, 0.1f);
    std::vector<Raw> tensors;
    for (const auto& [name, shape] : list) {
        Raw raw{name, "F32", shape, {}};
        for (std::int64_t i = 0; i < product(shape); ++i) raw.data += le(normal(random));
        tensors.push_back(std::move(raw));
    }
    return tensors;
}

void expect_equal(const Weights& a, const Weights& b, float tolerance = 0) {
    ASSERT_EQ(a.all().size(), b.all().size());
    for (const auto& [name, weight] : a.all()) {
        const Weight* other = b.find(name);
        ASSERT_NE(other, nullptr) << name;
        ASSERT_EQ(other->shape(), weight.shape()) << name;
        const Tensor x = weight.stored().to_host_f32(), y = other->stored().to_host_f32();
        for (std::int64_t i = 0; i < x.elements(); ++i)
            ASSERT_NEAR(x.data<float>()[i], y.data<float>()[i], tolerance) << name;
    }
}

std::string refusal(const fs::path& in, const fs::path& out, const Options& options) {
    return test::refusal([&] { convert(in, out, options); });
}

TEST(Convert, UnalignedTensorsGiveTheSameBytes) {
    std::vector<Raw> mixed, halves = random_tensors(umt5_names(32, 32, 64, 2, 2));
    for (const Raw& raw : random_tensors(clip_names(6, 12, 2, 14, 5, 0))) {
        const int parts = is_split(Component::clip, Layout::diffusers, raw.name) ? 3 : 1;
        const auto library = [&, &name = raw.name](int part) {
            return layout_name(Component::clip, Layout::diffusers, name, parts == 1 ? -1 : part);
        };
        std::vector<std::int64_t> shape = raw.shape;
        shape[0] /= parts;
        for (int part = 0; part < parts && library(part); ++part) // q, k and v, one of which may have another type
            mixed.push_back(part == 1 ? zeros(*library(part), shape, "F16") : f32(*library(part), shape, 1));
    }
    for (Raw& raw : halves) {
        raw.dtype = "F16";
        std::string narrow;
        for (std::size_t i = 0; i + 3 < raw.data.size(); i += 4) narrow += std::string(1, raw.data[i]) + '\x2c';
        raw.data = std::move(narrow);
    }
    std::vector<Raw> unknown{{"one", "F32", {2, 3}, std::string(24, '\x3c')},
                             {"two", "I64", {2}, std::string(16, 'x')}};
    TempFolder folder;
    int index = 0;
    for (const auto& [tensors, layouts] : {std::pair{&mixed, true}, {&halves, true}, {&unknown, false}}) {
        const std::string whole = safetensors(*tensors);
        write_bytes(folder / "in.safetensors", whole);
        write_bytes(folder / "odd.safetensors", misaligned(whole));
        std::vector<Options> all(2);
        all[1].dtype = DType::bf16;
        if (layouts) all.emplace_back().layout = Options::Layout::diffusers;
        if (tensors == &halves) all.emplace_back().quantize = DType::q8_0, all.emplace_back().quantize = DType::f8_e4m3;
        for (const Options& options : all) {
            const std::string end = options.quantize == DType::q8_0 ? ".gguf" : ".safetensors";
            convert(folder / "in.safetensors", folder / ("a" + end), options);
            convert(folder / "odd.safetensors", folder / ("b" + end), options);
            EXPECT_EQ(read_bytes(folder / ("a" + end)), read_bytes(folder / ("b" + end))) << index;
            ++index;
        }
    }
}

TEST(Convert, ThereAndBackIsTheSame) {
    TransformerSize s = tiny_transformer();
    s.in = 36, s.clip = 10, s.positions = 514;
    struct Case {
        NameList list;
        const char* library;
    };
    for (const Case& c :
         {Case{transformer_names(s), "proj_out.weight"}, Case{vae21_names(2, 2), "post_quant_conv.weight"},
          Case{vae22_names(2, 2, 2), "decoder.up_blocks.0.upsampler.time_conv.bias"},
          Case{umt5_names(20, 8, 12, 2, 2), "shared.weight"},
          Case{clip_names(6, 12, 2, 14, 5, 0), "vision_model.encoder.layers.1.self_attn.v_proj.weight"}}) {
        TempFolder folder;
        write_bytes(folder / "in.pth", pth(random_tensors(c.list)));
        Options diffusers;
        diffusers.layout = Options::Layout::diffusers;
        const ConvertResult result = convert(folder / "in.pth", folder / "diffusers.safetensors", diffusers);
        EXPECT_EQ(result.bytes, static_cast<std::uint64_t>(4 * parameters(c.list)));
        EXPECT_TRUE(read_safetensors(folder / "diffusers.safetensors").contains(c.library)) << c.library;
        convert(folder / "diffusers.safetensors", folder / "back.safetensors", {});
        expect_equal(load(folder / "in.pth"), load(folder / "diffusers.safetensors"));
        expect_equal(load(folder / "in.pth"), load(folder / "back.safetensors"));
        EXPECT_EQ(read_safetensors(folder / "back.safetensors").size(), c.list.size());
    }
}

TEST(Convert, ComfyKeepsOriginalNamesButForTheEncoders) {
    TempFolder folder;
    write_bytes(folder / "t5", safetensors(random_tensors(umt5_names(20, 8, 12, 2, 2))));
    write_bytes(folder / "vae", safetensors(random_tensors(vae21_names(2, 2))));
    Options comfy;
    comfy.layout = Options::Layout::comfy;
    convert(folder / "t5", folder / "t5.safetensors", comfy);
    convert(folder / "vae", folder / "vae.safetensors", comfy);
    EXPECT_TRUE(read_safetensors(folder / "t5.safetensors").contains("shared.weight"));
    EXPECT_TRUE(read_safetensors(folder / "vae.safetensors").contains("decoder.middle.0.residual.0.gamma"));
}

/// The tensors tell neither the number of heads nor what the latents were normalised by.
TEST(Convert, TheConfigJsonIsTakenAlong) {
    TempFolder folder("model"), elsewhere("elsewhere");
    write_bytes(folder / "model.safetensors", safetensors(zero_tensors(transformer_names(tiny_transformer()))));
    write_bytes(folder / "config.json", R"({"_class_name": "WanModel", "num_heads": 2, "text_len": 7})");
    for (const auto& [out, options] : {std::pair{"a.safetensors", Options{}},
                                       {"b.safetensors", Options{.layout = Options::Layout::diffusers}},
                                       {"c.gguf", Options{.quantize = DType::q8_0}}}) {
        convert(folder.path(), elsewhere / out, options);
        EXPECT_EQ(load(elsewhere / out).config(), load(folder.path()).config()) << out;
    }
    convert(elsewhere / "c.gguf", elsewhere / "d.safetensors", {});
    EXPECT_EQ(load(elsewhere / "d.safetensors").config(), load(folder.path()).config());
    write_bytes(folder / "config.json", fmt::format(R"({{"num_heads": 2, "note": "{}"}})", std::string(100'000, 'x')));
    convert(folder.path(), elsewhere / "c.gguf", {.quantize = DType::q8_0});
    EXPECT_EQ(load(elsewhere / "c.gguf").config(), load(folder.path()).config()); // all of it, however long
    // A config.json beside the new file counts first, key by key.
    write_bytes(elsewhere / "config.json", R"({"text_len": 9})");
    const Json both = load(elsewhere / "a.safetensors").config();
    EXPECT_EQ(both.at("text_len"), 9);
    EXPECT_EQ(both.at("num_heads"), 2);
}

TEST(Convert, TheConfigInAFileIsNotTrusted) {
    TempFolder folder("model");
    const auto with = [&](const std::string& config) {
        const fs::path file = folder / "model.safetensors";
        const std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
        SafetensorsWriter writer(file, {{"denoir.config", config}});
        for (const Raw& t : tensors) writer.declare(t.name, Shape(std::span(t.shape)), DType::bf16);
        for (const std::string& name : writer.begin())
            for (const Raw& t : tensors)
                if (t.name == name) {
                    const std::string zeros(std::size_t(product(t.shape)) * 2, '\0');
                    writer.write(zeros.data(), zeros.size());
                }
        writer.commit();
        return test::refusal([&] { load(file); });
    };
    EXPECT_EQ(with(R"({"num_heads": 2})"), "accepted");
    for (const std::string& bad : {std::string("[]"), std::string("{"), std::string(2 << 20, ' ') + "{}"})
        EXPECT_NE(with(bad).find("model.safetensors: denoir.config"), std::string::npos) << with(bad).substr(0, 200);
}

TEST(Convert, TypesAreRoundedOnce) {
    TempFolder folder;
    write_bytes(folder / "in", safetensors(random_tensors(umt5_names(20, 8, 12, 2, 2))));
    const Weights before = load(folder / "in");
    for (const DType dtype : {DType::bf16, DType::f16, DType::f32}) {
        Options options;
        options.dtype = dtype;
        convert(folder / "in", folder / "out.safetensors", options);
        const Weights after = load(folder / "out.safetensors");
        for (const auto& [name, w] : after.all()) {
            ASSERT_EQ(w.stored().dtype(), dtype);
            const Tensor x = before.find(name)->stored(), y = w.stored().to_host_f32();
            for (std::int64_t i = 0; i < x.elements(); ++i) {
                const float v = x.data<float>()[i];
                const float expected = dtype == DType::bf16  ? round_to_bf16(v)
                                       : dtype == DType::f16 ? f16_to_f32(f32_to_f16(v))
                                                             : v;
                ASSERT_EQ(y.data<float>()[i], expected) << name;
            }
        }
    }
}

TEST(Convert, GgufBlocksBecomeFloats) {
    std::vector<GgufTensor> tensors;
    for (const Raw& t : random_tensors(umt5_names(20, 32, 32, 1, 2))) {
        GgufTensor g = gguf_tensors({t}).front();
        if (t.name == "blocks.0.attn.q.weight") {
            g.type = 8, g.data.clear();
            for (int row = 0; row < 32; ++row) {
                g.data += le(f32_to_f16(0.5f));
                for (int i = 0; i < 32; ++i) g.data += static_cast<char>(row - i);
            }
        }
        tensors.push_back(std::move(g));
    }
    TempFolder folder;
    write_bytes(folder / "in.gguf", gguf(tensors));
    convert(folder / "in.gguf", folder / "out.safetensors", {});
    const Weights w = load(folder / "out.safetensors");
    const Tensor q = w.find("blocks.0.attn.q.weight")->stored();
    ASSERT_EQ(q.dtype(), DType::f32);
    EXPECT_EQ(q.data<float>()[3 * 32 + 5], 0.5f * (3 - 5));
    expect_equal(load(folder / "out.safetensors"), w);
}

TEST(Convert, ScaledFp8IsReadBack) {
    TempFolder folder;
    TransformerSize s = tiny_transformer();
    s.dim = 64, s.ffn = 96;
    write_bytes(folder / "in", safetensors(random_tensors(transformer_names(s))));
    Options options;
    options.dtype = DType::bf16;
    options.quantize = DType::f8_e4m3;
    convert(folder / "in", folder / "fp8.safetensors", options);
    const Weights before = load(folder / "in"), after = load(folder / "fp8.safetensors");
    EXPECT_TRUE(read_safetensors(folder / "fp8.safetensors").contains("scaled_fp8"));
    int quantised = 0;
    for (const auto& [name, w] : after.all()) {
        const bool linear = name.starts_with("blocks.") && w.shape().rank() == 2;
        EXPECT_EQ(w.stored().dtype(), linear ? DType::f8_e4m3 : DType::bf16) << name;
        EXPECT_EQ(w.scale.defined(), linear) << name;
        if (!linear) continue;
        ++quantised;
        const Tensor x = before.find(name)->stored(), y = w.stored().to_host_f32();
        const float scale = w.scale.data<float>()[0];
        float largest = 0;
        for (std::int64_t i = 0; i < x.elements(); ++i) {
            // fp8 has three bits of mantissa, so half a step is 1/16 of the value, or half of the smallest subnormal.
            const float v = x.data<float>()[i], got = y.data<float>()[i] * scale;
            ASSERT_NEAR(got, v, std::max(std::fabs(v) / 16 * 1.001f, scale / 1024 * 1.001f)) << name;
            largest = std::max(largest, std::fabs(y.data<float>()[i]));
        }
        EXPECT_EQ(largest, 448.0f) << name;
    }
    EXPECT_EQ(quantised, 2 * 10);
    // The file also comes back as plain numbers.
    Options plain;
    plain.dtype = DType::f32;
    convert(folder / "fp8.safetensors", folder / "plain.safetensors", plain);
    const Weights wide = load(folder / "plain.safetensors");
    const Weight &a = *wide.find("blocks.1.ffn.2.weight"), &b = *after.find("blocks.1.ffn.2.weight");
    EXPECT_EQ(a.stored().data<float>()[17], b.stored().to_host_f32().data<float>()[17] * b.scale.data<float>()[0]);
}

/// The scale of such a weight would be 0 or have no finite reciprocal.
TEST(Convert, WeightsNearZeroBecomeZero) {
    TempFolder folder;
    TransformerSize s = tiny_transformer();
    s.dim = 64;
    std::vector<Raw> tensors = random_tensors(transformer_names(s));
    for (Raw& t : tensors)
        if (t.name == "blocks.0.ffn.0.weight")
            for (std::size_t i = 0; i + 4 <= t.data.size(); i += 4) t.data.replace(i, 4, le(i % 8 ? 1e-37f : 0.0f));
    write_bytes(folder / "in.safetensors", safetensors(tensors));
    for (const auto& [out, type] : {std::pair{"out.gguf", DType::q8_0}, std::pair{"out.safetensors", DType::f8_e4m3}}) {
        convert(folder / "in.safetensors", folder / out, {.quantize = type});
        const Weights after = load(folder / out);
        const Weight& w = *after.find("blocks.0.ffn.0.weight");
        EXPECT_EQ(w.stored().dtype(), type);
        const Tensor values = w.stored().to_host_f32();
        for (const float v : values.span<float>()) ASSERT_EQ(v, 0) << out;
    }
}

/// Open-CLIP keeps q, k and v in one matrix and the other layouts keep three. Each must take the scales of its own rows
/// along.
TEST(Convert, ScalesOfRowsStayWithTheirRows) {
    TempFolder folder;
    std::vector<Raw> tensors = random_tensors(clip_names(6, 12, 2, 14, 5, 0));
    const auto joined = std::find_if(tensors.begin(), tensors.end(),
                                     [](const Raw& t) { return t.name.ends_with("transformer.0.attn.to_qkv.weight"); });
    ASSERT_NE(joined, tensors.end());
    const std::int64_t rows = joined->shape[0], columns = joined->shape[1];
    Raw scale{joined->name.substr(0, joined->name.size() - 6) + "scale_weight", "F32", {rows, 1}, {}};
    for (std::int64_t i = 0; i < rows; ++i) scale.data += le(float(i + 1));
    joined->dtype = "F8_E4M3";
    joined->data.assign(std::size_t(rows * columns), '\x38'); // 1 in fp8
    tensors.push_back(scale);
    write_bytes(folder / "in", safetensors(tensors));
    Options options;
    options.dtype = DType::f32;
    options.layout = Options::Layout::diffusers;
    convert(folder / "in", folder / "out.safetensors", options);
    const auto found = read_safetensors(folder / "out.safetensors");
    for (int part = 0; part < 3; ++part) {
        const std::string name = std::string("vision_model.encoder.layers.0.self_attn.") + "qkv"[part] + "_proj.weight";
        const Tensor& one = found.at(name);
        ASSERT_EQ(one.size(0), rows / 3) << name;
        for (std::int64_t row = 0, first = part * rows / 3; row < rows / 3; ++row)
            ASSERT_EQ(one.data<float>()[row * columns], float(first + row + 1)) << name << row;
    }
}

TEST(Convert, UnknownNetworksKeepTheirNames) {
    TempFolder folder;
    write_bytes(folder / "lora",
                safetensors({f32("blocks.0.self_attn.q.lora_down.weight", {2, 8}), zeros("count", {2}, "I64")}));
    Options options;
    options.dtype = DType::bf16;
    convert(folder / "lora", folder / "out.safetensors", options);
    const auto tensors = read_safetensors(folder / "out.safetensors");
    EXPECT_EQ(tensors.at("blocks.0.self_attn.q.lora_down.weight").dtype(), DType::bf16);
    EXPECT_EQ(tensors.at("count").dtype(), DType::i64);
    options.layout = Options::Layout::diffusers;
    EXPECT_TRUE(
        has(refusal(folder / "lora", folder / "again.safetensors", options), "not a network whose names are known"));
}

/// diffusers stores a LoRA's alpha in the file's metadata, peft in a file beside it.
TEST(Convert, ALorasAlphaIsTakenAlong) {
    TempFolder folder("peft"), elsewhere("elsewhere");
    const std::vector<Raw> tensors{f32("blocks.0.self_attn.q.lora_A.weight", {2, 8}),
                                   f32("blocks.0.self_attn.q.lora_B.weight", {8, 2})};
    write_bytes(folder / "a.safetensors",
                safetensors(tensors, R"({"lora_adapter_metadata": "{\"lora_alpha\": 6}", "about": "x"})"));
    write_bytes(folder / "adapter_model.safetensors", safetensors(tensors));
    write_bytes(folder / "adapter_config.json", R"({"lora_alpha": 8})");
    std::map<std::string, std::string> said;
    Options options;
    options.dtype = DType::bf16;
    convert(folder / "a.safetensors", elsewhere / "a.safetensors", options);
    read_safetensors(elsewhere / "a.safetensors", &said);
    EXPECT_EQ(said["lora_adapter_metadata"], R"({"lora_alpha": 6})");
    EXPECT_EQ(said["about"], "x");
    convert(folder / "adapter_model.safetensors", elsewhere / "b.safetensors", options);
    read_safetensors(elsewhere / "b.safetensors", &said);
    EXPECT_EQ(said["lora_adapter_metadata"], R"({"lora_alpha":8})");
}

/// Only their own program knows what the names of these scales mean.
TEST(Convert, ScaledNumbersOfUnknownNetworksKeepTheirType) {
    TempFolder folder;
    for (const char* scale : {"double.0.scale_weight", "double.0.scale_of_ours", "double.0.weight_scale_2"}) {
        write_bytes(folder / "in", safetensors({zeros("double.0.weight", {4, 4}, "F8_E4M3"), f32(scale, {})}));
        Options bf16;
        bf16.dtype = DType::bf16;
        EXPECT_TRUE(has(refusal(folder / "in", folder / "out.safetensors", bf16), "double.0.weight")) << scale;
        EXPECT_EQ(refusal(folder / "in", folder / "out.safetensors", {}), "accepted") << scale;
    }
    // What a batch norm counts is no scale, and it must not hide one.
    const std::vector<Raw> norm{zeros("norm.weight", {4}, "F8_E4M3"), f32("norm.bias", {4}),
                                f32("norm.running_mean", {4}), f32("norm.running_var", {4}),
                                zeros("norm.num_batches_tracked", {}, "I64")};
    Options half;
    half.dtype = DType::f16;
    write_bytes(folder / "in", safetensors(norm));
    EXPECT_EQ(refusal(folder / "in", folder / "out.safetensors", half), "accepted");
    std::vector<Raw> scaled = norm;
    scaled.push_back(f32("norm.s", {}));
    write_bytes(folder / "in", safetensors(scaled));
    EXPECT_TRUE(has(refusal(folder / "in", folder / "out.safetensors", half), "scaled by `norm.s`"));
    // If a file is full, a layer goes on in the next one.
    write_bytes(folder / "m-1.safetensors", safetensors({zeros("double.0.weight", {4, 4}, "F8_E4M3")}));
    write_bytes(folder / "m-2.safetensors", safetensors({f32("double.0.weight_scale", {})}));
    write_bytes(folder / "m.safetensors.index.json", R"({"weight_map": {
        "double.0.weight": "m-1.safetensors", "double.0.weight_scale": "m-2.safetensors"}})");
    Options bf16;
    bf16.dtype = DType::bf16;
    EXPECT_TRUE(has(refusal(folder / "m.safetensors.index.json", folder / "out.safetensors", bf16), "weight_scale"));
}

TEST(Convert, ShardsByTheirIndex) {
    TempFolder folder;
    write_bytes(folder / "m-1.safetensors", safetensors({f32("a.weight", {2, 3})}));
    write_bytes(folder / "m-2.safetensors", safetensors({f32("b.weight", {4})}));
    write_bytes(folder / "m.safetensors.index.json",
                R"({"weight_map":{"a.weight":"m-1.safetensors","b.weight":"m-2.safetensors"}})");
    convert(folder / "m.safetensors.index.json", folder / "out.safetensors", {});
    const auto tensors = read_safetensors(folder / "out.safetensors");
    ASSERT_EQ(tensors.size(), 2u);
    EXPECT_EQ(tensors.at("b.weight").shape(), Shape({4}));
    const std::string index = read_bytes(folder / "m.safetensors.index.json");
    fs::create_hard_link(folder / "m.safetensors.index.json", folder / "linked.safetensors");
    EXPECT_TRUE(has(refusal(folder / "m.safetensors.index.json", folder / "linked.safetensors", {}), "also an input"));
    EXPECT_EQ(read_bytes(folder / "m.safetensors.index.json"), index);
}

TEST(Convert, TheOutputMayNotBeAnInput) {
    TempFolder folder;
    const std::string bytes = safetensors(random_tensors(umt5_names(20, 8, 12, 1, 2)));
    write_bytes(folder / "in.safetensors", bytes);
    fs::create_symlink(folder / "in.safetensors", folder / "link.safetensors");
    fs::create_hard_link(folder / "in.safetensors", folder / "hard.safetensors");
    for (const char* out : {"in.safetensors", "link.safetensors", "hard.safetensors", "./sub/../in.safetensors"}) {
        fs::create_directories(folder / "sub");
        EXPECT_TRUE(has(refusal(folder / "in.safetensors", folder / out, {}), "also an input")) << out;
    }
    EXPECT_EQ(read_bytes(folder / "in.safetensors"), bytes);
}

TEST(Convert, Q8BlocksAreWrittenAsGguf) {
    TransformerSize s = tiny_transformer();
    s.dim = 64, s.ffn = 96, s.clip = 10;
    for (const NameList& list : {transformer_names(s), umt5_names(20, 32, 64, 2, 2)}) {
        TempFolder folder;
        write_bytes(folder / "in.safetensors", safetensors(random_tensors(list)));
        Options q8;
        q8.quantize = DType::q8_0;
        convert(folder / "in.safetensors", folder / "out.gguf", q8);
        const Weights before = load(folder / "in.safetensors"), after = load(folder / "out.gguf");
        EXPECT_EQ(after.component(), before.component());
        expect_equal(before, after, 0.5f / 127 * 0.6f); // half a step of the largest of 32 values
        int blocks = 0;
        for (const auto& [name, weight] : after.all()) {
            const DType stored = weight.stored().dtype();
            blocks += stored == DType::q8_0;
            EXPECT_EQ(stored == DType::q8_0, name.starts_with("blocks.") && name.ends_with(".weight") &&
                                                 weight.shape().rank() == 2 &&
                                                 name.find("pos_embedding") == std::string::npos)
                << name;
        }
        EXPECT_GT(blocks, 10);
        // Read back, the file has the values that were stored.
        convert(folder / "out.gguf", folder / "back.safetensors", {});
        expect_equal(after, load(folder / "back.safetensors"));
        // Blocks that are quantised already are copied.
        convert(folder / "out.gguf", folder / "again.gguf", q8);
        EXPECT_EQ(read_bytes(folder / "again.gguf"), read_bytes(folder / "out.gguf"));
        EXPECT_TRUE(has(refusal(folder / "in.safetensors", folder / "out.safetensors", q8), "OUT.gguf"));
        EXPECT_TRUE(has(refusal(folder / "in.safetensors", folder / "b.gguf", {}), "OUT.safetensors"));
        // Capital letters do not make another name.
        EXPECT_TRUE(has(refusal(folder / "in.safetensors", folder / "B.GGUF", {}), "OUT.safetensors"));
        convert(folder / "in.safetensors", folder / "Q.GGUF", q8);
        EXPECT_EQ(read_bytes(folder / "Q.GGUF"), read_bytes(folder / "out.gguf"));
    }
}

TEST(Convert, WritersTakeWhatWasDeclared) {
    TempFolder folder;
    const std::string data(16, 'x');
    const auto check = [&](auto writer) {
        writer.declare("w", Shape{2}, DType::f32);
        writer.begin();
        EXPECT_THROW(writer.commit(), std::logic_error);
        EXPECT_THROW(writer.write(data.data(), 64), std::logic_error);
    };
    check(GgufWriter(folder / "a.gguf", "wan"));
    check(SafetensorsWriter(folder / "a.safetensors", {}));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Convert, SaysWhatStaysUnquantisedAndWhatIsOneShard) {
    TempFolder folder;
    TransformerSize s = tiny_transformer();
    // The second linear layer of each block's FFN has rows of 100 values, which are no whole blocks.
    s.dim = 64, s.ffn = 100;
    write_bytes(folder / "in.safetensors", safetensors(random_tensors(transformer_names(s))));
    write_bytes(folder / "model-00001-of-00003.safetensors", safetensors(random_tensors(transformer_names(s))));
    Options q8;
    q8.quantize = DType::q8_0;
    const ConvertResult odd = convert(folder / "in.safetensors", folder / "out.gguf", q8);
    ASSERT_EQ(odd.warnings.size(), 1u);
    EXPECT_TRUE(has(odd.warnings[0], "linear layers are not quantised")) << odd.warnings[0];
    EXPECT_TRUE(convert(folder / "in.safetensors", folder / "plain.safetensors", {}).warnings.empty());
    const ConvertResult shard = convert(folder / "model-00001-of-00003.safetensors", folder / "shard.safetensors", {});
    ASSERT_EQ(shard.warnings.size(), 1u);
    EXPECT_TRUE(has(shard.warnings[0], "one of 3 shards")) << shard.warnings[0];
}

/// ComfyUI's text encoders contain their tokenizer, and readers look for it there.
TEST(Convert, TheTokenizerOfATextEncoderStaysWithIt) {
    TempFolder folder;
    std::vector<Raw> tensors = random_tensors(umt5_names(20, 32, 64, 2, 2));
    tensors.push_back({"spiece_model", "U8", {5}, "12345"});
    write_bytes(folder / "in.safetensors", safetensors(tensors));
    Options options;
    for (const auto layout : {Options::Layout::original, Options::Layout::diffusers, Options::Layout::comfy}) {
        options.layout = layout;
        options.dtype = DType::bf16;
        EXPECT_TRUE(convert(folder / "in.safetensors", folder / "out.safetensors", options).warnings.empty());
        const auto out = read_safetensors(folder / "out.safetensors");
        ASSERT_TRUE(out.contains("spiece_model"));
        EXPECT_EQ(std::memcmp(out.at("spiece_model").raw(), "12345", 5), 0);
        expect_equal(load(folder / "in.safetensors"), load(folder / "out.safetensors"), 1e-2f);
    }
    Options q8;
    q8.quantize = DType::q8_0;
    const ConvertResult blocks = convert(folder / "in.safetensors", folder / "out.gguf", q8);
    ASSERT_EQ(blocks.warnings.size(), 1u);
    EXPECT_TRUE(has(blocks.warnings[0], "the tokenizer that in.safetensors carries is not written"));
    // The vocabulary of a GGUF file is not lost either.
    write_bytes(folder / "in.gguf", gguf(gguf_tensors(zero_tensors(umt5_names(20, 32, 64, 2, 2))),
                                         {gguf_pair("tokenizer.ggml.model", 8, gguf_string("t5"))}));
    EXPECT_EQ(convert(folder / "in.gguf", folder / "back.safetensors", {}).warnings.size(), 1u);
}

TEST(Convert, Q8RefusesWhatItsScalesCannotHold) {
    TempFolder folder;
    TransformerSize s = tiny_transformer();
    s.dim = 64;
    std::vector<Raw> tensors = random_tensors(transformer_names(s));
    for (Raw& t : tensors)
        if (t.name == "blocks.0.ffn.0.weight") t = f32(t.name, t.shape, std::numeric_limits<float>::infinity());
    write_bytes(folder / "in.safetensors", safetensors(tensors));
    Options q8;
    q8.quantize = DType::q8_0;
    EXPECT_TRUE(has(refusal(folder / "in.safetensors", folder / "out.gguf", q8), "blocks.0.ffn.0.weight"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 1);
}

TEST(Convert, RefusalsLeaveNothingBehind) {
    TempFolder folder;
    std::vector<Raw> tensors = random_tensors(umt5_names(20, 8, 12, 1, 2));
    tensors[0] = f32(tensors[0].name, tensors[0].shape, 1e6f);
    write_bytes(folder / "in", safetensors(tensors));
    Options half;
    half.dtype = DType::f16;
    EXPECT_TRUE(has(refusal(folder / "in", folder / "out.safetensors", half), "does not fit in f16"));
    Options odd;
    odd.dtype = DType::q8_0;
    EXPECT_TRUE(has(refusal(folder / "in", folder / "out.safetensors", odd), "q8_0"));
    Options both;
    both.quantize = DType::f8_e4m3, both.layout = Options::Layout::diffusers;
    EXPECT_TRUE(has(refusal(folder / "in", folder / "out.safetensors", both), "quantize"));
    std::stop_source stop;
    stop.request_stop();
    Options stopped;
    stopped.stop = stop.get_token();
    EXPECT_THROW(convert(folder / "in", folder / "out.safetensors", stopped), Cancelled);
    // Only the input is there.
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 1);
}

TEST(Convert, AnAllInOneFileMeansNoOtherFile) {
    TempFolder folder;
    std::vector<Raw> tensors;
    for (Raw t : zero_tensors(transformer_names(tiny_transformer())))
        tensors.push_back({"model.diffusion_model." + t.name, t.dtype, t.shape, t.data});
    for (Raw t : zero_tensors(umt5_names(20, 8, 12, 2, 2)))
        tensors.push_back({"text_encoders.umt5xxl.transformer." + t.name, t.dtype, t.shape, t.data});
    write_bytes(folder / "in", safetensors(tensors));
    EXPECT_TRUE(has(refusal(folder / "in", folder / "out.safetensors", {}), "a file that holds one of them alone"));
}

// Another program cuts the input short while it is read. The refusal names that file, and nothing is written.
TEST(Convert, InputThatShrinks) {
    for (const std::optional<DType> dtype : {std::optional<DType>(), std::optional(DType::bf16)}) {
        const TempFolder folder;
        constexpr std::int64_t values = 6 << 20; // large enough for six pieces
        write_bytes(folder / "in", safetensors({{"a", "F32", {values}, std::string(4 * values, '\1')}}));
        Options options;
        options.dtype = dtype;
        options.progress = [&](double, double) { fs::resize_file(folder / "in", 1 << 20); };
        const std::string said = refusal(folder / "in", folder / "out.safetensors", options);
        EXPECT_TRUE(has(said, "became shorter")) << said;
        EXPECT_TRUE(has(said, (folder / "in").string())) << said;
        EXPECT_FALSE(fs::exists(folder / "out.safetensors"));
    }
}

} // namespace
} // namespace denoir
