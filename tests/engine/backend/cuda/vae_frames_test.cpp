// SPDX-License-Identifier: Apache-2.0
// Frames that the VAE's convolutions keep side by side for a card's library.
#include "engine/models/wan/vae.h"
#include "engine/models/wan/vae_layers.h"
#include "tests/engine/backend/cuda/plain_dnn.h"

namespace denoir::test {
namespace {

using wan::vae::Stream;

Weights block_weights() {
    std::map<std::string, Weight, std::less<>> all;
    std::uint64_t seed = 1;
    const auto add = [&](const std::string& name, const Shape& shape) {
        all.emplace(name, Weight(name, host(shape, seed++)));
    };
    const auto conv = [&](const std::string& name, std::int64_t in, std::int64_t out, std::int64_t taps) {
        add(name + ".weight", {out, in, taps, taps, taps});
        add(name + ".bias", {out});
    };
    add("block.residual.0.gamma", {16, 1, 1, 1});
    conv("block.residual.2", 16, 8, 3);
    add("block.residual.3.gamma", {8, 1, 1, 1});
    conv("block.residual.6", 8, 8, 3);
    conv("block.shortcut", 16, 8, 1);
    add("head.0.gamma", {8, 1, 1, 1});
    conv("head.2", 8, 3, 3);
    return {Component::vae21, std::move(all), Json::object(), "test"};
}

TEST(FramesSideBySide, GiveWhatCopiesGive) {
    for (const DType type : {DType::bf16, DType::f32}) {
        // Weights remember on which device they are, so each backend has its own.
        const Weights weights = block_weights();
        const Fused fused;
        fused.dnn->stacked = true;
        const auto stream = [&](bool side_by_side) {
            return Stream{*fused.backend, type, type, true, nullptr, side_by_side, {}};
        };
        Stream beside = stream(true), apart = stream(false);
        const auto push = [&](Stream& s, const Tensor& x) {
            Tensor y = wan::vae::residual_block(Module(weights, "block"), s, x);
            return wan::vae::head(Module(weights, "head"), s, y);
        };
        for (std::uint64_t t = 0; t < 8; ++t) {
            SCOPED_TRACE(testing::Message() << info(type).name << ", frame " << t);
            const Tensor x = fused.backend->upload(host({5, 7, 16}, 100 + t, type));
            const Tensor expected = push(apart, x), found = push(beside, x);
            expect_near(found, doubles(expected), tolerance(type));
            const Tensor& ring = beside.memory["head.2"].ring;
            ASSERT_TRUE(ring);
            EXPECT_EQ(fused.dnn->last_x, ring.raw());
            for (const char* conv : {"block.residual.2", "block.residual.6"}) EXPECT_TRUE(beside.memory[conv].ring);
        }
        for (const auto& [name, memory] : apart.memory) EXPECT_FALSE(memory.ring) << name;
    }
}

/// Wan 2.1's network with eight channels everywhere.
Weights small_vae() {
    wan::VaeConfig c;
    c.z = c.encoder_width = c.decoder_width = 8;
    const auto levels = [](const std::string& list, int blocks, std::array<bool, 3> temporal) {
        std::vector<wan::VaeConfig::Level> made(4);
        int index = 0;
        const auto next = [&] { return list + '.' + std::to_string(index++); };
        for (std::size_t l = 0; l < made.size(); ++l) {
            for (int b = 0; b < blocks; ++b) made[l].blocks.push_back(next());
            made[l].in = made[l].width = made[l].out = 8;
            if (l == 3) continue;
            made[l].resample = next();
            made[l].temporal = temporal[l];
        }
        return made;
    };
    c.encoder = levels("encoder.downsamples", 2, {false, true, true});
    c.decoder = levels("decoder.upsamples", 3, {true, true, false});
    std::map<std::string, Weight, std::less<>> all;
    std::uint64_t seed = 1;
    for (const auto& [name, shape] : c.expected()) {
        const std::int64_t inputs = shape.elements() / shape[0];
        const float factor = 1.7f / std::sqrt(static_cast<float>(inputs));
        Tensor values = host(shape, seed++);
        for (float& v : values.span<float>()) v = inputs > 1 ? v * factor : v;
        all.emplace(name, Weight(name, values));
    }
    const std::vector<float> mean(8, 0.0f), deviation(8, 1.0f);
    return {Component::vae21, std::move(all), {{"latents_mean", mean}, {"latents_std", deviation}}, "test"};
}

TEST(FramesSideBySide, GiveTheVideoThatCopiesGive) {
    const Tensor latent = host({8, 2, 2, 2}, 7);
    for (const int strips : {1, 2}) {
        std::vector<Tensor> videos;
        for (const bool stacked : {false, true}) {
            Fused fused;
            fused.dnn->stacked = stacked;
            const auto weights = std::make_shared<const Weights>(small_vae());
            const wan::Vae vae(weights, fused.backend, {.bf16_above = 0, .strips = strips, .tf32 = true});
            videos.push_back(vae.decode(latent));
            EXPECT_GT(fused.dnn->convs, 0);
        }
        expect_near(videos[1], doubles(videos[0]), f32_tolerance);
    }
}

} // namespace
} // namespace denoir::test
