// SPDX-License-Identifier: Apache-2.0
// Tensors whose axes a file has otherwise than the networks.
#include <gtest/gtest.h>

#include "support/gguf_writer.h"
#include "support/model_files.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

std::string refusal(const fs::path& path) {
    return test::refusal([&] { load(path); });
}

TEST(Load, FoldedPatchEmbeddingOfGgufIsUnfolded) {
    std::vector<GgufTensor> tensors = gguf_tensors(zero_tensors(transformer_names(tiny_transformer())));
    for (GgufTensor& t : tensors)
        if (t.name == "patch_embedding.weight") t.dims = {2, 2, 1, 8 * 16};
    TempFolder folder;
    write_bytes(folder / "x.gguf", gguf(tensors));
    EXPECT_EQ(load(folder / "x.gguf").find("patch_embedding.weight")->shape(), (Shape{8, 16, 1, 2, 2}));
}

/// stable-diffusion.cpp writes tensors of four axes and no original shape.
TEST(Load, FoldedConvolutionsOfAVaeInGgufAreUnfolded) {
    for (const NameList& list : {vae21_names(2, 2), vae22_names(2, 2, 2)})
        for (const std::string prefix : {"", "first_stage_model."}) {
            std::vector<GgufTensor> tensors =
                gguf_tensors(zero_tensors(list, "F16", [&](const std::string& n) { return prefix + n; }));
            for (GgufTensor& t : tensors)
                if (t.dims.size() == 5) t.dims[3] *= t.dims[4], t.dims.pop_back();
            TempFolder folder;
            write_bytes(folder / "vae.gguf", gguf(tensors));
            const Weights w = load(folder / "vae.gguf");
            EXPECT_TRUE(is_vae(w.component()));
            EXPECT_NO_THROW(w.require(shapes(list)));
            // Weights and biases lie in two files, as shards and under any names.
            std::vector<GgufTensor> weights, biases;
            for (const GgufTensor& t : tensors) (t.name.ends_with(".bias") ? biases : weights).push_back(t);
            for (const auto& [one, other] : {std::pair("vae-00001-of-00002.gguf", "vae-00002-of-00002.gguf"),
                                             std::pair("weights.gguf", "biases.gguf")}) {
                TempFolder apart;
                write_bytes(apart / one, gguf(weights));
                write_bytes(apart / other, gguf(biases));
                EXPECT_NO_THROW(load(apart.path()).require(shapes(list))) << one;
            }
            for (GgufTensor& t : tensors) // in rows, and no shape tells of what
                if (t.dims.size() == 4 && t.name.ends_with(".weight"))
                    t.dims = {t.dims[0] * t.dims[1] * t.dims[2], t.dims[3]};
            write_bytes(folder / "rows.gguf", gguf(tensors));
            EXPECT_TRUE(has(refusal(folder / "rows.gguf"), "is a folded convolution"));
        }
}

/// rCM's patch embedding is a linear layer over the values of a patch.
TEST(Load, APatchEmbeddingOfTwoAxesGetsItsOther) {
    const NameList list = transformer_names(tiny_transformer());
    std::vector<Raw> tensors = zero_tensors(list);
    for (Raw& t : tensors)
        if (t.name == "patch_embedding.weight") t.shape = {t.shape[0], product(t.shape) / t.shape[0]};
    TempFolder folder;
    write_bytes(folder / "x.safetensors", safetensors(tensors));
    EXPECT_NO_THROW(load(folder / "x.safetensors").require(shapes(list)));
}

/// ggml's tools drop leading axes of one, so that [1, 6, 8] is written as rows of 8.
TEST(Load, LeadingAxesOfOneThatGgufDroppedComeBack) {
    TransformerSize size = tiny_transformer();
    size.in = 36, size.clip = 10, size.positions = 514;
    std::vector<GgufTensor> tensors = gguf_tensors(zero_tensors(transformer_names(size)));
    for (GgufTensor& t : tensors)
        while (t.dims.size() > 1 && t.dims.back() == 1) t.dims.pop_back();
    TempFolder folder;
    write_bytes(folder / "x.gguf", gguf(tensors));
    EXPECT_NO_THROW(load(folder / "x.gguf").require(shapes(transformer_names(size))));
}

TEST(Load, QuantisedNormsAndPatchEmbeddingsOfGgufAreWidened) {
    TransformerSize size = tiny_transformer();
    size.dim = 64, size.ffn = 96;
    const NameList list = transformer_names(size);
    std::vector<GgufTensor> tensors = gguf_tensors(zero_tensors(list));
    std::vector<std::string> pairs;
    // Every element is 0.5.
    const auto quantise = [&](GgufTensor& t, std::vector<std::uint64_t> dims) {
        std::uint64_t elements = 1;
        for (const std::uint64_t n : dims) elements *= n;
        t.dims = std::move(dims), t.type = 8, t.data.clear();
        for (std::uint64_t block = 0; block < elements / 32; ++block)
            t.data += le(std::uint16_t{0x3800}) + std::string(32, '\x01');
    };
    for (GgufTensor& t : tensors) {
        if (t.name == "blocks.0.self_attn.norm_q.weight") quantise(t, t.dims);
        if (t.name != "patch_embedding.weight") continue;
        std::string shape = le(std::uint32_t{5}) + le(static_cast<std::uint64_t>(t.dims.size()));
        std::uint64_t elements = 1;
        for (std::size_t i = t.dims.size(); i-- > 0; elements *= t.dims[i]) shape += le(static_cast<int>(t.dims[i]));
        quantise(t, {32, elements / 32});
        pairs.push_back(gguf_pair("comfy.gguf.orig_shape." + t.name, 9, shape));
    }
    TempFolder folder;
    write_bytes(folder / "x.gguf", gguf(tensors, pairs));
    const Weights w = load(folder / "x.gguf");
    EXPECT_NO_THROW(w.require(shapes(list)));
    for (const char* name : {"blocks.0.self_attn.norm_q.weight", "patch_embedding.weight"}) {
        const Tensor t = w.find(name)->stored();
        ASSERT_EQ(t.dtype(), DType::f32) << name;
        for (const float v : t.span<float>()) ASSERT_EQ(v, 0.5f) << name;
    }
}

} // namespace
} // namespace denoir
