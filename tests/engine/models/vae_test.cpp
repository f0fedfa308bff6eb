// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/vae.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "tests/engine/models/support.h"

namespace denoir::wan {
namespace {

using test::cpu;
using test::named_tensor;
using Level = VaeConfig::Level;

/// Levels of 4, 8, 16 and 16 channels around two latent ones, as in spec/vae21.md 6 and spec/vae22.md 9.
VaeConfig tiny_config(bool nested) {
    VaeConfig c;
    c.z = 2;
    c.encoder_width = 4;
    c.decoder_width = 16;
    c.patch = nested ? 2 : 1;
    c.shortcuts = nested;
    struct Size {
        std::int64_t in, width, out;
    };
    const Size down[] = {{4, 4, 4}, {4, 8, 8}, {8, 16, 16}, {16, 16, 16}};
    const Size up21[] = {{16, 16, 8}, {8, 16, 8}, {8, 8, 4}, {4, 4, 4}};
    const Size up22[] = {{16, 16, 16}, {16, 16, 16}, {16, 8, 8}, {8, 4, 4}};
    int encoder_index = 0, decoder_index = 0;
    for (int l = 0; l < 4; ++l) {
        auto level = [&](const Size& s, const std::string& list, const std::string& inner, int blocks, bool temporal,
                         int& flat) {
            Level one{{}, "", false, s.in, s.width, s.out};
            int index = nested ? 0 : flat;
            auto next = [&] {
                const std::string number = std::to_string(index++);
                return nested ? list + "." + std::to_string(l) + "." + inner + "." + number : list + "." + number;
            };
            for (int b = 0; b < blocks; ++b) one.blocks.push_back(next());
            if (l < 3) {
                one.resample = next();
                one.temporal = temporal;
            }
            flat = index;
            return one;
        };
        c.encoder.push_back(level(down[l], "encoder.downsamples", "downsamples", 2, l == 1 || l == 2, encoder_index));
        c.decoder.push_back(
            level(nested ? up22[l] : up21[l], "decoder.upsamples", "upsamples", 3, l == 0 || l == 1, decoder_index));
    }
    return c;
}

double fill_vae(const std::string& name, const Shape& shape, std::size_t, std::uint64_t i) {
    const double value = test::named_value(name, i);
    if (name.ends_with("gamma")) return 1 + 0.1 * value;
    if (name.ends_with("bias")) return 0.1 * value;
    const std::int64_t inputs = shape.elements() / shape[0];
    return value * std::sqrt(3.0 / static_cast<double>(inputs));
}

std::shared_ptr<const Weights> tiny_weights(bool nested) {
    return test::filled(nested ? Component::vae22 : Component::vae21, tiny_config(nested).expected(),
                        {{"latents_mean", {0.5, -0.25}}, {"latents_std", {2, 0.5}}}, fill_vae);
}

struct Golden {
    const char* name;
    bool nested;
    Shape video;
    std::vector<double> latent;
    double sum, absolute_sum, first[6], last[3], frame_sums[9], corners[9];
};

const Golden goldens[] = {
    {"wan21",
     false,
     {3, 9, 16, 24},
     {-0.287559, -0.155897, -0.308092, -0.131620, 0.010587,  -0.219169, -0.259581, -0.196619, -0.024910,
      -0.254455, -0.208634, -0.372469, -0.230633, -0.219078, -0.274490, -0.201537, -0.051273, -0.512674,
      0.669012,  0.681861,  0.384386,  0.383965,  0.414380,  0.287249,  0.272941,  0.558922,  -0.137217,
      0.253748,  0.329331,  0.399666,  0.726335,  1.498052,  0.485489,  0.700430,  0.764947,  0.576433},
     -2305.917574,
     4009.585246,
     {-0.041952, -0.051548, 0.145901, -0.046696, 0.044134, -0.012341},
     {0.600016, -0.114432, -0.456758},
     {-36.504052, -86.142989, -397.711708, -390.627756, -232.916422, -279.582604, -337.413517, -324.309964,
      -220.708562},
     {-0.041952, 0.457139, 0.318029, -0.819947, -0.076361, 0.322675, -0.195647, -0.142102, -0.304792}},
    {"wan22",
     true,
     {3, 9, 32, 48},
     {-0.447490, -0.361493, -0.462202, -0.378342, -0.235731, -0.372478, -0.614262, -0.286136, -0.302337,
      -0.073928, -0.467485, -0.170659, -0.227304, -0.137039, -0.310381, -0.263680, -0.142753, -0.034696,
      0.303493,  0.470929,  0.136206,  0.480988,  0.461791,  0.637897,  0.428606,  0.756438,  0.193562,
      0.498574,  0.303485,  0.790846,  0.414888,  0.689891,  0.000643,  0.078714,  -0.135559, 0.116301},
     312.427061,
     13513.869687,
     {0.103121, 0.030009, -0.155226, 0.101499, -0.112443, 0.173747},
     {0.118727, 0.186141, 0.372361},
     {158.166870, -76.073012, -496.323637, 85.872197, 190.850765, 214.521054, 178.258763, -8.970100, 66.124161},
     {0.103121, -0.054178, 0.313617, -0.243258, 0.077261, -0.224300, -0.025693, -0.195286, 0.145413}},
};

class VaeGolden : public testing::TestWithParam<Golden> {};

TEST_P(VaeGolden, MatchesTheSpecification) {
    const Golden& g = GetParam();
    const Vae vae(tiny_weights(g.nested), cpu(), {.clamp = false});
    const Tensor latent = vae.encode(named_tensor("input", g.video)).latent;
    ASSERT_EQ(latent.shape(), (Shape{2, 3, 2, 3}));
    for (std::size_t i = 0; i < 36; ++i) EXPECT_NEAR(latent.data<float>()[i], g.latent[i], 1e-5);

    const Tensor video = vae.decode(latent);
    ASSERT_EQ(video.shape(), g.video);
    // The errors of a card's functions all point to one side, so a sum of values has more of them.
    const double on_card = cpu()->device().kind == Device::Kind::cpu ? 0 : 1e-6 * g.absolute_sum;
    EXPECT_NEAR(test::sum(video), g.sum, 2e-3 + on_card);
    EXPECT_NEAR(test::absolute_sum(video), g.absolute_sum, 2e-3 + on_card);
    const float* values = video.data<float>();
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(values[i], g.first[i], 1e-5);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(values[video.elements() - 3 + i], g.last[i], 1e-5);
    for (int t = 0; t < 9; ++t) {
        EXPECT_NEAR(test::sum(video.select(1, t)), g.frame_sums[t], 1e-3 + on_card) << t;
        EXPECT_NEAR(values[t * g.video[2] * g.video[3]], g.corners[t], 1e-5) << t;
    }
}

INSTANTIATE_TEST_SUITE_P(Spec, VaeGolden, testing::ValuesIn(goldens),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(VaeGolden, FillOfTheSpecification) {
    EXPECT_NEAR(named_tensor("input", {4}).data<float>()[3], 0.70545564, 1e-7);
    EXPECT_NEAR(fill_vae("encoder.head.0.gamma", {16, 1, 1, 1}, 0, 2), 1.0711, 1e-4);
}

/// Tests that run on both networks.
class VaeProperties : public testing::TestWithParam<bool> {
protected:
    Vae vae(Vae::Options options = {}, int threads = 1) const {
        return {tiny_weights(GetParam()), cpu(threads), options};
    }
    std::int64_t unit = GetParam() ? 16 : 8;
};
INSTANTIATE_TEST_SUITE_P(Both, VaeProperties, testing::Bool(),
                         [](const auto& each) { return each.param ? "wan22" : "wan21"; });

TEST_P(VaeProperties, ReadsItsSizes) {
    const Vae model = vae();
    EXPECT_EQ(model.config().spatial(), unit);
    EXPECT_EQ(model.config().temporal(), 4);
    EXPECT_EQ(model.config().latent_frames(6), 2);
    EXPECT_EQ(model.config().frames(3), 9);
    EXPECT_EQ(model.config().mean, (std::vector<float>{0.5f, -0.25f}));
}

TEST_P(VaeProperties, SameBytesForAnyThreadCount) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
        const Tensor video = named_tensor("input", {3, 5, 2 * unit, 3 * unit});
        const Tensor latent = vae({.dtype = dtype, .bf16_above = 0}, 1).encode(video).latent;
        EXPECT_TRUE(test::same_bytes(latent, vae({.dtype = dtype, .bf16_above = 0}, 2).encode(video).latent));
        EXPECT_TRUE(test::same_bytes(vae({.dtype = dtype, .bf16_above = 0}, 1).decode(latent),
                                     vae({.dtype = dtype, .bf16_above = 0}, 2).decode(latent)));
    }
}

TEST_P(VaeProperties, SizesBetweenMultiplesAreFor21Alone) {
    const auto encode = [&] { return vae().encode(named_tensor("input", {3, 1, unit + 2, 2 * unit})).latent; };
    if (GetParam())
        EXPECT_THROW(encode(), Error);
    else
        EXPECT_EQ(encode().shape(), (Shape{2, 1, 1, 2}));
}

TEST_P(VaeProperties, FirstFramesDoNotDependOnLaterOnes) {
    const Tensor video = named_tensor("input", {3, 13, 2 * unit, unit});
    const Vae model = vae();
    const Tensor all = model.encode(video).latent, nine = model.encode(video.slice(1, 0, 9)).latent;
    // Frames after the last whole group of four are ignored.
    const Tensor surplus = model.encode(video.slice(1, 0, 12)).latent;
    EXPECT_TRUE(test::same_bytes(all.slice(1, 0, 3).to_host_f32(), nine));
    EXPECT_TRUE(test::same_bytes(surplus, nine));
    const Tensor decoded = model.decode(all), part = model.decode(nine);
    EXPECT_TRUE(test::same_bytes(decoded.slice(1, 0, 9).to_host_f32(), part));
}

TEST_P(VaeProperties, MeanIsTheLatentBeforeNormalisation) {
    const Vae::Encoded e = vae().encode(named_tensor("input", {3, 1, unit, unit}));
    ASSERT_EQ(e.mean.shape(), (Shape{2, 1, 1, 1}));
    EXPECT_FLOAT_EQ(e.latent.data<float>()[0], (e.mean.data<float>()[0] - 0.5f) * 0.5f);
    EXPECT_FLOAT_EQ(e.latent.data<float>()[1], (e.mean.data<float>()[1] + 0.25f) * 2.0f);
}

/// Grey frames that the source leaves undefined are not computed, but must give the same bytes as computed ones, also
/// over long tails and with gaps.
TEST_P(VaeProperties, GreyTailIsExact) {
    const std::int64_t frames = 181, size = unit;
    for (const DType dtype : {DType::f32, DType::bf16}) {
        const Vae model = vae({.dtype = dtype, .bf16_above = 0});
        Tensor video = Tensor::zeros({3, frames, size, 2 * size});
        auto set = [&](std::int64_t t) {
            const Tensor image = named_tensor("image" + std::to_string(t), {3, size, 2 * size});
            for (std::int64_t c = 0; c < 3; ++c) {
                const Tensor plane = image.select(0, c);
                std::copy_n(plane.data<float>(), plane.elements(), video.select(0, c).select(0, t).data<float>());
            }
        };
        set(0);
        set(150); // after the values have stopped changing
        set(frames - 1);
        std::int64_t asked = 0;
        auto source = [&](std::int64_t t) {
            ++asked;
            if (t != 0 && t != 150 && t != frames - 1) return Tensor{};
            Tensor frame = Tensor::host({3, size, 2 * size});
            for (std::int64_t c = 0; c < 3; ++c)
                std::copy_n(video.select(0, c).select(0, t).data<float>(), size * 2 * size,
                            frame.select(0, c).data<float>());
            return frame;
        };
        const Tensor shortcut = model.encode(source, frames, size, 2 * size).latent;
        EXPECT_EQ(asked, frames);
        EXPECT_TRUE(test::same_bytes(shortcut, model.encode(video).latent));
        const auto latent_frame = [&](std::int64_t t) { return shortcut.select(1, t).to_host_f32(); };
        EXPECT_TRUE(test::same_bytes(latent_frame(34), latent_frame(35))); // they have indeed stopped changing
        EXPECT_FALSE(test::same_bytes(latent_frame(37), latent_frame(38)));
    }
}

TEST_P(VaeProperties, StripsGiveTheSameBytes) {
    const Tensor latent = named_tensor("latent", {2, 2, 11, 30});
    for (const DType dtype : {DType::f32, DType::bf16}) {
        const Tensor whole = vae({.dtype = dtype, .bf16_above = 0}).decode(latent);
        // A card's libraries add in another order for another size.
        const bool on_card = cpu()->device().kind != Device::Kind::cpu;
        const double limit = !on_card ? 0 : dtype == DType::f32 ? 5e-5 : 0.03;
        // On a card each new size of a strip needs seconds of planning.
        for (const int strips : on_card ? std::vector{3} : std::vector{3, 7})
            EXPECT_LE(
                test::relative_error(vae({.dtype = dtype, .bf16_above = 0, .strips = strips}).decode(latent), whole),
                limit)
                << strips;
    }
}

TEST_P(VaeProperties, FramesComeInOrderAndClamped) {
    std::int64_t next = 0;
    Tensor latent = named_tensor("latent", {2, 2, 2, 2});
    for (float& v : latent.span<float>()) v *= 30;
    vae().decode(latent, [&](std::int64_t index, const Tensor& frame) {
        EXPECT_EQ(index, next++);
        EXPECT_EQ(frame.shape(), (Shape{3, 2 * unit, 2 * unit}));
        for (const float v : frame.span<float>()) EXPECT_TRUE(v >= -1 && v <= 1);
    });
    EXPECT_EQ(next, 5);
}

TEST_P(VaeProperties, Bf16StaysNearF32) {
    const Tensor video = named_tensor("input", {3, 5, 2 * unit, 2 * unit});
    const Tensor latent = vae().encode(video).latent;
    EXPECT_LT(test::relative_error(vae({.dtype = DType::bf16, .bf16_above = 0}).encode(video).latent, latent), 0.03);
    EXPECT_LT(test::relative_error(vae({.dtype = DType::bf16, .bf16_above = 0}).decode(latent), vae().decode(latent)),
              0.1);
}

TEST_P(VaeProperties, Tf32StaysNearF32) {
    const bool on_card = cpu()->device().kind != Device::Kind::cpu;
    const double limit = on_card ? 3e-2 : 0; // a processor has no TF32
    const Tensor video = named_tensor("input", {3, 5, 2 * unit, 2 * unit});
    const Tensor latent = vae().encode(video).latent;
    EXPECT_LE(test::relative_error(vae({.tf32 = true}).encode(video).latent, latent), limit);
    EXPECT_LE(test::relative_error(vae({.tf32 = true}).decode(latent), vae().decode(latent)), limit);
}

TEST_P(VaeProperties, Bf16IsForLargePicturesOnly) {
    const Tensor latent = named_tensor("latent", {2, 1, 2, 2});
    EXPECT_TRUE(test::same_bytes(vae({.dtype = DType::bf16}).decode(latent), vae().decode(latent)));
}

TEST_P(VaeProperties, RefusesWhatDoesNotFit) {
    const Vae model = vae();
    EXPECT_THROW(model.decode(Tensor::zeros({3, 1, 2, 2})), Error);
    EXPECT_THROW(model.decode(Tensor::zeros({2, 0, 2, 2})), Error);
    EXPECT_THROW(model.encode(Tensor::zeros({3, 1, unit - 1, unit})), Error);
    EXPECT_THROW(model.encode(Tensor::zeros({3, 0, unit, unit})), Error);
    EXPECT_THROW(model.encode(Tensor::zeros({4, 1, unit, unit})), Error);
}

/// The causal state must not grow with the number of frames.
TEST_P(VaeProperties, MemoryIsConstantInTheNumberOfFrames) {
    auto peak = [&](std::int64_t latent_frames) {
        const auto backend = open_backend(Device{}, 1);
        const Vae model(tiny_weights(GetParam()), backend, {});
        model.decode(named_tensor("latent", {2, latent_frames, 4, 4}), [](std::int64_t, const Tensor&) {});
        return backend->memory().peak;
    };
    EXPECT_EQ(peak(4), peak(12));
}

TEST(VaeConfigRead, AgreesWithConfigJson) {
    const auto weights = tiny_weights(false);
    auto with = [&](Json json) { return Weights(Component::vae21, weights->all(), std::move(json), "vae"); };
    EXPECT_EQ(VaeConfig::read(with(Json::object())).std, (std::vector<float>{1, 1}));
    EXPECT_EQ(VaeConfig::read(with({{"z_dim", 2},
                                    {"base_dim", 4},
                                    {"dim_mult", {1, 2, 4, 4}},
                                    {"num_res_blocks", 2},
                                    {"patch_size", nullptr}}))
                  .z,
              2);
    EXPECT_THROW(VaeConfig::read(with({{"z_dim", 3}})), Error);
    EXPECT_THROW(VaeConfig::read(with({{"base_dim", 3}})), Error);
    EXPECT_THROW(VaeConfig::read(with({{"num_res_blocks", 3}})), Error);
    EXPECT_THROW(VaeConfig::read(with({{"dim_mult", {1, 2, 4}}})), Error);
    EXPECT_THROW(VaeConfig::read(with({{"dim_mult", {1, 2, 4, 8}}})), Error);
    EXPECT_THROW(VaeConfig::read(with({{"dim_mult", {1, 2, "x", 4}}})), Error);
    EXPECT_THROW(VaeConfig::read(with({{"patch_size", 2}})), Error);
    EXPECT_EQ(VaeConfig::read(with({{"patch_size", {1, 2, 2}}})).patch, 1); // this key is the transformer's
    EXPECT_THROW(VaeConfig::read(with({{"latents_mean", {1}}})), Error);
    EXPECT_THROW(VaeConfig::read(with({{"latents_std", {1, 0}}})), Error);
    EXPECT_THROW(VaeConfig::read(with({{"latents_std", {1, "x"}}})), Error);
    EXPECT_NO_THROW(VaeConfig::read(with({{"temperal_downsample", nullptr}}))); // like a key that is missing
    EXPECT_THROW(VaeConfig::read(with({{"temperal_downsample", {true, 1, false}}})), Error);
    EXPECT_THROW(VaeConfig::read(with({{"temperal_downsample", {true, true, false}}})),
                 Error); // the time_conv of .2 is missing
    for (const auto& [name, weight] : weights->all()) {
        auto tensors = weights->all();
        tensors.erase(name);
        EXPECT_THROW(VaeConfig::read(Weights(Component::vae21, tensors, Json::object(), "vae")), Error) << name;
    }
}

/// If nothing tells the mean and spread of the latents they are guessed, and a warning says so.
TEST(VaeConfigRead, SaysWhatItTakesForMeanAndSpread) {
    const auto weights = tiny_weights(false);
    const auto assumed = [&](Json json) {
        return VaeConfig::read(Weights(Component::vae21, weights->all(), std::move(json), "vae")).assumed;
    };
    EXPECT_EQ(assumed({{"latents_mean", {0.5, -0.25}}, {"latents_std", {2, 0.5}}}), "");
    EXPECT_NE(assumed(Json::object()).find("VAE of 2 channels: 0 and 1 are taken"), std::string::npos);
    EXPECT_NE(assumed({{"latents_mean", {0, 0}}}).find("no latents_std: 1 is taken"), std::string::npos);
    EXPECT_NE(assumed({{"latents_std", {1, 1}}}).find("no latents_mean: 0 is taken"), std::string::npos);
}

TEST(VaeProbe, SeesEveryFrameOfEveryLayerAndChangesNothing) {
    for (const bool nested : {false, true}) {
        // A probe sees one strip. A card's libraries would add in another order for two.
        const int strips = cpu()->device().kind == Device::Kind::cpu ? 2 : 1;
        const Vae vae(tiny_weights(nested), cpu(), {.strips = strips});
        const Tensor video = test::named_tensor("video", nested ? Shape{3, 9, 32, 48} : Shape{3, 9, 16, 24});
        // A grey tail is computed only once, but a probe must see all its frames.
        const auto source = [&](std::int64_t i) { return i == 0 ? video.select(1, 0).to_host_f32() : Tensor(); };
        test::Recorder encoder, decoder;
        const Tensor latent = vae.encode(source, 9, video.size(2), video.size(3), &encoder).latent;
        EXPECT_TRUE(test::same_bytes(latent, vae.encode(source, 9, video.size(2), video.size(3)).latent));
        std::vector<Tensor> frames, plain;
        vae.decode(
            latent, [&](std::int64_t, const Tensor& x) { frames.push_back(x); }, &decoder);
        vae.decode(latent, [&](std::int64_t, const Tensor& x) { plain.push_back(x); });
        ASSERT_EQ(frames.size(), 9u);
        for (std::size_t i = 0; i < 9; ++i) EXPECT_TRUE(test::same_bytes(frames[i], plain[i])) << i;

        const auto check = [&](const test::Recorder& told, std::vector<std::string> expected,
                               const std::string& first) {
            std::vector<std::string> once; // each name where it came first
            for (const std::string& name : told.names)
                if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
            std::sort(once.begin(), once.end());
            std::sort(expected.begin(), expected.end());
            EXPECT_EQ(once, expected);
            EXPECT_EQ(told.names.front(), first);
        };
        check(encoder, encoder_layer_names(vae.config()), "encoder.conv1");
        check(decoder, decoder_layer_names(vae.config()), "conv2");
        EXPECT_EQ(encoder.count.at("encoder.conv1"), 9);
        EXPECT_EQ(encoder.count.at("conv1"), 3);
        EXPECT_EQ(decoder.count.at("decoder.head.2"), 9);
        // A block is the sum of its two branches.
        const std::string block = vae.config().decoder.back().blocks.back();
        const Tensor &sum = decoder.last.at(block), &branch = decoder.last.at(block + ".residual.6");
        const Tensor& entered = decoder.last.at(vae.config().decoder.back().blocks.end()[-2]);
        for (std::int64_t i = 0; i < sum.elements(); ++i)
            ASSERT_NEAR(sum.data<float>()[i], branch.data<float>()[i] + entered.data<float>()[i], 1e-5) << i;
        EXPECT_EQ(decoder.last.at("decoder.head.2").size(0), nested ? 12 : 3);
    }
}

} // namespace
} // namespace denoir::wan
