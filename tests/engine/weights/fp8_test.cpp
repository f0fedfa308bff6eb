// SPDX-License-Identifier: Apache-2.0
// spec/checkpoints.md 6.2: what hangs on fp8 layers.
#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/quantisation.h"
#include "engine/weights/weights.h"
#include "support/name_lists.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

const std::string layer = "blocks.0.self_attn.q"; // a matrix of [8, 8]

Raw fp8(const std::string& name, std::vector<std::int64_t> shape) {
    Raw raw{name, "F8_E4M3", shape, {}};
    const std::string bytes("\x38\x3C\x01\x7E\xB8", 5); // 1, 1.5, 2^-9, 448 and -1 in fp8
    for (std::int64_t i = 0; i < product(shape); ++i) raw.data += bytes[static_cast<std::size_t>(i % 5)];
    return raw;
}

/// The tiny transformer with the layer `q` in fp8, and with further tensors.
std::string file(std::vector<Raw> more, std::string_view metadata = {}) {
    std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()), "BF16");
    for (Raw& t : tensors)
        if (t.name == layer + ".weight") t = fp8(t.name, t.shape);
    for (Raw& t : more) tensors.push_back(std::move(t));
    return safetensors(tensors, metadata);
}

Weights load(const std::string& bytes) {
    TempFolder folder;
    write_bytes(folder / "x", bytes);
    const fs::path path = folder / "x";
    return Weights::load(std::span(&path, 1), Component::transformer);
}
std::string refusal(const std::string& bytes) {
    return test::refusal([&] { load(bytes); });
}

TEST(Fp8, PlainWeightsHaveNoScale) {
    const Weights w = load(file({}));
    const Weight* q = w.find(layer + ".weight");
    EXPECT_EQ(q->stored().dtype(), DType::f8_e4m3);
    EXPECT_FALSE(q->scale.defined());
}

TEST(Fp8, BothNamesOfTheScale) {
    for (const std::string name : {".scale_weight", ".weight_scale"})
        for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {1}}) {
            const Weights w = load(file({f32(layer + name, shape, 0.25f), zeros("scaled_fp8", {2}, "F8_E4M3"),
                                         zeros(layer + ".input_scale", {}, "F32")}));
            const Weight* q = w.find(layer + ".weight");
            ASSERT_TRUE(q->scale.defined());
            EXPECT_EQ(q->scale.rank(), 0);
            EXPECT_EQ(q->scale.data<float>()[0], 0.25f);
            EXPECT_EQ(w.all().size(), transformer_names(tiny_transformer()).size());
        }
}

TEST(Fp8, ScalesPerRow) {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{8}, {8, 1}}) {
        const Weights w = load(file({f32(layer + ".scale_weight", shape, 1)}));
        const Tensor scale = w.find(layer + ".weight")->scale;
        EXPECT_EQ(scale.shape(), (Shape{8}));
        EXPECT_EQ(scale.data<float>()[7], 8.0f);
    }
}

TEST(Fp8, BlockScalesAreMultipliedIn) {
    const Weights w = load(file({f32(layer + ".scale_weight", {8, 2, 1}, 1)}));
    const Weight* q = w.find(layer + ".weight");
    EXPECT_FALSE(q->scale.defined());
    ASSERT_EQ(q->stored().dtype(), DType::f32);
    EXPECT_EQ(q->stored().data<float>()[0], 1.0f);         // row 0, block 0: the scale is 1 and the value 1
    EXPECT_EQ(q->stored().data<float>()[4], -1.0f * 2.0f); // row 0, block 1: the scale is 2 and the value -1
    EXPECT_EQ(q->stored().data<float>()[8],
              448.0f * 3.0f); // row 1, block 0: the scale is 3, and element 8 is the fourth of the pattern
    EXPECT_TRUE(has(refusal(file({f32(layer + ".scale_weight", {8, 3, 1}, 1)})), "does not fit"));
}

TEST(Fp8, ScalesThatDoNotFit) {
    EXPECT_TRUE(has(refusal(file({f32(layer + ".scale_weight", {7}, 1)})), "does not fit"));
    EXPECT_TRUE(has(refusal(file({zeros(layer + ".scale_weight", {8, 0})})), "does not fit"));
    EXPECT_TRUE(
        has(refusal(file({Raw{layer + ".scale_weight", "F32", {}, le(std::numeric_limits<float>::infinity())}})),
            "not finite"));
    EXPECT_TRUE(has(refusal(file({Raw{layer + ".scale_weight", "F32", {}, le(std::nanf(""))}})), "not finite"));
    EXPECT_TRUE(has(refusal(file({zeros(layer + ".scale_weight", {}, "I32")})), "not floating point"));
    EXPECT_TRUE(has(refusal(file({f32("blocks.0.self_attn.k.scale_weight", {}, 1)})), "not fp8"));
    EXPECT_TRUE(has(refusal(file({f32("blocks.9.self_attn.k.scale_weight", {}, 1)})), "weight is missing"));
}

/// If a weight has two scales, nobody knows which is meant.
TEST(Fp8, AScaleInTwoPartsIsRefused) {
    std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()));
    for (Raw& t : tensors)
        if (t.name == layer + ".weight") t = zeros(t.name, t.shape, "F8_E4M3");
    const auto load_with = [&](std::size_t scales) {
        TempFolder folder("x");
        std::vector<std::filesystem::path> paths;
        for (std::size_t part = 0; part < 3; ++part) {
            std::vector<Raw> some;
            for (std::size_t i = part; i < tensors.size(); i += 3) some.push_back(tensors[i]);
            if (part < scales) some.push_back(f32(layer + ".scale_weight", {}, float(1 + part)));
            paths.push_back(folder / ("part-" + std::to_string(part)));
            write_bytes(paths.back(), safetensors(some));
        }
        return test::refusal([&] { Weights::load(paths, Component::transformer); });
    };
    EXPECT_EQ(load_with(1), "accepted");
    const std::string said = load_with(2);
    EXPECT_TRUE(has(said, "the same tensor is there as " + layer + ".scale_weight in part-0")) << said;
}

TEST(Fp8, ComfyFormats) {
    const auto quant = [](const std::string& text) {
        return Raw{layer + ".comfy_quant", "U8", {static_cast<std::int64_t>(text.size())}, text};
    };
    EXPECT_EQ(refusal(file({quant(R"({"format":"float8_e4m3fn"})")})), "accepted");
    EXPECT_TRUE(has(refusal(file({quant(R"({"format":"nvfp4"})")})), "nvfp4"));
    EXPECT_TRUE(has(refusal(file({quant(R"({"format":"int8_tensorwise"})")})), "int8_tensorwise"));
    EXPECT_TRUE(has(refusal(file({quant("{")})), "x: " + layer + ".comfy_quant: the text ends too early"));
    EXPECT_TRUE(has(refusal(file({quant("{\"a\":")})), "x: " + layer + ".comfy_quant: a: the text ends too early"));
    EXPECT_TRUE(has(refusal(file({quant("[]")})), "no format"));
    EXPECT_TRUE(
        has(refusal(file({}, R"({"_quantization_metadata":"{\"layers\":{\"a\":{\"format\":\"mxfp8\"}}}"})")), "mxfp8"));
    EXPECT_TRUE(has(refusal(file({}, R"({"_quantization_metadata":"{\"layers\":"})")),
                    "x: _quantization_metadata: layers: the text"));
    EXPECT_EQ(refusal(file({}, R"({"_quantization_metadata":"{\"layers\":{\"a\":{\"format\":\"float8_e4m3fn\"}}}"})")),
              "accepted");
}

TEST(Fp8, OtherQuantisationsAreRefusedByName) {
    EXPECT_TRUE(has(refusal(file({zeros(layer + ".weight_scale_2", {}, "F32")})), "nvfp4"));
    const auto packed = [](std::vector<Raw> more) { // two numbers in each byte, and a scale for every 16
        std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()), "BF16");
        for (Raw& t : tensors)
            if (t.name == layer + ".weight") t = zeros(t.name, {8, 4}, "U8");
        for (Raw& t : more) tensors.push_back(std::move(t));
        return refusal(safetensors(tensors));
    };
    EXPECT_TRUE(has(packed({zeros(layer + ".weight_scale", {8, 1}, "F8_E4M3")}), "quantised with nvfp4"));
    EXPECT_FALSE(has(packed({}), "nvfp4")); // without scales it may be anything
    EXPECT_TRUE(has(refusal(file({zeros(layer + ".weight.absmax", {4}, "F32")})), "bitsandbytes"));
    EXPECT_TRUE(
        has(refusal(file({zeros(layer + ".weight.quant_state.bitsandbytes__nf4", {4}, "U8")})), "bitsandbytes"));
    EXPECT_TRUE(has(refusal(file({zeros(layer + ".qweight", {4}, "I32")})), "GPTQ"));
    EXPECT_TRUE(has(refusal(file({f32(layer + ".weight_scale_inv", {1, 1})})), "tiles of 128"));
    EXPECT_TRUE(has(refusal(file({f32(layer + ".weight_quantizer._scale", {1})})), "ModelOpt"));
}

/// Some writers put a prefix before the weights alone, or another one before the scales.
TEST(Fp8, ScalesUnderAnotherPrefix) {
    for (const auto& [weights, scales] : {std::pair{"model.diffusion_model.", ""}, {"", "diffusion_model."}})
        for (const char* leaf : {".scale_weight", ".weight_scale"}) {
            std::vector<Raw> tensors;
            for (Raw t : zero_tensors(transformer_names(tiny_transformer()), "BF16")) {
                if (t.name == layer + ".weight") t = fp8(t.name, t.shape);
                t.name = weights + t.name;
                tensors.push_back(t);
            }
            tensors.push_back(f32(scales + layer + leaf, {}, 0.25f));
            tensors.push_back(zeros(scales + layer + ".input_scale", {}, "F32"));
            TempFolder folder;
            const fs::path path = folder / "wan2.1_fp8.safetensors";
            write_bytes(path, safetensors(tensors));
            const ModelFolder model = ModelFolder::open(path);
            ASSERT_EQ(model.transformer.size(), 1u);
            const Weights w = Weights::load(model.transformer, Component::transformer);
            ASSERT_TRUE(w.find(layer + ".weight")->scale.defined()) << weights << scales << leaf;
            EXPECT_EQ(w.find(layer + ".weight")->scale.data<float>()[0], 0.25f);
            EXPECT_EQ(w.all().size(), transformer_names(tiny_transformer()).size());
        }
}

/// A patch embedding stored as a linear layer in fp8 has one scale for each row, which must stay right when the weight
/// gets its other axes.
TEST(Fp8, APatchEmbeddingOfTwoAxesKeepsItsScale) {
    for (const bool rows : {false, true}) {
        std::vector<Raw> tensors = zero_tensors(transformer_names(tiny_transformer()), "BF16");
        for (Raw& t : tensors)
            if (t.name == "patch_embedding.weight") t = fp8(t.name, {t.shape[0], product(t.shape) / t.shape[0]});
        tensors.push_back(rows ? f32("patch_embedding.scale_weight", {8}, 1)
                               : f32("patch_embedding.scale_weight", {}, 0.25f));
        const Weights w = load(safetensors(tensors));
        const Weight* patch = w.find("patch_embedding.weight");
        EXPECT_EQ(patch->shape(), (Shape{8, 16, 1, 2, 2}));
        const Tensor values = dequantised(patch->stored(), patch->scale);
        EXPECT_EQ(values.data<float>()[1], rows ? 1.5f : 0.375f);
        EXPECT_EQ(values.data<float>()[64 + 1], rows ? 2.0f : 0.25f); // row 1: element 65 is the first of the pattern
    }
}

/// 8-bit numbers mean nothing without their scale, whatever its name.
TEST(Fp8, NoWeightIsTakenWithoutItsScale) {
    for (const char* scale : {".scale", ".wscale"}) {
        EXPECT_TRUE(has(refusal(file({f32(layer + scale, {8, 1})})), "scaled by `" + layer + scale)) << scale;
        // The layer k is bf16 and needs no scale.
        EXPECT_EQ(refusal(file({f32("blocks.0.self_attn.k" + std::string(scale), {8, 1})})), "accepted");
    }
}

} // namespace
} // namespace denoir
