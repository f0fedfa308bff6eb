// SPDX-License-Identifier: Apache-2.0
// optimum-quanto's weights in 8 bits, as mmgp (Wan2GP) and diffusers store them.
#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/weights/convert.h"
#include "engine/weights/inspect.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/quantisation.h"
#include "engine/weights/weights.h"
#include "support/model_files.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

const std::string layer = "blocks.0.self_attn.q"; // a matrix of [8, 8]
const std::string numbers = layer + ".weight._data", scale = layer + ".weight._scale";

/// Counts 0, 1, … 127, -128, … as far as there is room.
Raw counting(std::string name, std::vector<std::int64_t> shape, std::string dtype = "I8") {
    Raw raw{std::move(name), std::move(dtype), std::move(shape), {}};
    for (std::int64_t i = 0; i < product(raw.shape); ++i) raw.data += static_cast<char>(i);
    return raw;
}

/// 1, 2, … in bf16, which holds all of them exactly up to 256.
Raw bf16_from_1(std::string name, std::vector<std::int64_t> shape) {
    Raw raw{std::move(name), "BF16", std::move(shape), {}};
    for (std::int64_t i = 1; i <= product(raw.shape); ++i) raw.data += le(bf16::from(static_cast<float>(i)).bits);
    return raw;
}

/// Every linear layer of the list's blocks as quanto's two tensors, with the other tensors that quanto writes.
std::vector<Raw> quantised(const NameList& list) {
    std::vector<Raw> tensors;
    for (const Raw& t : zero_tensors(list, "BF16")) {
        const bool linear = t.name.starts_with("blocks.") && t.shape.size() == 2;
        if (!linear) {
            tensors.push_back(t);
            continue;
        }
        const std::string of = t.name.substr(0, t.name.rfind('.'));
        tensors.push_back(counting(t.name + "._data", t.shape));
        tensors.push_back(bf16_from_1(t.name + "._scale", {t.shape[0], 1}));
        for (const char* leaf : {".input_scale", ".output_scale"}) tensors.push_back(bf16_from_1(of + leaf, {}));
    }
    return tensors;
}

/// The tiny transformer in which `halves` stand for the layer `q`.
std::string file(std::vector<Raw> halves) {
    std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()), "BF16");
    std::erase_if(tensors, [](const Raw& t) { return t.name == layer + ".weight"; });
    for (Raw& t : halves) tensors.push_back(std::move(t));
    return safetensors(tensors);
}

Weights load_bytes(const std::string& bytes) {
    const TempFolder folder;
    write_bytes(folder / "x", bytes);
    return load(folder / "x");
}
std::string refused(std::vector<Raw> halves) {
    return test::refusal([&] { load_bytes(file(std::move(halves))); });
}

std::vector<float> values_of(const Weight& w) {
    const Tensor all = dequantised(w.stored(), w.scale);
    return {all.span<const float>().begin(), all.span<const float>().end()};
}

TEST(Quanto, NumbersStayBytesAndEachRowHasItsScale) {
    const NameList names = transformer_names(tiny_transformer());
    const std::string bytes = safetensors(quantised(names));
    for (const std::string& made : {bytes, misaligned(bytes)}) { // mmgp does not pad its headers
        const Weights w = load_bytes(made);
        EXPECT_EQ(w.component(), Component::transformer);
        EXPECT_EQ(w.all().size(), names.size()); // input_scale and output_scale are left out
        const Weight& q = *w.find(layer + ".weight");
        EXPECT_EQ(q.stored().dtype(), DType::i8);
        EXPECT_EQ(q.scale.shape(), (Shape{8}));
        for (std::size_t i = 0; i < 64; ++i)
            EXPECT_EQ(values_of(q)[i], static_cast<float>(i) * static_cast<float>(i / 8 + 1));
    }
}

TEST(Quanto, EveryKindOfEightBits) {
    for (const char* type : {"I8", "F8_E4M3", "F8_E5M2"}) {
        const Weights w = load_bytes(file({counting(numbers, {8, 8}, type), f32(scale, {8, 1}, 0.5f)}));
        const Weight& q = *w.find(layer + ".weight");
        EXPECT_EQ(q.scale.data<float>()[2], 2.5f);
        EXPECT_EQ(values_of(q)[20], q.stored().to_host_f32().data<float>()[20] * 2.5f) << type;
    }
    // A layer with one row has one scale.
    const Weights w = load_bytes(file({counting(numbers, {8, 8}), f32(scale, {}, 0.25f)}));
    EXPECT_EQ(w.find(layer + ".weight")->scale.rank(), 0);
    EXPECT_EQ(values_of(*w.find(layer + ".weight"))[63], 63 * 0.25f);
}

TEST(Quanto, NegativeNumbers) {
    Raw all = counting(numbers, {8, 8});
    all.data[0] = '\x80', all.data[1] = '\xff', all.data[2] = '\x7f';
    const Weights w = load_bytes(file({all, f32(scale, {8, 1}, 2)}));
    const std::vector<float> values = values_of(*w.find(layer + ".weight"));
    EXPECT_EQ(values[0], -256.0f);
    EXPECT_EQ(values[1], -2.0f);
    EXPECT_EQ(values[2], 254.0f);
}

/// In every layout: with prefixes, with diffusers' names, and with the halves of a weight in two shards.
TEST(Quanto, InEveryLayout) {
    const TempFolder folder;
    const NameList names = transformer_names(tiny_transformer());
    const auto check = [&](const fs::path& path, std::string_view what) {
        const Weights w = load(path);
        EXPECT_EQ(w.all().size(), names.size()) << what;
        EXPECT_EQ(values_of(*w.find(layer + ".weight"))[63], 63 * 8.0f) << what;
    };
    std::vector<Raw> prefixed = quantised(names);
    for (Raw& t : prefixed) t.name = "model.diffusion_model." + t.name;
    write_bytes(folder / "prefix.safetensors", safetensors(prefixed));
    check(folder / "prefix.safetensors", "prefix");

    std::vector<Raw> diffusers;
    for (Raw t : quantised(names)) {
        const std::size_t half = t.name.find("._data") != std::string::npos    ? t.name.find("._data")
                                 : t.name.find("._scale") != std::string::npos ? t.name.find("._scale")
                                                                               : t.name.size();
        const auto other = layout_name(Component::transformer, Layout::diffusers, t.name.substr(0, half));
        ASSERT_TRUE(other) << t.name;
        t.name = *other + t.name.substr(half);
        diffusers.push_back(t);
    }
    write_bytes(folder / "diffusers.safetensors", safetensors(diffusers));
    check(folder / "diffusers.safetensors", "diffusers");

    std::vector<Raw> first, second;
    std::string map;
    for (const Raw& t : quantised(names)) {
        const bool early = !t.name.ends_with("._scale");
        (early ? first : second).push_back(t);
        map += (map.empty() ? "\"" : ",\"") + t.name + (early ? "\":\"a.safetensors\"" : "\":\"b.safetensors\"");
    }
    write_bytes(folder / "shards/a.safetensors", safetensors(first));
    write_bytes(folder / "shards/b.safetensors", safetensors(second));
    write_bytes(folder / "shards/model.safetensors.index.json", R"({"weight_map":{)" + map + "}}");
    check(folder / "shards", "shards");
}

TEST(Quanto, ATextEncoderWithItsTable) {
    const NameList names = umt5_names(20, 6, 12, 2, 2);
    std::vector<Raw> tensors = quantised(names); // the tables of positions, too
    for (Raw& t : tensors)
        if (t.name == "token_embedding.weight") t = counting(t.name + "._data", t.shape);
    tensors.push_back(f32("token_embedding.weight._scale", {20, 1}, 1));
    const Weights w = load_bytes(safetensors(tensors));
    EXPECT_EQ(w.component(), Component::umt5);
    EXPECT_EQ(w.all().size(), names.size());
    EXPECT_EQ(values_of(*w.find("token_embedding.weight"))[7], 14.0f);
}

/// The transformers library has separate q, k and v, each with a scale. The scale of a convolution has as many axes as
/// the weight.
TEST(Quanto, AClipOfTransformers) {
    std::vector<Raw> tensors;
    const NameList names = clip_names(4, 12, 1, 14, 257);
    for (const auto& [name, shape] : names)
        for (int part = 0; part < 3; ++part) {
            const bool split = is_split(Component::clip, Layout::diffusers, name);
            const auto other = layout_name(Component::clip, Layout::diffusers, name, part);
            if (!other || (part > 0 && !split)) continue;
            std::vector<std::int64_t> one = shape, rows(shape.size(), 1);
            if (split) one[0] /= 3;
            if (name == "visual.cls_embedding") one = {4};
            if (name == "visual.pos_embedding") one = {257, 4};
            if ((!split && name != "visual.patch_embedding.weight") || !name.ends_with(".weight")) {
                tensors.push_back(zeros(*other, one, "BF16"));
                continue;
            }
            rows[0] = one[0];
            tensors.push_back(counting(*other + "._data", one));
            tensors.push_back(f32(*other + "._scale", rows, 1));
        }
    // This weight is unused, and so is its scale.
    tensors.push_back(counting("visual_projection.weight._data", {4, 4}));
    tensors.push_back(f32("visual_projection.weight._scale", {4, 1}, 1));
    const Weights w = load_bytes(safetensors(tensors));
    EXPECT_EQ(w.component(), Component::clip);
    EXPECT_EQ(w.find("visual_projection.weight"), nullptr);
    const Weight& joined = *w.find("visual.transformer.0.attn.to_qkv.weight");
    EXPECT_EQ(joined.shape(), (Shape{12, 4}));
    EXPECT_EQ(values_of(joined)[16 + 15], 15 * 4.0f); // the last value of k
    const Weight& patch = *w.find("visual.patch_embedding.weight");
    EXPECT_EQ(patch.stored().dtype(), DType::i8);
    EXPECT_EQ(values_of(patch)[3 * 14 * 14 + 1], static_cast<float>(static_cast<std::int8_t>(3 * 14 * 14 + 1)) * 2.0f);
}

TEST(Quanto, HalvesThatDoNotFit) {
    const Raw data = counting(numbers, {8, 8}), factors = f32(scale, {8, 1}, 1);
    EXPECT_TRUE(has(refused({data}), numbers + ": its scale is missing"));
    EXPECT_TRUE(has(refused({factors}), "weight is missing"));
    EXPECT_TRUE(has(refused({data, f32(scale, {7, 1}, 1)}), "does not fit"));
    EXPECT_TRUE(has(refused({data, f32(scale, {1, 8}, 1)}), "does not fit"));
    EXPECT_TRUE(has(refused({data, f32(scale, {0, 8}, 1)}), "does not fit"));
    // Other schemes have a scale for each block like this.
    EXPECT_TRUE(has(refused({data, f32(scale, {8, 2}, 1)}), "scaled by `" + scale));
    EXPECT_TRUE(has(refused({data, f32(scale, {8, 1, 1, 1, 1, 1, 1, 1, 1}, 1)}), "9 axes"));
    // Reading accepts it; the network will ask for another shape.
    EXPECT_EQ(refused({counting(numbers, {0, 8}), f32(scale, {0, 1}, 1)}), "accepted");
    EXPECT_TRUE(has(refused({data, zeros(scale, {8, 1}, "I32")}), "not floating point"));
    EXPECT_TRUE(has(refused({data, counting(scale, {8, 1})}), "not floating point"));
    for (const float value : {std::numeric_limits<float>::infinity(), std::nanf("")})
        EXPECT_TRUE(has(refused({data, Raw{scale, "F32", {}, le(value)}}), "not finite"));
    // The layer is there twice, whole and quantised.
    const std::string twice = refused({data, factors, zeros(layer + ".weight", {8, 8}, "BF16")});
    EXPECT_TRUE(has(twice, "the same tensor is there as")) << twice;
    EXPECT_TRUE(has(refused({data, factors, f32(layer + ".weight_scale", {8, 1}, 1)}), "the same tensor is there as"));
    EXPECT_TRUE(has(refused({data, factors, f32(layer + ".scale_weight", {8, 1}, 1)}), "the same tensor is there as"));
}

/// The scale of the outputs alone does not tell the weight.
TEST(Quanto, AScaleOfOutputsIsNoneOfNumbers) {
    const std::string said =
        refused({zeros(layer + ".weight", {8, 8}, "F8_E4M3"), f32(layer + ".output_scale", {}, 1)});
    EXPECT_TRUE(has(said, "scaled by `" + layer + ".output_scale")) << said;
}

/// Halves of two different schemes make no weight.
TEST(Quanto, ScalesOfAnotherScheme) {
    for (const char* leaf : {".weight_scale", ".scale_weight"}) {
        const Raw other = f32(layer + leaf, {8, 1}, 1);
        EXPECT_TRUE(has(refused({counting(numbers, {8, 8}), other}), "scaled by `" + layer + leaf)) << leaf;
        EXPECT_TRUE(has(refused({counting(layer + ".weight", {8, 8}), other}), "quantised as int8")) << leaf;
    }
    for (const char* type : {"F8_E4M3", "I8", "U8"}) {
        const std::string said = refused({counting(layer + ".weight", {8, 8}, type), f32(scale, {8, 1}, 1)});
        EXPECT_TRUE(has(said, "scaled by `" + scale)) << type << ": " << said;
    }
    EXPECT_TRUE(has(refused({zeros(layer + ".weight", {8, 8}, "BF16"), f32(scale, {8, 1}, 1)}), "scaled by"));
    EXPECT_TRUE(has(refused({counting(layer + ".weight", {8, 8})}), "quantised as int8"));
}

TEST(Quanto, OtherKindsAreRefusedByName) {
    const std::vector<Raw> few{counting(numbers + "._data", {4, 8}, "U8"), f32(scale, {8, 1}, 1),
                               f32(layer + ".weight._shift", {8, 1}, 1)};
    EXPECT_TRUE(has(refused(few), "quanto in 4 or 2 bits"));
    EXPECT_TRUE(has(refused({counting(numbers, {8, 8}), f32(scale, {8, 1}, 1), few[2]}), "quanto in 4 or 2 bits"));
    for (const char* type : {"U8", "BF16", "I32"}) {
        const TempFolder folder;
        write_bytes(folder / "x", file({zeros(numbers, {8, 8}, type), f32(scale, {8, 1}, 1)}));
        EXPECT_TRUE(has(test::refusal([&] { load(folder / "x"); }), std::string("quanto as ") + type)) << type;
        const Inspection said = inspect(folder / "x");
        ASSERT_EQ(said.warnings.size(), 1u);
        EXPECT_TRUE(has(said.warnings[0], std::string("quanto as ") + type));
    }
}

/// A folder as Wan2GP keeps it.
TEST(Quanto, AModelFolder) {
    const TempFolder folder;
    write_bytes(folder / "wan2.1_text2video_14B_quanto_mbf16_int8.safetensors",
                safetensors(quantised(transformer_names(tiny_transformer()))));
    write_bytes(folder / "umt5-xxl/models_t5_umt5-xxl-enc-quanto_int8.safetensors",
                safetensors(quantised(umt5_names(20, 6, 12, 2, 2))));
    write_bytes(folder / "umt5-xxl/tokenizer.json", "{}");
    write_bytes(folder / "Wan2.1_VAE.safetensors", vae_file());
    for (const fs::path& path : {folder.path(), folder / "wan2.1_text2video_14B_quanto_mbf16_int8.safetensors"}) {
        const ModelFolder m = ModelFolder::open(path);
        EXPECT_EQ(m.family, Family::wan);
        EXPECT_EQ(m.unread, "");
        EXPECT_EQ(m.missing, Names{});
        EXPECT_EQ(names_of(m.text_encoder), Names{"models_t5_umt5-xxl-enc-quanto_int8.safetensors"});
    }
    // A file that can be read counts before a larger one that cannot.
    std::vector<Raw> few = zero_tensors(umt5_names(20, 6, 12, 2, 2));
    few.push_back(zeros("blocks.0.attn.q.weight._data._data", {4000}, "U8"));
    write_bytes(folder / "umt5-xxl/models_t5_umt5-xxl-enc-quanto_int4.safetensors", safetensors(few));
    EXPECT_EQ(names_of(ModelFolder::open(folder.path()).text_encoder),
              Names{"models_t5_umt5-xxl-enc-quanto_int8.safetensors"});
    const Inspection said = inspect(folder / "wan2.1_text2video_14B_quanto_mbf16_int8.safetensors");
    EXPECT_EQ(said.variant, "t2v");
    EXPECT_EQ(said.warnings, Names{});
    EXPECT_EQ(said.config["num_layers"], tiny_transformer().layers);
    EXPECT_TRUE(said.dtypes.contains("i8"));
}

TEST(Quanto, Convert) {
    const TempFolder folder;
    write_bytes(folder / "in", safetensors(quantised(transformer_names(tiny_transformer()))));
    const Weights before = load(folder / "in");
    const auto converted = [&](const ConvertOptions& options) {
        convert(folder / "in", folder / "out.safetensors", options);
        return load(folder / "out.safetensors");
    };
    const Weights wide = converted({});
    for (const auto& [name, w] : before.all()) {
        const Weight& other = *wide.find(name);
        EXPECT_EQ(other.stored().dtype(), w.scale ? DType::f32 : DType::bf16) << name;
        EXPECT_EQ(values_of(other), values_of(w)) << name;
    }
    const Weights narrow = converted({.dtype = DType::bf16});
    EXPECT_EQ(narrow.find(layer + ".weight")->stored().dtype(), DType::bf16);
    EXPECT_EQ(values_of(*narrow.find(layer + ".weight"))[59], round_to_bf16(59 * 8.0f));
    const Weights fp8 = converted({.quantize = DType::f8_e4m3});
    EXPECT_EQ(fp8.find(layer + ".weight")->stored().dtype(), DType::f8_e4m3);
    EXPECT_NEAR(values_of(*fp8.find(layer + ".weight"))[59], 59 * 8.0f, 59 * 0.5f);
}

/// In a network that is not known the halves stay as they are, and no other type is allowed.
TEST(Quanto, ConvertOfAnUnknownNetwork) {
    const TempFolder folder;
    for (const char* type : {"I8", "F8_E4M3"}) {
        write_bytes(folder / "in",
                    safetensors({counting("a.weight._data", {4, 4}, type), bf16_from_1("a.weight._scale", {4, 1})}));
        convert(folder / "in", folder / "out.safetensors", {});
        EXPECT_EQ(inspect(folder / "out.safetensors").tensors.size(), 2u);
        EXPECT_TRUE(
            has(test::refusal([&] { convert(folder / "in", folder / "out.safetensors", {.dtype = DType::f32}); }),
                "scaled by `a.weight._scale`"))
            << type;
    }
    // Halves of two schemes do not go without the scale that belongs to them.
    for (const auto& [of, other] : {std::pair{"a.weight._data", "a.scale_weight"}, {"a.weight", "a.weight._scale"}}) {
        write_bytes(folder / "in", safetensors({counting(of, {4, 4}, "F8_E4M3"), bf16_from_1(other, {4, 1})}));
        EXPECT_TRUE(
            has(test::refusal([&] { convert(folder / "in", folder / "out.safetensors", {.dtype = DType::f32}); }),
                std::string("scaled by `") + other))
            << of;
    }
}

} // namespace
} // namespace denoir
