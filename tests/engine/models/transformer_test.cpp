// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/transformer.h"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/core/error.h"
#include "engine/nn/layers.h"
#include "tests/engine/models/support.h"
#include "tests/engine/refusal.h"

namespace denoir::wan {
namespace {

using test::cpu;
using test::numbered_tensor;

/// How much two products of the same rows may differ. For another number of rows a card's library adds in another
/// order.
double of_another_order() { return cpu()->device().kind == Device::Kind::cpu ? 1e-6 : 1e-5; }

/// The tiny model of spec/dit.md 11.
Config golden_config() {
    Config c;
    c.dim = 32;
    c.ffn_dim = 48;
    c.layers = c.heads = 2;
    c.in_channels = c.out_channels = 4;
    c.freq_dim = 16;
    c.text_dim = 10;
    c.text_len = 6;
    return c;
}

std::shared_ptr<const Weights> golden_weights(const Config& c) {
    return test::filled(Component::transformer, c.expected(), {{"num_heads", 2}, {"text_len", 6}},
                        test::fill_transformer);
}

/// Five rows of a prompt, followed by zeros.
Tensor golden_text() {
    Tensor text = Tensor::zeros({6, 10});
    const Tensor used = numbered_tensor(901, {5, 10});
    std::copy_n(used.data<float>(), 50, text.data<float>());
    return text;
}

struct Golden {
    const char* name;
    std::vector<float> timesteps;
    std::optional<int> fps;
    int clip_images; ///< 0, 1 or 2
    bool condition;
    std::optional<std::int64_t> causal_block;
    double first[4], middle, last, sum, absolute_sum;
};

std::vector<float> token_timesteps() {
    std::vector<float> t(18, 500.0f);
    std::fill_n(t.begin(), 6, 0.0f);
    return t;
}

const Golden goldens[] = {
    {"t2v", {500}, {}, 0, false, {}, {0.765307, 0.755510, 1.805279, -0.366782}, 1.254873, 1.402126, 1.74741, 240.76831},
    {"tokens",
     token_timesteps(),
     {},
     0,
     false,
     {},
     {0.646680, 0.547116, 1.463423, -0.418868},
     1.261875,
     1.403103,
     3.45799,
     230.77705},
    {"forcing",
     {0, 500, 999},
     {},
     0,
     false,
     {},
     {0.649495, 0.534276, 1.468642, -0.420139},
     1.258739,
     2.199432,
     9.59726,
     222.51044},
    {"causal",
     {0, 500, 999},
     {},
     0,
     false,
     1,
     {0.791402, 0.504586, 1.536103, -0.472071},
     1.250546,
     2.186603,
     9.82630,
     224.84025},
    {"fps24",
     {0, 500, 999},
     1,
     0,
     false,
     {},
     {-1.129112, 1.698320, 0.228113, 0.841872},
     -0.379348,
     -0.367314,
     28.11513,
     201.64158},
    {"fps16",
     {0, 500, 999},
     0,
     0,
     false,
     {},
     {-1.137875, 1.647628, 0.285496, 0.782422},
     -0.745571,
     -0.281612,
     28.98347,
     199.36798},
    {"i2v",
     {500},
     {},
     1,
     true,
     {},
     {0.626203, 0.723572, -0.478628, 1.075669},
     -0.383105,
     -0.248954,
     17.44370,
     197.68516},
    {"flf2v",
     {500},
     {},
     2,
     true,
     {},
     {-1.318059, -0.915195, 1.454143, 0.038535},
     1.598562,
     -1.542317,
     3.44632,
     240.38712},
    {"i2v22",
     {500},
     {},
     0,
     true,
     {},
     {1.333855, 0.330486, 0.430619, -0.884660},
     -0.376295,
     1.051768,
     11.96775,
     212.65936},
};

class TransformerGolden : public testing::TestWithParam<Golden> {};

TEST_P(TransformerGolden, MatchesTheSpecification) {
    const Golden& g = GetParam();
    Config c = golden_config();
    if (g.condition) c.in_channels = 12;
    if (g.clip_images) c.clip_dim = 1280;
    if (g.clip_images == 2) c.clip_positions = 514;
    if (g.fps) c.fps_rows = 2;
    EXPECT_EQ(c.expected().size(), g.fps ? 74u : g.clip_images == 2 ? 88u : g.clip_images ? 87u : 69u);

    const Transformer model(golden_weights(c), cpu(), {.causal_block = g.causal_block});
    const Tensor latent = numbered_tensor(900, {4, 3, 4, 6}), condition = numbered_tensor(902, {8, 3, 4, 6});
    const Tensor clip = g.clip_images == 2 ? numbered_tensor(904, {514, 1280}) : numbered_tensor(903, {257, 1280});
    const Context context = model.context(golden_text(), g.clip_images ? &clip : nullptr);
    const Tensor v =
        nn::host_f32(model.forward(latent, g.condition ? &condition : nullptr, g.timesteps, context, g.fps));

    ASSERT_EQ(v.shape(), (Shape{4, 3, 4, 6}));
    const float* out = v.data<float>();
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(out[i], g.first[i], 1e-5);
    EXPECT_NEAR(out[((1 * 3 + 1) * 4 + 2) * 6 + 3], g.middle, 1e-5);
    EXPECT_NEAR(out[((3 * 3 + 2) * 4 + 3) * 6 + 5], g.last, 1e-5);
    EXPECT_NEAR(test::sum(v), g.sum, 2e-4);
    EXPECT_NEAR(test::absolute_sum(v), g.absolute_sum, 2e-4);
}

INSTANTIATE_TEST_SUITE_P(Spec, TransformerGolden, testing::ValuesIn(goldens),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(TransformerGolden, FillOfTheSpecification) {
    EXPECT_NEAR(test::numbered_value(0, 1), -0.09165092, 1e-8);
    EXPECT_NEAR(numbered_tensor(900, {4}).data<float>()[3], 1.08016922, 1e-7);
}

/// A model that has every branch, for the tests of properties below.
struct Everything : testing::Test {
    Everything() {
        config = golden_config();
        config.in_channels = 12;
        config.clip_dim = 20;
        config.clip_positions = 514;
        config.fps_rows = 2;
        weights = test::filled(Component::transformer, config.expected(), {{"num_heads", 2}, {"text_len", 6}},
                               test::fill_transformer);
    }
    Tensor run(const Transformer& model, const Tensor& text, bool collapse = true, nn::Probe* probe = nullptr) const {
        return model.forward(latent, &condition, timesteps, model.context(text, &clip, collapse, probe), 1, probe);
    }
    Config config;
    std::shared_ptr<const Weights> weights;
    Tensor latent = numbered_tensor(900, {4, 3, 4, 6}), condition = numbered_tensor(902, {8, 3, 4, 6});
    Tensor clip = numbered_tensor(905, {514, 20});
    std::vector<float> timesteps{0, 500.25f, 999};
};

TEST_F(Everything, SameBytesForAnyThreadCount) {
    for (const Precision& precision : {Precision::f32(), Precision::wan(), Precision::skyreels()}) {
        const Tensor one = run(Transformer(weights, cpu(1), {.precision = precision}), golden_text());
        const Tensor two = run(Transformer(weights, cpu(2), {.precision = precision}), golden_text());
        EXPECT_TRUE(test::same_bytes(one, two));
        EXPECT_GT(test::absolute_sum(one), 1.0);
    }
}

TEST_F(Everything, CollapsedPaddingCountsEveryRow) {
    const Transformer model(weights, cpu(), {});
    for (const int used : {0, 1, 3, 4, 5, 6}) {
        Tensor text = Tensor::zeros({6, 10});
        const Tensor rows = numbered_tensor(906, {6, 10});
        std::copy_n(rows.data<float>(), used * 10, text.data<float>());
        if (used == 3) std::fill_n(text.data<float>() + 10, 10, 0.0f); // a row of zeros within the prompt is no padding
        const Context context = model.context(text, &clip);
        EXPECT_EQ(context.text[0].k.size(0), std::min(6, used + 1));
        EXPECT_EQ(context.key_bias.defined(), used < 5);
        // For another number of rows a card's library adds in another order.
        EXPECT_LT(test::relative_error(run(model, text), run(model, text, false)), 1e-5) << used;
    }
}

TEST_F(Everything, ContextIsComputedOnceAndUsedOften) {
    const Transformer model(weights, cpu(), {});
    const Context context = model.context(golden_text(), &clip);
    const Tensor first = model.forward(latent, &condition, timesteps, context, 1);
    const Tensor other = model.forward(condition.slice(0, 0, 4), &condition, timesteps, context, 1);
    const Tensor again = model.forward(latent, &condition, timesteps, context, 1);
    EXPECT_TRUE(test::same_bytes(first, again));
    EXPECT_FALSE(test::same_bytes(first, other));
    EXPECT_EQ(context.bytes(), 2 * 2 * (6 + 514) * 32 * sizeof(float));
}

TEST_F(Everything, TheResidualStandsForTheBlocks) {
    for (const Precision& precision : {Precision::f32(), Precision::wan(), Precision::skyreels()}) {
        const Transformer model(weights, cpu(), {.precision = precision});
        const Context context = model.context(golden_text(), &clip);
        const Tensor plain = model.forward(latent, &condition, timesteps, context, 1);
        for (int i = 0; i < 3; ++i) { // a card records the second one and replays it from the third on
            Tensor residual;
            const Tensor v = model.forward(latent, &condition, timesteps, context, 1, nullptr, &residual);
            EXPECT_LT(test::relative_error(v, plain), 1e-5) << i;
            EXPECT_EQ(residual.shape(), (Shape{3 * 2 * 3, config.dim}));
            EXPECT_EQ(residual.dtype(), precision.stream);
            // Other work in between does not change it.
            Tensor other;
            model.forward(condition.slice(0, 0, 4), &condition, timesteps, context, 1, nullptr, &other);
            const Tensor again = model.forward_reusing(latent, &condition, timesteps, residual);
            const bool f32 = precision.compute == DType::f32;
            EXPECT_LT(test::relative_error(again, plain), f32 ? 1e-5 : 2e-2) << i;
            const Tensor elsewhere = model.forward_reusing(condition.slice(0, 0, 4), &condition, timesteps, residual);
            EXPECT_GT(test::relative_error(elsewhere, plain), 1e-3);
        }
    }
}

TEST_F(Everything, TheTimeSignalKnowsTheFrameRateWhereItIsProjected) {
    const Transformer model(weights, cpu(), {});
    const std::vector<float> two{500.25f, 0};
    const Tensor e = model.time_signal(two, 1, false), e0 = model.time_signal(two, 1, true);
    EXPECT_EQ(e.shape(), (Shape{2, config.dim}));
    EXPECT_EQ(e0.shape(), (Shape{2, 6 * config.dim}));
    EXPECT_TRUE(test::same_bytes(e, model.time_signal(two, 0, false)));
    EXPECT_FALSE(test::same_bytes(e0, model.time_signal(two, 0, true)));
    EXPECT_LT(test::relative_error(model.time_signal(std::span(two).first(1), 1, true), e0.slice(0, 0, 1)),
              of_another_order());
}

TEST_F(Everything, AnotherPromptSharesTheImage) {
    const Transformer model(weights, cpu(), {});
    const Tensor other = numbered_tensor(907, {6, 10});
    const Context whole = model.context(other, &clip);
    const Context shared = model.context(other, model.context(golden_text(), &clip));
    const auto run_with = [&](const Context& c) { return model.forward(latent, &condition, timesteps, c, 1); };
    EXPECT_TRUE(test::same_bytes(run_with(whole), run_with(shared)));
}

TEST_F(Everything, WeightsOfTheContextLeaveTheBackendAndComeBack) {
    const Transformer model(weights, cpu(), {});
    const Tensor before = run(model, golden_text());
    const auto kept = [&](const char* name) { return weights->find(name)->prepared.size(); };
    for (const char* name :
         {"blocks.1.cross_attn.norm_k.weight", "blocks.0.cross_attn.norm_k_img.weight", "img_emb.emb_pos"}) {
        EXPECT_GT(kept(name), 0u) << name;
        model.release_context_weights();
        EXPECT_EQ(kept(name), 0u) << name;
        EXPECT_GT(kept("blocks.1.cross_attn.norm_q.weight"), 0u);
        EXPECT_TRUE(test::same_bytes(run(model, golden_text()), before));
    }
}

TEST_F(Everything, AHiddenLayerInPiecesChangesNothing) {
    const std::int64_t rows = 20, columns = 2356; // four tokens more than one piece can hold
    ASSERT_LT(Transformer::hidden_end(0, rows / 2 * columns / 2), rows / 2 * columns / 2);
    const Tensor large = numbered_tensor(908, {4, 1, rows, columns}),
                 beside = numbered_tensor(909, {8, 1, rows, columns});
    const std::vector<float> time{500};
    const Transformer model(weights, cpu(), {});
    const Context context = model.context(golden_text(), &clip);
    test::Recorder of_one_layer("blocks.0.ffn.2"); // a probe of this layer needs it in one piece
    const Tensor whole = model.forward(large, &beside, time, context, 1, &of_one_layer);
    EXPECT_EQ(of_one_layer.last.begin()->second.size(0), rows / 2 * columns / 2);
    const Tensor pieces = model.forward(large, &beside, time, context, 1);
    if (cpu()->device().kind == Device::Kind::cpu)
        EXPECT_TRUE(test::same_bytes(pieces, whole)); // "a probe changes no result"
    else
        EXPECT_LT(test::relative_error(pieces, whole), of_another_order());
}

TEST(HiddenLayer, IsCutIntoWholePiecesAndNoShortOne) {
    constexpr std::int64_t whole = Transformer::hidden_rows, few = Transformer::short_rest;
    for (std::int64_t tokens = 1; tokens < 500'000; tokens += 97) {
        std::int64_t first = 0, end = 0;
        for (; (end = Transformer::hidden_end(first, tokens)) < tokens; first = end) ASSERT_EQ(end - first, whole);
        ASSERT_EQ(end, tokens);
        ASSERT_LE(end - first, whole + few) << tokens;
        ASSERT_TRUE(first == 0 || end - first > few) << tokens;
    }
}

TEST_F(Everything, TimestepsOfEveryShapeMeanTheSame) {
    const Transformer model(weights, cpu(), {});
    const Context context = model.context(golden_text(), &clip);
    auto run_with = [&](std::vector<float> t) { return model.forward(latent, &condition, t, context, 0); };
    const Tensor scalar = run_with({500});
    EXPECT_TRUE(test::same_bytes(scalar, run_with({500, 500, 500})));
    EXPECT_TRUE(test::same_bytes(scalar, run_with(std::vector<float>(18, 500.0f))));
    std::vector<float> tokens = token_timesteps();
    EXPECT_TRUE(test::same_bytes(run_with({0, 500, 500}), run_with(tokens)));
    tokens[7] = std::nextafter(500.0f, 0.0f); // one token differs, so every token needs a row
    EXPECT_LT(test::relative_error(run_with(tokens), run_with({0, 500, 500})), 1e-5);
}

TEST_F(Everything, CausalBlocksOfTheWholeLengthAreFullAttention) {
    const Tensor full = run(Transformer(weights, cpu(), {}), golden_text());
    const Tensor whole = run(Transformer(weights, cpu(), {.causal_block = 3}), golden_text());
    EXPECT_LT(test::relative_error(whole, full), 1e-5);
}

TEST_F(Everything, CausalBlocksDoNotSeeLaterFrames) {
    const Transformer model(weights, cpu(), {.causal_block = 1});
    const Context context = model.context(golden_text(), &clip);
    Tensor changed = Tensor::from(latent.span<float>(), latent.shape());
    for (std::int64_t c = 0; c < 4; ++c) changed.data<float>()[(c * 3 + 2) * 24] += 1; // in the last frame
    const Tensor a = model.forward(latent, &condition, timesteps, context, 1);
    const Tensor b = model.forward(changed, &condition, timesteps, context, 1);
    const auto first_two = [](const Tensor& x) { return nn::host_f32(x).slice(1, 0, 2).to_host_f32(); };
    EXPECT_TRUE(test::same_bytes(first_two(a), first_two(b)));
    EXPECT_FALSE(test::same_bytes(a, b));
}

TEST_F(Everything, Bf16StaysNearF32) {
    const Tensor exact = run(Transformer(weights, cpu(), {}), golden_text());
    EXPECT_LT(
        test::relative_error(run(Transformer(weights, cpu(), {.precision = Precision::wan()}), golden_text()), exact),
        0.03);
    EXPECT_LT(test::relative_error(
                  run(Transformer(weights, cpu(), {.precision = Precision::skyreels()}), golden_text()), exact),
              0.03);
}

TEST_F(Everything, ProbeSeesEverySubLayerAndChangesNothing) {
    for (const Precision& precision : {Precision::f32(), Precision::wan(), Precision::skyreels()}) {
        const Transformer model(weights, cpu(), {.precision = precision});
        test::Recorder told;
        const Tensor probed = run(model, golden_text(), true, &told);
        EXPECT_TRUE(test::same_bytes(probed, run(model, golden_text())));
        std::vector<std::string> expected = context_layer_names(config, true);
        const std::vector<std::string> forward = layer_names(config);
        expected.insert(expected.end(), forward.begin(), forward.end());
        EXPECT_EQ(told.names, expected);
        EXPECT_EQ(told.last.at("blocks.1").dtype(), precision.stream);
        EXPECT_EQ(told.last.at("blocks.1.ffn.1").dtype(), precision.compute);
        EXPECT_EQ(told.last.at("blocks.0.norm1").dtype(), precision.round_first_norm ? DType::bf16 : DType::f32);
        EXPECT_EQ(told.last.at("blocks.1.norm1").dtype(), DType::f32); // its input is the residual stream
        EXPECT_EQ(told.last.at("e0").shape(), (Shape{3, 6, 32}));
    }
}

Tensor rounded_to_bf16(const Tensor& x) {
    const Tensor values = nn::host_f32(x);
    Tensor out = Tensor::from(values.span<float>(), values.shape());
    for (float& v : out.span<float>()) v = round_to_bf16(v);
    return out;
}

/// What the probe saw must be equal to `right` to the bit, and must differ from `wrong`.
void expect_the_first(const Tensor& told, const Tensor& right, const Tensor& wrong, const std::string& what) {
    EXPECT_LT(test::relative_error(told, right), test::relative_error(told, wrong)) << what;
    if (cpu()->device().kind == Device::Kind::cpu) {
        EXPECT_TRUE(test::same_bytes(told, right)) << what;
    }
}

/// Wan and SkyReels round in different places (spec/dit.md 6), which the error of a whole pass cannot show. So each
/// norm is computed again from what the probe saw, in both ways.
TEST_F(Everything, NormsAreRoundedWhereTheReferenceRounds) {
    for (const bool sky : {false, true}) {
        const Precision precision = sky ? Precision::skyreels() : Precision::wan();
        const std::string of = sky ? " of skyreels" : " of wan";
        const auto again = [&](const Weights& all, const char* leaf, const Tensor& x, float eps, DType out,
                               bool round) {
            const Module m(all);
            const Module norm = *leaf == 'i' ? m["img_emb"]["proj"][4] : m["blocks"][1]["norm3"];
            return nn::layer_norm(norm, nn::on(*cpu(), x), eps, out, round);
        };
        test::Recorder told;
        run(Transformer(weights, cpu(), {.precision = precision}), golden_text(), true, &told);
        const auto image = [&](bool round) {
            return again(*weights, "img_emb", told.last.at("img_emb.proj.3"), 1e-5f, DType::f32, round);
        };
        expect_the_first(told.last.at("img_emb.proj.4"), image(sky), image(!sky), "img_emb.proj.4" + of);

        const auto norm3 = [&](const Weights& all, const test::Recorder& in, bool input, bool parameters) {
            const Tensor& x = in.last.at("blocks.1.norm3.input");
            return again(all, "norm3", input ? rounded_to_bf16(x) : x, config.eps, DType::bf16, parameters);
        };
        const Tensor& beside = told.last.at("blocks.1.norm3"); // in a model with images neither rounds the input
        expect_the_first(beside, norm3(*weights, told, false, sky), norm3(*weights, told, true, sky), "norm3" + of);
        expect_the_first(beside, norm3(*weights, told, false, sky), norm3(*weights, told, false, !sky), "norm3" + of);

        const Config c = golden_config();
        const auto plain = golden_weights(c);
        const Transformer model(plain, cpu(), {.precision = precision});
        test::Recorder alone;
        model.forward(latent, nullptr, timesteps, model.context(golden_text(), nullptr), {}, &alone);
        expect_the_first(alone.last.at("blocks.1.norm3"), norm3(*plain, alone, sky, sky),
                         norm3(*plain, alone, !sky, sky), "norm3 without an image" + of);
    }
}

TEST_F(Everything, ProbeIsToldTheSameOfAPlainForwardPass) {
    const Transformer model(weights, cpu(), {});
    test::Recorder all, one("blocks.1.self_attn.norm_k");
    run(model, golden_text(), true, &all);
    run(model, golden_text(), true, &one);
    ASSERT_EQ(one.names, std::vector<std::string>{"blocks.1.self_attn.norm_k"});
    EXPECT_TRUE(test::same_bytes(one.last.begin()->second, all.last.at("blocks.1.self_attn.norm_k")));

    // The parts that are computed only for a probe must agree with those of the pass itself.
    const Tensor& before = all.last.at("blocks.1.ffn.0");
    const Tensor& after = all.last.at("blocks.1.ffn.1");
    for (std::int64_t i = 0; i < before.elements(); ++i) {
        const double x = before.data<float>()[i];
        EXPECT_NEAR(after.data<float>()[i], 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))), 1e-5);
    }
    // A probe sees all rows of a prompt whose padding is collapsed.
    Tensor text = golden_text();
    for (std::int64_t i = 20; i < text.elements(); ++i) text.data<float>()[i] = 0;
    test::Recorder collapsed, plain;
    run(model, text, true, &collapsed);
    run(model, text, false, &plain);
    for (const char* name :
         {"text_embedding.0", "text_embedding.2", "blocks.1.cross_attn.norm_k", "blocks.0.cross_attn.v"}) {
        ASSERT_EQ(collapsed.last.at(name).size(0), 6) << name;
        EXPECT_LT(test::relative_error(collapsed.last.at(name), plain.last.at(name)), 1e-5) << name;
    }
}

TEST_F(Everything, NamesTheInputThatDoesNotFit) {
    const Transformer model(weights, cpu(), {.causal_block = 2});
    const Context context = model.context(golden_text(), &clip);
    const Tensor four = numbered_tensor(1, {4, 4, 4, 6}), condition_four = numbered_tensor(2, {8, 4, 4, 6});
    const std::vector<float> one{500}, two{1, 2}, bad{NAN};
    auto field = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const Error& e) {
            return e.field();
        }
        return "";
    };
    EXPECT_EQ(field([&] { model.forward(four, &condition_four, one, context, 1); }), "");
    EXPECT_EQ(field([&] { model.forward(latent, &condition, one, context, 1); }), "causal_block");
    EXPECT_EQ(field([&] { model.forward(four, &condition_four, two, context, 1); }), "timestep");
    EXPECT_EQ(field([&] { model.forward(four, &condition_four, bad, context, 1); }), "timestep");
    EXPECT_EQ(field([&] { model.forward(four, &condition_four, one, context, 2); }), "fps");
    EXPECT_EQ(field([&] { model.forward(four, &condition_four, one, context); }), "fps");
    EXPECT_EQ(field([&] { model.forward(four, nullptr, one, context, 1); }), "latent");
    EXPECT_EQ(field([&] { model.forward(four, &condition, one, context, 1); }), "condition");
    EXPECT_EQ(field([&] { model.forward(four, &four, one, context, 1); }), "condition");
    EXPECT_EQ(field([&] {
                  model.forward(numbered_tensor(1, {4, 4, 5, 6}), &condition_four, one, context, 1);
              }),
              "latent");
    EXPECT_EQ(field([&] { model.forward(numbered_tensor(1, {4, 4, 6}), nullptr, one, context, 1); }), "latent");
    EXPECT_EQ(field([&] { model.context(golden_text(), nullptr); }), "clip");
    const Tensor short_clip = clip.slice(0, 0, 257);
    EXPECT_EQ(field([&] { model.context(golden_text(), &short_clip); }), "clip");
    EXPECT_EQ(field([&] { model.context(numbered_tensor(3, {5, 10}), &clip); }), "text");
    EXPECT_EQ(field([&] { model.context(numbered_tensor(3, {6, 11}), &clip); }), "text");
}

TEST(TransformerConfig, ReadsSizesFromShapesAndAgreesWithConfigJson) {
    Config c = golden_config();
    const auto weights = golden_weights(c);
    EXPECT_EQ(Config::read(*weights).heads, 2);
    auto with = [&](Json json) { return Weights(Component::transformer, weights->all(), std::move(json), "folder"); };
    EXPECT_EQ(Config::read(with({}), 4).heads, 4);
    EXPECT_EQ(Config::read(with({{"num_attention_heads", 8}}), 4).heads, 8);
    EXPECT_EQ(Config::read(with({{"attention_head_dim", 8}})).heads, 4);
    EXPECT_EQ(Config::read(with({{"num_frame_per_block", 5}}), 2).causal_block, 5);
    EXPECT_EQ(Config::read(with({{"num_frame_per_block", 1}}), 2).causal_block, 0);
    EXPECT_EQ(Config::read(with({}), 2).text_len, 512);
    EXPECT_THROW(Config::read(with({})), Error); // 32 values are less than one head of 128
    EXPECT_THROW(Config::read(with({{"num_heads", 3}})), Error);
    const auto contradiction = [&](Json json) { return test::refusal([&] { Config::read(with(std::move(json))); }); };
    EXPECT_EQ(contradiction({{"num_heads", 4}, {"num_attention_heads", 4}}), "accepted");
    EXPECT_NE(contradiction({{"num_heads", 4}, {"num_attention_heads", 8}}).find("8 contradicts the 4 of num_heads"),
              std::string::npos);
    EXPECT_NE(
        contradiction({{"num_heads", 2}, {"in_dim", 4}, {"in_channels", 12}}).find("12 contradicts the 4 of in_dim"),
        std::string::npos);
    EXPECT_THROW(Config::read(with({{"num_heads", 32}})), Error); // the size of a head would be odd
    EXPECT_THROW(Config::read(with({{"num_heads", "2"}})), Error);
    EXPECT_THROW(Config::read(with({{"num_heads", 2}, {"text_len", 1e9}})), Error);
    for (const char* key : {"dim", "ffn_dim", "num_layers", "in_dim", "out_channels", "freq_dim", "text_dim"}) {
        try {
            Config::read(with({{"num_heads", 2}, {key, 7}}));
            FAIL() << key;
        } catch (const Error& e) {
            EXPECT_NE(e.message().find('7'), std::string::npos) << e.what();
        }
    }
    EXPECT_EQ(Config::read(with({{"num_heads", 2},
                                 {"patch_size", {1, 2, 2}},
                                 {"qk_norm", "rms_norm_across_heads"},
                                 {"cross_attn_norm", true},
                                 {"window_size", {-1, -1}}}))
                  .heads,
              2);
    for (const Json& other : {Json{{"patch_size", {1, 4, 4}}}, Json{{"qk_norm", false}},
                              Json{{"cross_attn_norm", false}}, Json{{"window_size", {8, 8}}}}) {
        Json json = other;
        json["num_heads"] = 2;
        EXPECT_THROW(Config::read(with(json)), Error) << json;
    }
}

TEST(TransformerConfig, RefusesABranchThatOnlyConfigJsonHas) {
    const auto weights = golden_weights(golden_config());
    const auto refusal = [&](Json json) {
        json["num_heads"] = 2;
        return test::refusal(
            [&] { Config::read(Weights(Component::transformer, weights->all(), std::move(json), "folder")); });
    };
    EXPECT_EQ(refusal({{"image_dim", nullptr}, {"added_kv_proj_dim", nullptr}, {"pos_embed_seq_len", nullptr}}),
              "accepted");
    EXPECT_NE(refusal({{"image_dim", 1280}}).find("cross_attn.k_img"), std::string::npos);
    EXPECT_NE(refusal({{"added_kv_proj_dim", 32}}).find("cross_attn.k_img"), std::string::npos);
    EXPECT_NE(refusal({{"pos_embed_seq_len", 514}}).find("img_emb.emb_pos"), std::string::npos);
    EXPECT_NE(refusal({{"inject_sample_info", true}}).find("fps_embedding.weight"), std::string::npos);
}

TEST_F(Everything, AgreesWithConfigJsonAboutItsBranches) {
    const auto refusal = [&](const char* key, int value) {
        const Json json{{"num_heads", 2}, {key, value}};
        return test::refusal([&] { Config::read(Weights(Component::transformer, weights->all(), json, "folder")); });
    };
    const std::tuple<const char*, int> sizes[] = {
        {"image_dim", 20}, {"added_kv_proj_dim", 32}, {"pos_embed_seq_len", 514}};
    for (const auto& [key, size] : sizes) {
        EXPECT_EQ(refusal(key, size), "accepted") << key;
        EXPECT_NE(refusal(key, size + 1).find(key), std::string::npos) << key;
    }
}

TEST(TransformerConfig, NamesMissingAndWronglyShapedTensors) {
    const auto weights = golden_weights(golden_config());
    for (const auto& [name, weight] : weights->all()) {
        auto tensors = weights->all();
        tensors.erase(name);
        EXPECT_THROW(Config::read(Weights(Component::transformer, tensors, {{"num_heads", 2}}, "folder")), Error)
            << name;
        tensors = weights->all();
        Shape shape = weight.shape();
        shape.push_back(1);
        tensors[name] = Weight(name, weight.stored().reshape(shape));
        EXPECT_THROW(Config::read(Weights(Component::transformer, tensors, {{"num_heads", 2}}, "folder")), Error)
            << name;
    }
}

} // namespace
} // namespace denoir::wan
