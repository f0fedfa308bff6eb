// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/pipeline/needs.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/variant.h"
#include "engine/weights/model_folder.h"
#include "tests/engine/pipeline/resolved.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {
namespace {

namespace fs = std::filesystem;

/// Gives some of a file's tensors other sizes and replaces all numbers by a hole in the file.
void widen(const fs::path& file,
           const std::function<std::int64_t(const std::string& name, std::size_t axis, std::int64_t side)>& wanted) {
    std::ifstream in(file, std::ios::binary);
    std::uint64_t length = 0;
    in.read(reinterpret_cast<char*>(&length), 8);
    std::string text(length, '\0');
    in.read(text.data(), std::streamsize(length));
    Json header = parse_json(text, file.string());
    header.erase("__metadata__");
    std::int64_t end = 0;
    for (auto& [name, tensor] : header.items()) {
        std::int64_t bytes = 4;
        for (std::size_t axis = 0; axis < tensor["shape"].size(); ++axis) {
            Json& side = tensor["shape"][axis];
            side = wanted(name, axis, side.get<std::int64_t>());
            bytes *= side.get<std::int64_t>();
        }
        tensor["dtype"] = "F32";
        tensor["data_offsets"] = {end, end + bytes};
        end += bytes;
    }
    text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    length = text.size();
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(&length), 8);
    out << text;
    out.close();
    fs::resize_file(file, 8 + length + std::uint64_t(end));
}

class Memory : public testing::Test {
protected:
    Memory() {
        fs::copy(models / "Wan2.1-T2V-tiny-Diffusers", folder_ / "model", fs::copy_options::recursive);
        request_.model = folder_ / "model", request_.family = Family::wan, request_.prompt = "a fox";
        request_.device = Device{};
    }
    Request resolved() const { return Pipeline::resolve(request_, ModelFolder::open(request_.model)); }

    TempFolder folder_;
    Request request_;
};

/// The headers tell what a step needs at once, so the refusal comes long before memory runs out.
TEST_F(Memory, MoreThanTheMachineHasIsRefused) {
    request_.width = request_.height = 1024, request_.frames = 81;
    EXPECT_NO_THROW(resolved());
    const fs::path config = folder_ / "model/transformer/config.json";
    Json json = parse_json(read_text(config, 1 << 20), "config.json");
    json["ffn_dim"] = 1 << 24;
    std::ofstream(config) << json;
    widen(folder_ / "model/transformer/diffusion_pytorch_model.safetensors",
          [](const std::string& name, std::size_t axis, std::int64_t side) {
              const bool wide = (name.find(".ffn.net.0.") != std::string::npos && axis == 0) ||
                                (name.ends_with(".ffn.net.2.weight") && axis == 1);
              return wide ? std::int64_t{1} << 24 : side;
          });
    const std::string said = refusal([&] { resolved(); });
    // In GiB. The hidden layer is so wide that it is computed in pieces, one at a time.
    EXPECT_NE(said.find("1024x1024 with 81 frames needs 404."), std::string::npos) << said;
}

/// The vocabulary of this model is larger than everything else, and the run's peak is while the text is encoded.
TEST_F(Memory, TheTextEncoderCountsToo) {
    request_.width = request_.height = 32, request_.frames = 5;
    widen(folder_ / "model/text_encoder/model.safetensors",
          [](const std::string& name, std::size_t axis, std::int64_t side) {
              return name == "shared.weight" && axis == 0 ? std::int64_t{1} << 20 : side;
          });
    const Request r = resolved();
    const ModelFolder model = ModelFolder::open(r.model);
    const Estimate e = Pipeline::estimate(r, model);
    EXPECT_LT(e.steps_bytes, std::size_t{90} << 20);
    EXPECT_GE(e.peak_bytes, std::size_t{96} << 20); // the embedding has 24 columns in f32
}

/// After memory ran out on a card, each rung reserves half of the activations' size more. There are three rungs, and
/// none for a device that does not stream weights.
TEST_F(Memory, TheLadderHasThreeRungs) {
    struct Streaming : cpu::CpuBackend {
        using CpuBackend::CpuBackend;
        bool streams_weights() const override { return true; }
    };
    const Streaming card(1);
    const cpu::CpuBackend host(1);
    const Error memory({}, "memory", "there was not enough", {}), other({}, "width", "is odd", {});
    Observer quiet;
    int rung = 0;
    EXPECT_FALSE(next_rung(memory, host, rung, quiet));
    EXPECT_FALSE(next_rung(other, card, rung, quiet));
    for (int i = 1; i <= 3; ++i) {
        EXPECT_TRUE(next_rung(memory, card, rung, quiet));
        EXPECT_EQ(rung, i);
        MemoryNeeds needs;
        needs.activations = 100;
        EXPECT_EQ(needs_on(rung, needs).activations, std::size_t(100 + 50 * i));
    }
    EXPECT_FALSE(next_rung(memory, card, rung, quiet));
}

/// TeaCache keeps what the blocks added, for the guided and for the unguided branch.
TEST_F(Memory, WhatTeaCacheKeepsCountsToo) {
    request_.width = request_.height = 64, request_.frames = 5;
    Request r = resolved();
    const ModelFolder model = ModelFolder::open(r.model);
    const Weights weights = Weights::load(model.transformer, Component::transformer);
    const Variant variant = Variant::read(model);
    const std::size_t without = transformer_needs(weights, r, variant).activations;
    r.cache.emplace();
    const std::size_t with = transformer_needs(weights, r, variant).activations;
    const std::size_t stream = std::size_t(2 * 4 * 4 * variant.dim) * sizeof(float); // the tokens times the width
    EXPECT_GE(with, without + 2 * stream);
}

} // namespace
} // namespace denoir::test
