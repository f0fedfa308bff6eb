// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "engine/metrics/trace_comparison.h"
#include "tests/engine/sanitized.h"

namespace denoir::metrics {
namespace {

Tensor of(std::vector<float> values, Shape shape) { return Tensor::from(values, shape); }

Tensor as(DType dtype, const Tensor& x) {
    Tensor out = Tensor::host(x.shape(), dtype);
    from_f32(dtype, x.data<float>(), out.raw(), x.elements());
    return out;
}

TEST(TensorDifference, IsWhatItsWordsSay) {
    const Tensor a = of({1, 2, 3, -4}, {2, 2}), b = of({1, 2.5, 3, -6}, {2, 2});
    const TensorDifference d = difference(a, b);
    EXPECT_DOUBLE_EQ(d.max_abs, 2);
    EXPECT_DOUBLE_EQ(d.mean_abs, 2.5 / 4);
    EXPECT_DOUBLE_EQ(d.mean_norm, 12.5 / 4);
    EXPECT_DOUBLE_EQ(d.normalised(), 2 / (12.5 / 4));
    EXPECT_DOUBLE_EQ(d.relative(), std::sqrt(4.25 / (1 + 6.25 + 9 + 36)));
    EXPECT_NEAR(d.cosine, (1 + 5 + 9 + 24) / std::sqrt(30.0 * 52.25), 1e-12);
    EXPECT_EQ(d.worst, 3);
    EXPECT_EQ(d.worst_a, -4);
    EXPECT_EQ(d.worst_b, -6);
}

TEST(TensorDifference, AnyDtypeStridesAndAxesOfOne) {
    const Tensor x = of({0.5, -1.25, 2, 4, 8, 16}, {2, 3});
    EXPECT_EQ(difference(as(DType::bf16, x), x).max_abs, 0);
    EXPECT_EQ(difference(as(DType::f16, x), as(DType::f64, x)).max_abs, 0);
    EXPECT_EQ(difference(x.unsqueeze(0), x).max_abs, 0);
    const Tensor turned = x.permute({1, 0}), same = of({0.5, 4, -1.25, 8, 2, 16}, {3, 2});
    EXPECT_EQ(difference(turned, same).max_abs, 0);
    EXPECT_TRUE(difference(turned, same).same_bits);
    EXPECT_FALSE(difference(turned, of({0.5, 4, -1.25, 8, 2, 17}, {3, 2})).same_bits);
    const auto ids_of = [](std::int64_t last) { // f32 cannot tell these numbers apart
        Tensor t = Tensor::host({2, 2}, DType::i64);
        for (int i = 0; i < 4; ++i) t.data<std::int64_t>()[i] = i < 3 ? i : last;
        return t;
    };
    for (const bool strided : {false, true}) {
        const auto seen = [&](const Tensor& t) { return strided ? t.permute({1, 0}) : t; };
        const TensorDifference d = difference(seen(ids_of(1 << 30)), seen(ids_of((1 << 30) + 1)));
        EXPECT_EQ(d.max_abs, 0);
        EXPECT_FALSE(d.same_bits) << strided;
    }
    EXPECT_TRUE(comparable({1, 2, 1, 3}, {2, 3}));
    EXPECT_FALSE(comparable({3, 2}, {2, 3}));
    EXPECT_EQ(difference(Tensor::host({0, 4}), Tensor::host({0, 4})).elements, 0);
    Tensor ids = Tensor::host({2}, DType::i64);
    ids.data<std::int64_t>()[0] = 7, ids.data<std::int64_t>()[1] = 250000;
    EXPECT_EQ(difference(ids, of({7, 250001}, {2})).max_abs, 1);
}

/// Large tensors are read block by block, and some are widened or gathered first.
TEST(TensorDifference, EveryBlockOfALargeTensor) {
    constexpr std::int64_t rows = 3, columns = 100'000;
    std::vector<float> values(std::size_t(rows * columns));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i % 251);
    const Tensor a = of(values, {rows, columns});
    values.back() += 1;
    const Tensor b = of(values, {rows, columns});
    for (const auto& [x, y] : {std::pair{a, b}, {as(DType::bf16, a), as(DType::bf16, b)}, {as(DType::f16, a), b}}) {
        const TensorDifference d = difference(x, y);
        EXPECT_EQ(d.worst, rows * columns - 1);
        EXPECT_EQ(d.error_squares, 1);
        EXPECT_FALSE(d.same_bits);
    }
    const TensorDifference turned = difference(a.permute({1, 0}), b.permute({1, 0}));
    EXPECT_EQ(turned.worst, rows * columns - 1);
    EXPECT_EQ(turned.error_squares, 1);
    EXPECT_TRUE(difference(a, a).same_bits);
    const TensorDifference zeros = difference(of({0, 1}, {2}), of({-0.0f, 1}, {2}));
    EXPECT_EQ(zeros.max_abs, 0);
    EXPECT_FALSE(zeros.same_bits);
}

TEST(TensorDifference, NaNAndInfinityOnOneSideAloneAreCounted) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const TensorDifference same = difference(of({1, nan, inf, -inf}, {4}), of({1, nan, inf, -inf}, {4}));
    EXPECT_EQ(same.not_finite, 0);
    EXPECT_EQ(same.both_not_finite, 3);
    EXPECT_EQ(same.relative(), 0);
    const TensorDifference other = difference(of({nan, 2, inf, 1}, {4}), of({1, 2, -inf, 1}, {4}));
    EXPECT_EQ(other.not_finite, 2);
    EXPECT_TRUE(std::isinf(other.normalised()));
    const TensorDifference zero = difference(of({0, 1}, {2}), of({0, 0}, {2}));
    EXPECT_TRUE(std::isinf(zero.relative()));
    EXPECT_EQ(difference(of({0, 0}, {2}), of({0, 0}, {2})).cosine, 1);
}

TEST(PairHistograms, CountEveryValueOnce) {
    std::vector<float> x, y;
    for (int i = 0; i < 1000; ++i) x.push_back(float(i) / 1000), y.push_back(x.back() + (i % 2 ? 0 : 5e-3f));
    x.push_back(std::numeric_limits<float>::quiet_NaN()), y.push_back(0);
    const PairHistograms h = histograms(of(x, {1001}), of(y, {1001}), 10);
    std::uint64_t a = 0, b = 0, errors = h.equal;
    for (const auto n : h.a) a += n;
    for (const auto n : h.b) b += n;
    for (const auto n : h.error) errors += n;
    EXPECT_EQ(a, 1000u);
    EXPECT_EQ(b, 1000u);
    EXPECT_EQ(errors, 1000u);
    EXPECT_EQ(h.equal, 500u);
    EXPECT_EQ(h.not_finite, 1u);
    EXPECT_EQ(h.error[std::size_t(-3 - h.error_low)], 500u); // from 1e-3 to 1e-2
    EXPECT_EQ(h.low, 0);
}

TEST(PairHistograms, DifferencesOfAnySizeHaveTheirDecade) {
    for (const float scale : {1e-30f, 1e-12f, 1e-5f, 1.0f, 1e12f, 1e37f}) {
        const PairHistograms h = histograms(of({1, 2, scale, 0}, {4}), of({1, 2, 3 * scale, 0}, {4}));
        const int decade = int(std::lround(std::log10(scale))); // the decade of 2 · scale
        ASSERT_TRUE(decade >= h.error_low && decade < h.error_low + int(h.error.size())) << scale;
        EXPECT_EQ(h.error[std::size_t(decade - h.error_low)], 1u) << scale;
    }
    const PairHistograms far = histograms(of({0, 0}, {2}), of({1e-12f, 1}, {2}));
    EXPECT_EQ(far.error.front(), 1u); // smaller ones count in the lowest decade
}

TEST(TraceKey, ComesApart) {
    const TraceKey k = parse_trace_key("transformer/step_012/uncond/blocks.3.self_attn.q");
    EXPECT_EQ(k.component, "transformer");
    EXPECT_EQ(k.layer, "blocks.3.self_attn.q");
    EXPECT_EQ(k.branch, "uncond");
    EXPECT_EQ(k.step, 12);
    EXPECT_EQ(k.column(), "step 12 uncond");
    EXPECT_EQ(k.row(), "transformer/blocks.3.self_attn.q");
    EXPECT_EQ(parse_trace_key("vae_encoder/condition/frame_004/conv1").frame, 4);
    EXPECT_EQ(parse_trace_key("blocks.0").row(), "blocks.0");
    EXPECT_EQ(parse_trace_key("a/step_x/step_-1/b").branch, "step_x/step_-1");
    EXPECT_EQ(parse_trace_key("").layer, "");
    EXPECT_EQ(parse_trace_key("/").layer, "");
    EXPECT_EQ(parse_trace_key("a//b").layer, "b");
}

/// A comparison of layers with these relative errors, each a tensor of 100 values.
TraceComparison made_of(const std::vector<std::pair<std::string, double>>& errors, DType dtype = DType::f32) {
    TraceComparison c;
    for (const auto& [key, error] : errors) {
        LayerError l;
        l.key = key;
        l.parts = parse_trace_key(key);
        l.difference.dtype_a = l.difference.dtype_b = dtype;
        l.difference.elements = 100;
        l.difference.norm_squares = 100, l.difference.mean_norm = 1;
        l.difference.error_squares = 100 * error * error, l.difference.max_abs = 2 * error;
        c.layers.push_back(l);
    }
    analyse(c);
    return c;
}

std::string first_of(const TraceComparison& c) { return c.first ? c.layers[*c.first].key : "none"; }

TEST(Analyse, AnErrorThatIsOnlyPassedOnIsNobodysFault) {
    const TraceComparison c = made_of({{"transformer/step_001/cond/patch_embedding", 1e-7},
                                       {"transformer/step_001/cond/blocks.0.norm1", 2e-7},
                                       {"transformer/step_001/cond/blocks.0.self_attn.input", 2e-7},
                                       {"transformer/step_001/cond/blocks.0.self_attn.q", 2e-2},
                                       {"transformer/step_001/cond/blocks.0.self_attn.k", 3e-7},
                                       {"transformer/step_001/cond/blocks.0.self_attn.o.input", 1e-2},
                                       {"transformer/step_001/cond/blocks.0", 1e-2},
                                       {"transformer/step_001/cond/blocks.1.norm1", 1.3e-2}});
    EXPECT_EQ(first_of(c), "transformer/step_001/cond/blocks.0.self_attn.q");
    for (const LayerError& l : c.layers) EXPECT_EQ(l.generated, l.parts.layer == "blocks.0.self_attn.q") << l.key;
    EXPECT_NE(c.verdict.find("blocks.0.self_attn.q of transformer (step 1 cond)"), std::string::npos) << c.verdict;
}

TEST(Analyse, LayersThatAreNotTracedArePassedOver) {
    // Only whole blocks are traced, so the input of block 2 is block 1.
    const TraceComparison c = made_of({{"transformer/step_001/cond/blocks.0", 1e-7},
                                       {"transformer/step_001/cond/blocks.1", 3e-3},
                                       {"transformer/step_001/cond/blocks.2", 4e-3},
                                       {"transformer/step_001/cond/head", 5e-3},
                                       {"transformer/step_001/cond/velocity", 5e-3},
                                       {"sampler/step_001/velocity", 6e-3},
                                       {"sampler/step_001/latent", 2e-3},
                                       {"transformer/step_002/cond/patch_embedding", 2e-3}});
    EXPECT_EQ(first_of(c), "transformer/step_001/cond/blocks.1");
    EXPECT_EQ(std::count_if(c.layers.begin(), c.layers.end(), [](const LayerError& l) { return l.generated; }), 1);
}

/// If all blocks make as much of an error, it is what such a layer does. One that makes more has an error of its own.
TEST(Analyse, TheSameLayerInOtherBlocksTellsWhatIsUsual) {
    const auto generated = [](double usual, double of_one) {
        std::vector<std::pair<std::string, double>> errors;
        for (int block = 0; block < 5; ++block) {
            errors.emplace_back(fmt::format("blocks.{}.in", block), 1e-4);
            errors.emplace_back(fmt::format("blocks.{}.out", block), block == 2 ? of_one : usual);
        }
        std::vector<std::string> keys;
        for (const LayerError& l : made_of(errors).layers)
            // With blocks.0.in the error comes in.
            if (l.generated && l.key != "blocks.0.in") keys.push_back(l.key);
        return keys;
    };
    EXPECT_EQ(generated(7e-4, 7e-4), std::vector<std::string>());
    EXPECT_EQ(generated(7e-4, 7e-3), std::vector<std::string>{"blocks.2.out"});
    // No correct layer makes an error fifty times larger, so here all are wrong.
    EXPECT_EQ(generated(5e-3, 5e-3).size(), 5u);
}

TEST(Analyse, UnknownNamesFollowEachOther) {
    EXPECT_EQ(first_of(made_of({{"a", 1e-7}, {"b", 1e-7}, {"c", 1e-2}, {"d", 1.2e-2}})), "c");
    EXPECT_EQ(first_of(made_of({{"a", 0}, {"b", 0}})), "none");
    EXPECT_EQ(made_of({{"a", 0}}).verdict, "The only tensor is equal to the bit.");
    TraceComparison none = made_of({{"a", 0}, {"b", 1}});
    none.layers[1].difference.norm_squares = 0;
    analyse(none);
    EXPECT_TRUE(none.verdict.starts_with("The error begins in b: its result is 0 throughout in B alone (f32)."))
        << none.verdict;
    EXPECT_EQ(made_of({}).verdict, "The two traces have no layer in common.");
}

/// If an input is 0 throughout on one side, nobody can say how much of its error is passed on.
TEST(Analyse, NobodyIsBlamedBehindAnInfiniteError) {
    TraceComparison c = made_of({{"a", 0}, {"b", 1}, {"c", 5e-3}}, DType::bf16);
    for (LayerError& l : c.layers) {
        l.difference.shape = {100, 1};
        l.difference.shared_squares = l.difference.error_squares;
    }
    c.layers[1].difference.norm_squares = 0;
    analyse(c);
    EXPECT_EQ(first_of(c), "b");
    EXPECT_FALSE(c.layers[2].generated) << c.layers[2].inherited;
    // "a" is equal on both sides and now 0 throughout.
    std::swap(c.layers[1].difference.norm_squares, c.layers[0].difference.norm_squares);
    c.layers[1].difference.error_squares = c.layers[1].difference.shared_squares = 0;
    analyse(c);
    EXPECT_EQ(first_of(c), "c");
}

TEST(Analyse, OnlyWhatIsEqualToTheBitIsIdentical) {
    TraceComparison c = made_of({{"a", 0}, {"b", 0}});
    EXPECT_TRUE(c.identical());
    c.layers[1].difference.same_bits = false;
    analyse(c);
    EXPECT_FALSE(c.identical());
    EXPECT_EQ(c.verdict, "All 2 tensors are equal in value as f32; what is stored differs first in b.");
    c.layers[1].difference.dtype_b = DType::bf16;
    analyse(c);
    EXPECT_EQ(c.verdict, "All 2 tensors are equal in value. Dtypes part first at b: f32 in A, bf16 in B.");
    c = made_of({{"a", 0}});
    c.only_a = {"z"};
    analyse(c);
    EXPECT_FALSE(c.identical());
    EXPECT_EQ(c.verdict, "The only tensor is equal to the bit. Not compared: 1 in A alone, 0 in B alone.");
}

constexpr double slower = test::sanitized ? 10 : 1;

/// In the VAE and the image encoder a name does not tell which layer came before, and looking for that must not take
/// longer with each layer.
TEST(Analyse, ManyLayersTakeNoLonger) {
    for (const auto& [before, after] :
         {std::pair{"vae_decoder/b/x", ".norm.residual.0"}, {"transformer/step_1/b", "/img_emb.proj.0"}}) {
        std::vector<std::pair<std::string, double>> layers;
        for (int i = 0; i < 20000; ++i) layers.emplace_back(before + std::to_string(i) + after, 1e-3);
        const std::clock_t begin = std::clock();
        EXPECT_TRUE(made_of(layers).begins);
        EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 5 * slower) << before;
    }
}

TEST(Analyse, BlocksThatAreNotThereTakeNoLonger) {
    std::vector<std::pair<std::string, double>> layers;
    for (int i = 0; i < 40'000; ++i)
        layers.emplace_back("transformer/step_" + std::to_string(i) + "/cond/blocks.999999.norm2", 1e-3);
    const std::clock_t begin = std::clock();
    EXPECT_TRUE(made_of(layers).begins);
    EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 10 * slower);
}

TEST(Analyse, FramesOfALayerCountTogether) {
    const TraceComparison c = made_of({{"vae_decoder/frame_000/conv2", 1e-7},
                                       {"vae_decoder/frame_000/decoder.conv1", 1e-7},
                                       {"vae_decoder/frame_000/decoder.middle.0.residual.0", 1e-7},
                                       {"vae_decoder/frame_001/conv2", 1e-7},
                                       {"vae_decoder/frame_001/decoder.conv1", 1e-7},
                                       {"vae_decoder/frame_001/decoder.middle.0.residual.0", 1e-3}});
    EXPECT_EQ(first_of(c), "vae_decoder/frame_001/decoder.middle.0.residual.0");
    EXPECT_FALSE(c.layers[2].generated) << "this frame is equal";
}

/// Such a layer runs for the first time with the second latent frame, after all layers of the first.
TEST(Analyse, TemporalConvolutionsStandInTheirLevel) {
    const TraceComparison encoder = made_of({{"vae_encoder/first/frame_000/encoder.downsamples.1", 1e-7},
                                             {"vae_encoder/first/frame_000/encoder.downsamples.2.resample.1", 1e-7},
                                             {"vae_encoder/first/frame_000/encoder.downsamples.3.residual.0", 1e-7},
                                             {"vae_encoder/first/frame_000/encoder.downsamples.3.residual.6", 1e-7},
                                             {"vae_encoder/first/frame_001/encoder.downsamples.1", 1e-7},
                                             {"vae_encoder/first/frame_001/encoder.downsamples.2.resample.1", 1e-7},
                                             {"vae_encoder/first/frame_001/encoder.downsamples.2.time_conv", 1e-2},
                                             {"vae_encoder/first/frame_001/encoder.downsamples.3.residual.0", 1e-2},
                                             {"vae_encoder/first/frame_001/encoder.downsamples.3.residual.6", 1e-2}});
    EXPECT_EQ(first_of(encoder), "vae_encoder/first/frame_001/encoder.downsamples.2.time_conv");
    const auto made = [](const TraceComparison& c) {
        return std::count_if(c.layers.begin(), c.layers.end(), [](const LayerError& l) { return l.generated; });
    };
    EXPECT_EQ(made(encoder), 1);
    const auto decoder = [](double block, double first, double second) {
        return made_of({{"vae_decoder/frame_000/decoder.upsamples.2", block},
                        {"vae_decoder/frame_000/decoder.upsamples.3.resample.1", block},
                        {"vae_decoder/frame_000/decoder.head.2", block},
                        {"vae_decoder/frame_001/decoder.upsamples.2", block},
                        {"vae_decoder/frame_001/decoder.upsamples.3.time_conv", first},
                        {"vae_decoder/frame_001/decoder.upsamples.3.resample.1", second},
                        {"vae_decoder/frame_001/decoder.head.2", second}});
    };
    EXPECT_EQ(first_of(decoder(1e-7, 1e-2, 1e-2)), "vae_decoder/frame_001/decoder.upsamples.3.time_conv");
    EXPECT_EQ(first_of(decoder(1e-7, 1e-7, 1e-2)), "vae_decoder/frame_001/decoder.upsamples.3.resample.1");
    EXPECT_EQ(made(decoder(1e-7, 1e-2, 1e-2)), 1);
    // With the first frame its input passes by it unchanged.
    EXPECT_EQ(made(decoder(1e-2, 1e-7, 1e-2)), 2);
}

/// In traces of PyTorch, where the hooks see only the models.
TEST(Analyse, LatentsThatAreNotTracedCarryWhatTheTransformerMade) {
    const TraceComparison c = made_of({{"transformer/step_001/cond/patch_embedding", 1e-7},
                                       {"transformer/step_001/cond/blocks.0", 3e-3},
                                       {"transformer/step_001/cond/velocity", 5e-3},
                                       {"transformer/step_002/cond/patch_embedding", 2e-3},
                                       {"transformer/step_002/cond/blocks.0", 5e-3},
                                       {"transformer/step_002/cond/velocity", 6e-3},
                                       {"vae_decoder/frame_000/conv2", 4e-3}});
    EXPECT_EQ(first_of(c), "transformer/step_001/cond/blocks.0");
    EXPECT_EQ(std::count_if(c.layers.begin(), c.layers.end(), [](const LayerError& l) { return l.generated; }), 1);
    for (const LayerError& l : made_of({{"transformer/step_001/cond/blocks.0", 3e-3},
                                        {"transformer/step_001/uncond/blocks.0", 2e-3},
                                        {"sampler/step_001/velocity", 4e-3},
                                        {"sampler/step_001/latent", 4e-3}})
                                   .layers)
        // These layers were selected without the velocity.
        EXPECT_EQ(l.generated, l.parts.component == "transformer") << l.key;
    EXPECT_EQ(first_of(made_of({{"text_encoder/uncond/norm", 1e-2}, {"sampler/step_001/velocity", 1e-3}})),
              "text_encoder/uncond/norm");
    EXPECT_FALSE(
        made_of({{"text_encoder/uncond/norm", 1e-2}, {"sampler/step_001/velocity", 1e-3}}).layers[1].generated);
    EXPECT_EQ(first_of(made_of({{"vae_encoder/condition/latent", 1e-2}, {"sampler/step_001/velocity", 1e-3}})),
              "vae_encoder/condition/latent");
    EXPECT_EQ(first_of(made_of({{"transformer/step_001/cond/patch_embedding", 1e-2}})),
              "transformer/step_001/cond/patch_embedding");
}

TEST(Analyse, WhatNoLayerMakesIsGiven) {
    for (const char* key : {"sampler/step_000/latent", "text_encoder/cond/tokens", "image_encoder/first/pixels",
                            "transformer/step_002/cond/time_embedding.input"})
        EXPECT_EQ(made_of({{key, 0.25}}).verdict.find("The two differ in what they are given: "), 0u) << key;
    EXPECT_EQ(made_of({{"sampler/step_001/latent", 0.25}}).verdict.find("The error begins in latent"), 0u);
}

TEST(PointwiseDifference, IsThatOfTheResults) {
    const Tensor a[] = {of({10, 1, 0, 0}, {4}), of({0, 1, 2, 3}, {4})};
    const Tensor b[] = {of({10, 0.9F, 0, 0}, {4}), of({0.5, 1, 2, 3}, {4})};
    EXPECT_NEAR(pointwise_difference(Pointwise::product, a, b), std::sqrt(25 + 0.01) / std::sqrt(25 + 0.81), 1e-6);
    EXPECT_EQ(pointwise_difference(Pointwise::product, b, b), 0);
    const auto silu = [](double x) { return x / (1 + std::exp(-x)); };
    const auto gelu = [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); };
    const Tensor x[] = {of({-4, 1}, {2})}, y[] = {of({-3, 1}, {2})};
    EXPECT_NEAR(pointwise_difference(Pointwise::silu, x, y), (silu(-4) - silu(-3)) / std::hypot(silu(-3), silu(1)),
                1e-7);
    EXPECT_NEAR(pointwise_difference(Pointwise::gelu, x, y), (gelu(-4) - gelu(-3)) / std::hypot(gelu(-3), gelu(1)),
                1e-7);
}

TEST(Analyse, PointwiseLayersAreKnown) {
    using Names = std::vector<std::string>;
    const auto inputs = [](const char* component, const char* layer) {
        const auto found = pointwise_of(component, layer);
        return found ? found->inputs : Names();
    };
    EXPECT_EQ(inputs("text_encoder", "blocks.3.ffn.fc2.input"), (Names{"blocks.3.ffn.gate.1", "blocks.3.ffn.fc1"}));
    EXPECT_EQ(inputs("text_encoder", "blocks.3.ffn.gate.1"), Names{"blocks.3.ffn.gate.0"});
    EXPECT_EQ(inputs("transformer_low", "blocks.3.ffn.1"), Names{"blocks.3.ffn.0"});
    EXPECT_EQ(inputs("image_encoder", "visual.transformer.1.mlp.1"), Names{"visual.transformer.1.mlp.0"});
    EXPECT_EQ(inputs("vae_decoder", "decoder.head.1"), Names{"decoder.head.0"});
    EXPECT_EQ(inputs("vae_encoder", "encoder.middle.0.residual.4"), Names{"encoder.middle.0.residual.3"});
    for (const char* layer : {"blocks.3.ffn.fc2", "blocks.3.ffn.0", "blocks.3", "velocity"})
        EXPECT_EQ(inputs("transformer", layer), Names()) << layer;
}

TEST(Analyse, PointwiseLayersMayMultiplyErrors) {
    TraceComparison c = made_of({{"text_encoder/cond/blocks.0.ffn.gate.1", 1e-6},
                                 {"text_encoder/cond/blocks.0.ffn.fc1", 1e-6},
                                 {"text_encoder/cond/blocks.0.ffn.fc2.input", 1e-3}});
    EXPECT_EQ(first_of(c), "text_encoder/cond/blocks.0.ffn.fc2.input");
    c.layers[2].passed = 0.9e-3;
    analyse(c);
    EXPECT_EQ(first_of(c), "none");
    c.layers[2].passed = 1e-5;
    analyse(c);
    EXPECT_EQ(first_of(c), "text_encoder/cond/blocks.0.ffn.fc2.input");
}

TEST(Analyse, NamesOfAFileStayText) {
    const std::string verdict = made_of({{"transformer/\x1b[31mred/a\nb" + std::string(500, 'x'), 0.5}}).verdict;
    EXPECT_EQ(verdict.find_first_of("\x1b\n"), std::string::npos) << verdict;
    EXPECT_LT(verdict.size(), 700u);
}

TEST(Analyse, NamesOfManyDigits) {
    const std::clock_t begin = std::clock();
    EXPECT_TRUE(made_of({{"transformer/step_001/cond/a" + std::string(400'000, '1'), 0.5}}).begins);
    EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 2);
}

TEST(ErrorText, HasTwoDigits) {
    EXPECT_EQ(error_text(0), "0");
    EXPECT_EQ(error_text(1.24e-5), "1.2e-05");
    EXPECT_EQ(error_text(0.0949), "9.5e-02");
    EXPECT_EQ(error_text(0.0961), "0.10");
    EXPECT_EQ(error_text(0.94), "0.94");
    EXPECT_EQ(error_text(4.44), "4.4");
    EXPECT_EQ(error_text(25.7), "26");
    EXPECT_EQ(error_text(3e7), "3.0e+07");
    EXPECT_EQ(error_text(std::numeric_limits<double>::infinity()), "∞");
}

TEST(Analyse, RoundingToBf16IsNoError) {
    std::vector<std::pair<std::string, double>> errors;
    for (int i = 0; i < 8; ++i)
        errors.emplace_back("transformer/step_001/cond/blocks." + std::to_string(i), 2e-3 + 3e-4 * i);
    TraceComparison c = made_of(errors);
    EXPECT_EQ(first_of(c), "transformer/step_001/cond/blocks.0"); // in f32 this would be an error
    for (LayerError& l : c.layers) l.difference.dtype_a = DType::bf16;
    analyse(c);
    EXPECT_EQ(first_of(c), "none");
    EXPECT_TRUE(c.mixed);
    EXPECT_EQ(c.first_dtype, 0u);
}

} // namespace
} // namespace denoir::metrics
