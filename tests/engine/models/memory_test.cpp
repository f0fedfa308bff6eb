// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "engine/models/wan/transformer.h"
#include "engine/models/wan/vae.h"
#include "tests/engine/models/support.h"

// Networks of true width with made-up weights: the backend counts how much memory a pass holds at most.
// DENOIR_FULL_SIZE=1 decodes at 832x480, which takes minutes, instead of at a quarter of that area.
namespace denoir::wan {
namespace {

constexpr double gib = 1 << 30;

/// A value that is cheap to make and different everywhere.
double fill(const std::string& name, const Shape&, std::size_t number, std::uint64_t i) {
    if (name.ends_with("gamma") || name.find("norm") != std::string::npos) return 1;
    return static_cast<double>((i * 2654435761u + number * 40503u) % 1024) / 51200.0 - 0.01;
}

TEST(TransformerMemory, AStepOf1280TokensNeedsLittleBesideTheWeights) {
    Config c; // one block of Wan2.1-T2V-1.3B, since all blocks use the same memory in turn
    c.dim = 1536;
    c.ffn_dim = 8960;
    c.layers = 1;
    c.heads = 12;
    c.in_channels = c.out_channels = 16;
    c.freq_dim = 256;
    c.text_dim = 64;
    const auto weights = test::filled(Component::transformer, c.expected(), Json::object(), fill);
    for (const Precision& precision : {Precision::f32(), Precision::skyreels()}) {
        const auto backend = open_backend(Device{}, 2);
        const Transformer model(weights, backend, {.precision = precision});
        const Context context = model.context(test::numbered_tensor(1, {512, 64}), nullptr);
        const std::vector<float> timestep{500};
        const Tensor latent = test::numbered_tensor(2, {16, 5, 32, 32});
        Tensor velocity = model.forward(latent, nullptr, timestep, context);
        velocity = model.forward(latent, nullptr, timestep, context); // the last result is still held, as by a solver
        const auto first = backend->memory();
        velocity = model.forward(latent, nullptr, timestep, context);
        const double peak = static_cast<double>(first.peak) / gib;
        std::printf("1280 tokens, %s: %.3f GiB\n", precision.compute == DType::f32 ? "f32" : "bf16", peak);
        EXPECT_LT(peak, 0.5);
        EXPECT_EQ(backend->memory().system_allocations,
                  first.system_allocations); // after the first step the system is asked for nothing more
    }
}

/// The VAE of Wan 2.1, whose base is 96.
VaeConfig true_config() {
    VaeConfig c;
    c.z = 16;
    c.encoder_width = 96;
    c.decoder_width = 384;
    int encoder_index = 0, decoder_index = 0;
    const struct {
        std::int64_t in, width, out;
    } down[] = {{96, 96, 96}, {96, 192, 192}, {192, 384, 384}, {384, 384, 384}},
      up[] = {{384, 384, 192}, {192, 384, 192}, {192, 192, 96}, {96, 96, 96}};
    for (int l = 0; l < 4; ++l) {
        VaeConfig::Level e{{}, "", false, down[l].in, down[l].width, down[l].out},
            d{{}, "", false, up[l].in, up[l].width, up[l].out};
        for (int b = 0; b < 2; ++b) e.blocks.push_back("encoder.downsamples." + std::to_string(encoder_index++));
        for (int b = 0; b < 3; ++b) d.blocks.push_back("decoder.upsamples." + std::to_string(decoder_index++));
        if (l < 3) {
            e.resample = "encoder.downsamples." + std::to_string(encoder_index++);
            d.resample = "decoder.upsamples." + std::to_string(decoder_index++);
            e.temporal = l > 0;
            d.temporal = l < 2;
        }
        c.encoder.push_back(e);
        c.decoder.push_back(d);
    }
    return c;
}

/// A field of /proc/self/status, in GiB.
double resident(const char* field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field)) return std::stod(line.substr(std::strlen(field) + 1)) / (1 << 20);
    return 0;
}

struct DecodeCase {
    const char* name;
    DType dtype;
    int strips;
    double limit; ///< in GiB
};

class VaeMemory : public testing::TestWithParam<DecodeCase> {};

TEST(VaeState, IsWhatTheConvolutionsKeep) {
    EXPECT_NEAR(static_cast<double>(true_config().decoder_state(60, 104)) * 4 / gib, 3.5, 0.05);
}

TEST_P(VaeMemory, DecodeHoldsTheCausalStateAndAFewFrames) {
    const DecodeCase& c = GetParam();
    const auto weights = test::filled(Component::vae21, true_config().expected(), Json::object(), fill);
    const bool whole = std::getenv("DENOIR_FULL_SIZE") != nullptr;
    const std::int64_t height = whole ? 60 : 30, width = whole ? 104 : 52;
    const double area = whole ? 1 : 4;
    const auto backend = open_backend(Device{}, 2);
    const Vae vae(weights, backend, {.dtype = c.dtype, .bf16_above = 0, .strips = c.strips});
    // The panels of the weights do not grow with the picture, so a small one has them made.
    vae.decode(Tensor::zeros({16, 2, 4, 4}), [](std::int64_t, const Tensor&) {});
    backend->trim();
    const double panels = static_cast<double>(backend->memory().in_use) / gib, before = resident("VmRSS:");
    std::ofstream("/proc/self/clear_refs") << 5; // begins to measure the peak anew
    // Two latent frames fill the history of every convolution.
    vae.decode(test::numbered_tensor(1, {16, 2, height, width}), [](std::int64_t, const Tensor&) {});
    // Finished strips wait for the others, here for 81 frames instead of 5.
    const double waiting = c.strips > 1 ? 76.0 * 3 * 832 * 480 * element_bytes(c.dtype) / gib : 0;
    const double peak = (resident("VmHWM:") - before) * area + panels + waiting;
    std::printf("832x480x81 %s: %.2f GiB, of it weights %.2f, waiting frames %.2f\n", c.name, peak, panels, waiting);
    // Winograd's panels, which only wide pictures have, count four times as much here, at a quarter of the area.
    EXPECT_LT(peak, c.limit + (whole ? 0 : 0.3));
    EXPECT_GT(peak, 0.5);
}

INSTANTIATE_TEST_SUITE_P(At832x480x81, VaeMemory,
                         testing::Values(DecodeCase{"f32", DType::f32, 1, 4.5}, DecodeCase{"bf16", DType::bf16, 1, 2.6},
                                         DecodeCase{"bf16_strips3", DType::bf16, 3, 1.6}),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace denoir::wan
