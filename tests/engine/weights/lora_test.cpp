// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/lora.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "engine/backend/weight_changes.h"
#include "engine/core/error.h"
#include "engine/core/mapped_file.h"
#include "engine/weights/weights.h"
#include "support/name_lists.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

constexpr std::int64_t dim = 24, rank = 2;
constexpr const char* query = "blocks.0.self_attn.q";

/// A transformer of zeros with LoRA files beside it.
class LoraTest : public ::testing::Test {
protected:
    LoraTest() {
        TransformerSize size = tiny_transformer();
        size.dim = dim;
        write_bytes(folder_ / "model.safetensors", safetensors(zero_tensors(transformer_names(size), "F32")));
    }
    Weights model() const {
        const fs::path file = folder_ / "model.safetensors";
        return Weights::load(std::span(&file, 1), Component::transformer);
    }
    Lora lora(const std::vector<Raw>& tensors, double strength = 1, std::string_view name = "lora.safetensors",
              const std::string& metadata = "") const {
        write_bytes(folder_ / name, safetensors(tensors, metadata));
        return {folder_ / name, strength};
    }
    /// What the LoRA adds to the first element of a tensor.
    double first(const Lora& l, const std::string& tensor = std::string(query) + ".weight",
                 Expert expert = Expert::none) const {
        Weights weights = model();
        add_lora(weights, l, expert);
        const Weight& w = *weights.find(tensor);
        float value = 0;
        ChangedRows(w.changes, DType::f32, false).add(0, w.stored().elements() / w.shape()[0], 0, 1, &value);
        return value;
    }
    std::string refusal(const Lora& l) const {
        return test::refusal([&] {
            Weights weights = model();
            add_lora(weights, l, Expert::none);
        });
    }
    std::vector<std::string> warnings(const Lora& l) const { return check_lora(model(), l, Expert::none); }

    TempFolder folder_;
};

/// The two halves of a LoRA, full of ones, so that each change is `rank`; `module`, `a` and `b` give the spelling.
std::vector<Raw> pair(const std::string& module, const std::string& a, const std::string& b, std::int64_t columns = dim,
                      std::int64_t rows = dim) {
    const auto ones = [](std::string name, std::vector<std::int64_t> shape) {
        Raw t = zeros(std::move(name), std::move(shape));
        t.data.clear();
        for (std::int64_t i = 0; i < product(t.shape); ++i) t.data += le(1.0f);
        return t;
    };
    return {ones(module + a, {rank, columns}), ones(module + b, {rows, rank})};
}
std::vector<Raw> plain(const std::string& module = query) { return pair(module, ".lora_A.weight", ".lora_B.weight"); }
Raw number(std::string name, float value) {
    Raw t = zeros(std::move(name), {});
    t.data = le(value);
    return t;
}

TEST_F(LoraTest, EverySpellingReachesTheSameTensor) {
    struct Spelling {
        std::string module, down, up;
    };
    for (const Spelling& s :
         {Spelling{"blocks.0.self_attn.q", ".lora_A.weight", ".lora_B.weight"},
          {"diffusion_model.blocks.0.self_attn.q", ".lora_down.weight", ".lora_up.weight"},
          {"model.diffusion_model.blocks.0.self_attn.q", ".lora.down.weight", ".lora.up.weight"},
          {"base_model.model.blocks.0.self_attn.q", ".lora_A.default.weight", ".lora_B.default.weight"},
          {"base_model.model.diffusion_model.blocks.0.self_attn.q", ".lora_A", ".lora_B"},
          {"pipe.dit.blocks.0.self_attn.q", ".lora_A.weight", ".lora_B.weight"},
          {"lora_unet_blocks_0_self_attn_q", ".lora_down.weight", ".lora_up.weight"},
          {"lora_unet__blocks_0_self_attn_q", ".lora_down.weight", ".lora_up.weight"},
          {"lycoris_blocks_0_self_attn_q", ".lora_down.weight", ".lora_up.weight"},
          {"transformer.blocks.0.attn1.to_q", ".lora_A.weight", ".lora_B.weight"},
          {"blocks.0.attn1.to_q", "_lora.down.weight", "_lora.up.weight"},
          {"lora_unet_blocks_0_attn1_to_q", ".lora_down.weight", ".lora_up.weight"},
          {"lora_unet_blocks_0.self_attn.q", ".lora_down.weight", ".lora_up.weight"},
          {"lora_transformer_blocks_0_attn1_to_q", ".lora_down.weight", ".lora_up.weight"},
          {"diffusion_model.blocks.0.self_attn.q", ".lora_A.style.weight", ".lora_B.style.weight"},
          {"model.blocks.0.self_attn.q", ".lora_A.weight", ".lora_B.weight"},
          {"unet.blocks.0.attn1.to_q", ".lora_linear_layer.down.weight", ".lora_linear_layer.up.weight"},
          {"lora_unet__blocks_0_self_attn_q", ".lora_down", ".lora_up"},
          {"net.blocks.0.self_attn.q", ".lora_A.weight", ".lora_B.weight"},
          {"_orig_mod.blocks.0.self_attn.q", ".lora_A.weight", ".lora_B.weight"},
          {"base_model.model._orig_mod.net.blocks.0.self_attn.q", ".lora_A.default.weight", ".lora_B.default.weight"},
          {"diffusion_model.blocks.0._orig_mod.self_attn.q", ".lora_down.weight", ".lora_up.weight"},
          {"lora_unet_blocks_0__orig_mod_self_attn_q", ".lora_down.weight", ".lora_up.weight"},
          {"lora_unet__orig_mod_blocks_0_self_attn_q", ".lora_down.weight", ".lora_up.weight"}})
        EXPECT_EQ(first(lora(pair(s.module, s.down, s.up))), double(rank)) << s.module << s.down;
}

TEST_F(LoraTest, TheTwoLayoutsSwapTheNamesOfTheNorms) {
    // The norm that has numbers is norm3 in the originals and norm2 in diffusers.
    EXPECT_EQ(first(lora({f32("blocks.0.norm3.diff", {dim}, 3)}), "blocks.0.norm3.weight"), 3);
    EXPECT_EQ(first(lora({f32("transformer.blocks.0.norm2.diff", {dim}, 3)}), "blocks.0.norm3.weight"), 3);
}

TEST_F(LoraTest, StrengthAlphaAndDifferences) {
    auto tensors = plain();
    EXPECT_EQ(first(lora(tensors, -0.5)), -0.5 * rank);
    tensors.push_back(number(std::string(query) + ".alpha", 8));
    EXPECT_EQ(first(lora(tensors, 0.5)), 0.5 * 8); // is multiplied by rank and divided by rank
    tensors.back().dtype = "I64";
    tensors.back().data = le(std::int64_t{6});
    EXPECT_EQ(first(lora(tensors)), 6);
    tensors.back() = number(std::string(query) + ".alpha", 3e38f);
    EXPECT_TRUE(has(refusal(lora(tensors, 100)), "out of range"));
    tensors.back() = number(std::string(query) + ".alpha", 0);
    EXPECT_EQ(first(lora(tensors)), double(rank));
    EXPECT_EQ(
        first(lora({f32("diffusion_model.blocks.0.self_attn.q.diff_b", {dim}, 5)}, 2), "blocks.0.self_attn.q.bias"),
        10);
    EXPECT_EQ(first(lora({f32("blocks.0.self_attn.q.lora_B.bias", {dim}, 5)}), "blocks.0.self_attn.q.bias"), 5);
    EXPECT_EQ(first(lora({f32("blocks.0.diff_m", {1, 6, dim}, 7)}), "blocks.0.modulation"), 7);
    EXPECT_EQ(first(lora({f32("head.modulation.diff", {1, 2, dim}, 7)}), "head.modulation"), 7);
    EXPECT_EQ(first(lora({f32("blocks.0.self_attn.norm_q.w_norm", {dim}, 7)}), "blocks.0.self_attn.norm_q.weight"), 7);
}

TEST_F(LoraTest, AWeightIsReplacedWhateverTheStrength) {
    const std::string matrix = std::string(query) + ".weight";
    /// The first row of a weight that is not zero, read as backends do after the LoRA was added.
    const auto first_row = [&](const Lora& l, DType stored, bool scaled) {
        std::vector<float> values(dim * dim), row(dim);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5f + 0.25f * float(i % 3);
        Tensor in_file = Tensor::host({dim, dim}, stored);
        from_f32(stored, values.data(), in_file.raw(), std::ssize(values));
        std::map<std::string, Weight, std::less<>> all;
        all.emplace(matrix, Weight(matrix, in_file));
        Tensor scale = Tensor::host({dim}, DType::f32);
        for (std::int64_t i = 0; i < dim; ++i) scale.data<float>()[i] = 2.0f + float(i);
        if (scaled) all.at(matrix).scale = scale;
        Weights weights(Component::transformer, std::move(all), Json::object(), "made");
        add_lora(weights, l, Expert::none);
        to_f32(stored, in_file.raw(), row.data(), dim);
        for (float& v : row) v *= scaled ? 2.0f : 1.0f;
        ChangedRows(weights.find(matrix)->changes, stored, scaled).add(0, dim, 0, dim, row.data());
        return row;
    };
    std::vector<Raw> tensors{f32("diffusion_model." + std::string(query) + ".set_weight", {dim, dim}, 3)};
    std::vector<float> wanted(dim);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = 3.0f + float(i);
    for (const double strength : {1.0, 0.5, -2.0})
        for (const DType stored : {DType::f32, DType::bf16, DType::f8_e4m3})
            EXPECT_EQ(first_row(lora(tensors, strength), stored, stored == DType::f8_e4m3), wanted) << strength;
    for (Raw& half : plain()) tensors.push_back(half); // what is added to the weight counts as before
    EXPECT_EQ(first_row(lora(tensors, 0.5), DType::f32, false)[0], 3 + 0.5 * rank);
    EXPECT_TRUE(
        has(refusal(lora({f32(matrix.substr(0, matrix.size() - 7) + ".set_weight", {dim, dim + 1})})), "another size"));
}

// LoraConfig tells alpha where no tensor does; diffusers stores it in the file, and peft beside it.
TEST_F(LoraTest, PeftsConfigSaysAlpha) {
    const auto with = [&](const std::vector<Raw>& tensors, std::string json) {
        for (std::size_t at = 0; (at = json.find('"', at)) != std::string::npos; at += 2) json.insert(at, 1, '\\');
        return lora(tensors, 1, "lora.safetensors", fmt::format(R"({{"lora_adapter_metadata": "{}"}})", json));
    };
    const auto tensors = plain(std::string("transformer.") + query);
    // The change is multiplied by rank and divided by rank.
    EXPECT_EQ(first(with(tensors, R"({"transformer.lora_alpha": 6, "transformer.r": 2})")), 6);
    EXPECT_EQ(first(with(tensors, R"({"lora_alpha": 6, "r": 2})")), 6);
    EXPECT_NEAR(first(with(tensors, R"({"lora_alpha": 6, "use_rslora": true})")), 6 * std::sqrt(2.0), 1e-5);
    EXPECT_EQ(first(with(tensors, R"({"lora_alpha": 6, "alpha_pattern": {"attn.q": 1, "self_attn.q": 8, "k": 3}})")),
              8);
    EXPECT_EQ(first(with(tensors, R"({"transformer.rank_pattern": {}})")), double(rank));
    EXPECT_EQ(first(with(tensors, R"({"lora_alpha": null})")), double(rank));
    EXPECT_TRUE(has(refusal(with(tensors, R"({"lora_alpha": 6, "alpha_pattern": {"self_attn.q": "8"}})")),
                    "alpha_pattern.self_attn.q: must be a number"));
    EXPECT_TRUE(has(refusal(with(tensors, R"({"lora_alpha": "6"})")), "lora_alpha: must be a number"));
    EXPECT_TRUE(has(refusal(with(tensors, "{")), "lora_adapter_metadata: the text ends"));
    EXPECT_TRUE(has(refusal(with(tensors, "[6]")), "lora_adapter_metadata: is not a JSON object"));
    // Every pattern in it is compared with every layer, so its length is limited.
    EXPECT_TRUE(has(refusal(with(tensors, R"({"lora_alpha": 6, "r": ")" + std::string(1 << 20, 'x') + R"("})")),
                    "lora_adapter_metadata: is too long"));
    auto both = tensors; // an alpha in a tensor counts first
    both.push_back(number(std::string("transformer.") + query + ".alpha", 4));
    EXPECT_EQ(first(with(both, R"({"lora_alpha": 6})")), 4);
    EXPECT_EQ(first(with(both, R"({"lora_alpha": 6, "use_rslora": true})")),
              4); // trainers that write such a tensor do not know rslora
    both = tensors;
    both.push_back(f32(std::string("transformer.") + query + ".lora_B.bias", {dim}, 5));
    // Biases are multiplied by alpha / rank, too.
    EXPECT_EQ(first(with(both, R"({"lora_alpha": 6})"), "blocks.0.self_attn.q.bias"), 15);

    write_bytes(folder_ / "adapter_config.json", R"({"peft_type": "LORA", "r": 2, "lora_alpha": 6})");
    EXPECT_EQ(first(lora(tensors)), double(rank)); // the file beside it belongs to adapter_model.safetensors alone
    const Lora peft = lora(tensors, 1, "adapter_model.safetensors");
    EXPECT_EQ(first(peft), 6);
    EXPECT_EQ(peft_config_of(peft.file), folder_ / "adapter_config.json");
    write_bytes(folder_ / "adapter_config.json", R"({"lora_alpha": [6]})");
    EXPECT_TRUE(has(refusal(peft), "adapter_config.json: lora_alpha: must be a number"));
    // Ignoring a file that cannot be read would change the result.
    std::filesystem::remove(folder_ / "adapter_config.json");
    std::filesystem::create_symlink("adapter_config.json", folder_ / "adapter_config.json");
    EXPECT_TRUE(has(refusal(peft), "adapter_config.json: symbolic links lead in a circle"));
}

// Some LoRAs are as large as the model, so their pages are mapped and the system may take them back.
TEST_F(LoraTest, StaysInItsFile) {
    Weights weights = model();
    add_lora(weights,
             lora({zeros("blocks.0.self_attn.q.lora_A.weight", {rank, dim}, "BF16"),
                   zeros("blocks.0.self_attn.q.lora_B.weight", {dim, rank}, "BF16"),
                   zeros("blocks.0.self_attn.k.diff", {dim, dim}, "F16")}),
             Expert::none);
    const WeightChange& low = weights.find("blocks.0.self_attn.q.weight")->changes.at(0);
    const WeightChange& whole = weights.find("blocks.0.self_attn.k.weight")->changes.at(0);
    EXPECT_EQ(low.up.dtype(), DType::bf16);
    for (const Tensor& t : {low.up, low.down, whole.difference})
        EXPECT_TRUE(dynamic_cast<const MappedFile*>(t.buffer().get()));
}

TEST_F(LoraTest, WhatTheModelLacksIsLeftOutWithAWarning) {
    auto tensors = plain();
    EXPECT_TRUE(warnings(lora(tensors)).empty());
    for (Raw& t : plain("blocks.0.cross_attn.k_img")) tensors.push_back(t);
    for (Raw& t : plain("blocks.99.self_attn.q")) tensors.push_back(t);
    ASSERT_EQ(warnings(lora(tensors)).size(), 1u);
    EXPECT_TRUE(has(warnings(lora(tensors))[0], "4 of its tensors are for layers that this model does not have"));
    EXPECT_TRUE(has(refusal(lora(plain("blocks.99.self_attn.q"))), "none of its layers is in this model"));
    EXPECT_TRUE(has(refusal(lora({f32("blocks.0.self_attn.q.weight", {dim, dim})})), "holds no LoRA"));
}

TEST_F(LoraTest, AFewOfAnotherSizeAreLeftOutAndMostAreRefused) {
    auto tensors = pair(query, ".lora_A.weight", ".lora_B.weight", 32, 32);
    EXPECT_TRUE(has(refusal(lora(tensors)), "another size"));
    for (const char* other : {"blocks.0.self_attn.k", "blocks.0.self_attn.v"})
        for (Raw& t : plain(other)) tensors.push_back(t);
    ASSERT_EQ(warnings(lora(tensors)).size(), 1u);
    EXPECT_TRUE(has(warnings(lora(tensors))[0], "another size"));
    EXPECT_EQ(first(lora(tensors)), 0);
    EXPECT_EQ(first(lora(tensors), "blocks.0.self_attn.k.weight"), double(rank));
}

TEST_F(LoraTest, HostileFilesAreRefused) {
    auto half = plain();
    half.pop_back();
    EXPECT_TRUE(has(refusal(lora(half)), "no second half"));
    auto twice = plain();
    for (Raw& t : plain(std::string("diffusion_model.") + query)) twice.push_back(t);
    EXPECT_TRUE(has(refusal(lora(twice)), "says the same as"));
    auto numbers = plain();
    numbers[1].data.replace(0, 4, le(std::numeric_limits<float>::quiet_NaN()));
    EXPECT_TRUE(has(refusal(lora(numbers)), "not finite"));
    auto alpha = plain();
    alpha.push_back(number(std::string(query) + ".alpha", std::numeric_limits<float>::infinity()));
    EXPECT_TRUE(has(refusal(lora(alpha)), "not finite"));
    alpha.back() = f32(std::string(query) + ".alpha", {2});
    EXPECT_TRUE(has(refusal(lora(alpha)), "one number"));
    alpha.back() = {std::string(query) + ".alpha", "U8", {}, "\4"};
    EXPECT_TRUE(has(refusal(lora(alpha)), "one number"));
    alpha.back() = {std::string(query) + ".alpha", "I64", {}, le(std::int64_t{4})};
    EXPECT_EQ(first(lora(alpha)), 4);
    auto whole = plain();
    for (const char* type : {"I32", "NEW4"}) {
        for (Raw& t : whole) t.dtype = type;
        EXPECT_TRUE(has(refusal(lora(whole)), type));
    }
    const auto thick = [](std::int64_t r) { // a rank higher than the matrix can have
        return std::vector<Raw>{zeros("blocks.0.self_attn.q.lora_A.weight", {r, dim}),
                                zeros("blocks.0.self_attn.q.lora_B.weight", {dim, r})};
    };
    EXPECT_EQ(refusal(lora(thick(dim))), "accepted");
    EXPECT_TRUE(has(refusal(lora(thick(dim + 1))), "another size"));
    const auto halves = [](std::int64_t down, std::int64_t up) {
        return std::vector<Raw>{zeros("blocks.0.self_attn.q.lora_A.weight", {down, dim}),
                                zeros("blocks.0.self_attn.q.lora_B.weight", {dim, up})};
    };
    EXPECT_TRUE(has(refusal(lora(halves(5, 4))), "has a rank of 4"));
    EXPECT_TRUE(has(refusal(lora(halves(0, 0))), "has a rank of 0"));
    for (const char* other : {"blocks.0.self_attn.q.dora_scale", "blocks.0.self_attn.q.hada_w1_a",
                              "blocks.0.self_attn.q.lokr_w1", "blocks.0.self_attn.q.oft_blocks",
                              "blocks.0.self_attn.q.lora_magnitude_vector", "blocks.0.self_attn.q.lora_mid.weight"}) {
        auto tensors = plain();
        tensors.push_back(f32(other, {dim}));
        EXPECT_TRUE(has(refusal(lora(tensors)), "not known here")) << other;
    }
    write_bytes(folder_ / "cut.safetensors", safetensors(plain()).substr(0, 100));
    EXPECT_NE(refusal({folder_ / "cut.safetensors"}), "accepted");
    EXPECT_NE(refusal({folder_ / "missing.safetensors"}), "accepted");
}

TEST_F(LoraTest, EachExpertHasItsOwn) {
    EXPECT_TRUE(is_for({"style.safetensors"}, Expert::low));
    EXPECT_TRUE(is_for({"style_high_noise.safetensors"}, Expert::high));
    EXPECT_FALSE(is_for({"style_high_noise.safetensors"}, Expert::low));
    EXPECT_TRUE(is_for({"style_high_noise.safetensors"}, Expert::none));
    EXPECT_FALSE(is_for({"Wan2.2-Lightning_T2V-A14B-4steps-lora_HIGH_fp16.safetensors"}, Expert::low));
    EXPECT_FALSE(is_for({"Wan2.2-Lightning_T2V-A14B-4steps-lora_LOW_fp16.safetensors"}, Expert::high));
    for (const char* high : {"smoothMixI2V_i2vHigh.safetensors", "wan22OralHigh_v10.safetensors",
                             "BounceHighWan2_2.safetensors", "NSFW-22-H-e8.safetensors", "loras/style_H.safetensors"})
        EXPECT_TRUE(is_for({high}, Expert::high) && !is_for({high}, Expert::low)) << high;
    for (const char* low :
         {"smoothMixWan22I2VT2V_i2vLow.safetensors", "NSFW-22-L-e8.safetensors", "style.L.lora.safetensors"})
        EXPECT_TRUE(is_for({low}, Expert::low) && !is_for({low}, Expert::high)) << low;
    EXPECT_TRUE(is_for({"NSFW-22-L-e8.safetensors"}, Expert::none));
    for (const char* both : {"slow_motion.safetensors", "highlights.safetensors", "low_and_high.safetensors",
                             "HighRes-v2.safetensors", "low_poly_style.safetensors", "High Quality.safetensors",
                             "HighHeels.safetensors", "high_heels_v2.safetensors", "wan22HighHeelsV2.safetensors",
                             "HighSchoolUniform.safetensors", "H_and_L.safetensors", "style-h-e8.safetensors",
                             "H264.safetensors", "MaHLer.safetensors", "Samuel_L_Jackson_v2.safetensors"})
        EXPECT_TRUE(is_for({both}, Expert::low) && is_for({both}, Expert::high)) << both;
    // diffusers keeps both experts' changes in one file.
    auto both = plain(std::string("transformer.") + query);
    for (Raw& t : plain("transformer_2.blocks.0.self_attn.k")) both.push_back(t);
    const std::string k = "blocks.0.self_attn.k.weight", q = std::string(query) + ".weight";
    EXPECT_EQ(first(lora(both), q, Expert::high), double(rank));
    EXPECT_EQ(first(lora(both), k, Expert::high), 0);
    EXPECT_EQ(first(lora(both), q, Expert::low), 0);
    EXPECT_EQ(first(lora(both), k, Expert::low), double(rank));
    const std::string said =
        R"({"lora_adapter_metadata": "{\"transformer.lora_alpha\": 6, \"transformer_2.lora_alpha\": 10}"})";
    const Lora with_alphas = lora(both, 1, "lora.safetensors", said);
    EXPECT_EQ(first(with_alphas, q, Expert::high), 6); // is multiplied by rank and divided by rank
    EXPECT_EQ(first(with_alphas, k, Expert::low), 10);
    // So does ai-toolkit, in names of its own.
    both = plain(std::string("diffusion_model.transformer_1.") + query);
    for (Raw& t : plain("diffusion_model.transformer_2.blocks.0.self_attn.k")) both.push_back(t);
    EXPECT_EQ(first(lora(both), q, Expert::high), double(rank));
    EXPECT_EQ(first(lora(both), k, Expert::high), 0);
    EXPECT_EQ(first(lora(both), q, Expert::low), 0);
    EXPECT_EQ(first(lora(both), k, Expert::low), double(rank));
    EXPECT_EQ(first(lora(both), q), double(rank)); // Wan 2.1 takes the first half and warns
    ASSERT_EQ(warnings(lora(both)).size(), 1u);
    EXPECT_TRUE(has(warnings(lora(both))[0], "low-noise expert"));
    // A file with one half changes nothing in the other expert.
    const auto half = plain("transformer_2.blocks.0.self_attn.k");
    EXPECT_EQ(first(lora(half), k, Expert::low), double(rank));
    EXPECT_EQ(first(lora(half), k, Expert::high), 0);
    EXPECT_TRUE(has(refusal(lora(half)), "none of its layers is in this model"));
}

TEST_F(LoraTest, TwoWhoseNamesDifferOnlyInTheExpertAreAPair) {
    const auto told = [](const char* one, const char* other) {
        std::vector<Lora> two{{one}, {other}};
        tell_pairs_apart(two);
        return std::pair(two[0].expert, two[1].expert);
    };
    using Pair = std::pair<std::optional<Expert>, std::optional<Expert>>;
    const Pair pair{Expert::high, Expert::low}, neither;
    EXPECT_EQ(told("style_h.safetensors", "style_l.safetensors"), pair);
    EXPECT_EQ(told("style-h-v2.safetensors", "style-l-v2.safetensors"), pair);
    EXPECT_EQ(told("a/high/model.safetensors", "a/low/model.safetensors"), pair);
    EXPECT_EQ(told("fresh.safetensors", "fresl.safetensors"), neither); // the letter is no word of its own
    EXPECT_EQ(told("style_h.safetensors", "other_l.safetensors"), neither);
    EXPECT_EQ(told("style_h.safetensors", "style_h.safetensors"), neither);
    EXPECT_EQ(told("style_H.safetensors", "style_L.safetensors"), neither); // their names alone say it
}

TEST_F(LoraTest, TheExpertFollowsFromNameFolderOrRequest) {
    const fs::path high = "high_noise/pytorch_lora_weights.safetensors", heels = "high_castle.safetensors";
    EXPECT_TRUE(is_for({high}, Expert::high) && !is_for({high}, Expert::low));
    EXPECT_TRUE(is_for({"style-HN-v2.safetensors"}, Expert::high) && !is_for({"style-HN-v2.safetensors"}, Expert::low));
    EXPECT_FALSE(is_for({"style_ln.safetensors"}, Expert::high));
    EXPECT_TRUE(is_for({"shn.safetensors"}, Expert::low) && is_for({"shn.safetensors"}, Expert::high));
    // If the name means something else, the request can say so.
    EXPECT_FALSE(is_for({heels}, Expert::low));
    EXPECT_TRUE(is_for({heels, 1, Expert::none}, Expert::low) && is_for({heels, 1, Expert::none}, Expert::high));
    EXPECT_TRUE(is_for({heels, 1, Expert::low}, Expert::low) && !is_for({heels, 1, Expert::low}, Expert::high));
    EXPECT_TRUE(is_for({heels, 1, Expert::low}, Expert::none));
    const auto said = [&](const char* name, std::optional<Expert> expert) {
        Lora one = lora(plain(), 1, name);
        one.expert = expert;
        Weights weights = model();
        const auto all = add_lora(weights, one, Expert::high);
        return all.empty() ? std::string() : all[0];
    };
    EXPECT_TRUE(has(said("high_castle.safetensors", {}), "expert alone"));
    EXPECT_TRUE(has(said("style-H-e8.safetensors", {}), "high-noise expert alone"));
    EXPECT_TRUE(has(said("high_castle_LOW.safetensors", {}), "does not say by its name which expert"));
    EXPECT_TRUE(has(said("style.safetensors", {}), "changes both"));
    EXPECT_EQ(said("style.safetensors", Expert::none), "");
    EXPECT_EQ(said("high_castle.safetensors", Expert::none), "");
    EXPECT_EQ(said("style_high_noise.safetensors", {}), "");
}

TEST(WeightChanges, TheSumIsRoundedOnceToTheStoredType) {
    WeightChange change;
    change.difference = Tensor::host({1, 3});
    std::fill_n(change.difference.data<float>(), 3, 0.001f);
    const std::vector<WeightChange> two{change, change};
    const auto sum = [&](DType stored, bool scaled) {
        float values[3] = {1, 1, 1};
        ChangedRows(two, stored, scaled).add(0, 3, 0, 3, values);
        return values[1];
    };
    EXPECT_FLOAT_EQ(sum(DType::f32, false), 1.002f);
    EXPECT_EQ(sum(DType::bf16, false), round_to_bf16(1.002f));
    EXPECT_NEAR(sum(DType::f16, false), 1.002f, 0.0005f);
    EXPECT_NE(sum(DType::f16, false), sum(DType::f32, false));
    EXPECT_FLOAT_EQ(sum(DType::f8_e4m3, true), 1.002f); // fp8 could not hold the sum
    EXPECT_FLOAT_EQ(sum(DType::q4_k, false), 1.002f);
}

TEST(WeightChanges, AreReadInTheTypeOfTheirFile) {
    const auto stored = [](DType type, Shape shape) {
        Tensor out = Tensor::host(shape, type);
        for (std::int64_t i = 0; i < out.elements(); ++i) {
            const float value = float(i % 7) - 3;
            from_f32(type, &value, out.raw() + i * element_bytes(type), 1);
        }
        return out;
    };
    constexpr std::int64_t columns = 600; // wider than one piece
    for (const DType type : {DType::f32, DType::bf16, DType::f16, DType::f64}) {
        WeightChange whole, product;
        whole.difference = stored(type, {3, columns});
        product.up = stored(type, {3, 2}), product.down = stored(type, {2, columns});
        const std::vector<WeightChange> two{whole, product};
        std::vector<float> values(columns);
        ChangedRows(two, DType::f32, false).add(1, columns, 0, columns, values.data());
        for (std::int64_t i = 0; i < columns; ++i)
            ASSERT_EQ(values[static_cast<std::size_t>(i)], float((columns + i) % 7 - 3) + (2 - 3) * float(i % 7 - 3) +
                                                               (3 - 3) * float((columns + i) % 7 - 3))
                << info(type).name << " " << i;
    }
}

TEST(WeightChanges, RanksThatAreNoMultipleOfFour) {
    for (const std::int64_t r : {1, 3, 4, 5, 11}) {
        WeightChange change;
        change.up = Tensor::host({2, r}), change.down = Tensor::host({r, 7});
        change.factor = 0.5f;
        double wanted[7] = {};
        for (std::int64_t k = 0; k < r; ++k) {
            change.up.data<float>()[k] = 9;
            change.up.data<float>()[r + k] = float(k) - 2;
            for (int i = 0; i < 7; ++i) {
                change.down.data<float>()[k * 7 + i] = float(i * k + 1);
                wanted[i] += 0.5 * (double(k) - 2) * (i * double(k) + 1);
            }
        }
        float values[4] = {};
        ChangedRows({&change, 1}, DType::f32, false).add(1, 7, 2, 6, values);
        for (int i = 0; i < 4; ++i) EXPECT_NEAR(values[i], wanted[i + 2], 1e-4) << r;
    }
}

} // namespace
} // namespace denoir
