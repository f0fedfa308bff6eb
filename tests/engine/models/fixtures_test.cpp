// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/models/clip/vision.h"
#include "engine/models/umt5/encoder.h"
#include "engine/models/wan/transformer.h"
#include "engine/models/wan/vae.h"
#include "engine/nn/layers.h"
#include "engine/weights/safetensors.h"
#include "tests/engine/models/support.h"

// Compares every case of tests/fixtures that names one of our networks with what PyTorch computed (tests/reference).
namespace denoir {
namespace {

using Tensors = std::map<std::string, Tensor>;
namespace fs = std::filesystem;

struct Case {
    fs::path folder;
    Json json;
    std::string module() const { return json["module"]; }
    DType dtype() const { return json["dtype"] == "bf16" ? DType::bf16 : DType::f32; }
    std::optional<std::int64_t> set(const char* key) const {
        const Json& options = json["set"];
        if (!options.contains(key)) return {};
        return std::stoll(options[key].get<std::string>());
    }
    std::shared_ptr<const Weights> weights(Component component) const {
        std::vector<fs::path> paths;
        for (const Json& path : json["weights"]) paths.push_back(folder / path.get<std::string>());
        return std::make_shared<const Weights>(Weights::load(paths, component));
    }
    wan::Precision precision() const {
        if (dtype() == DType::f32) return wan::Precision::f32();
        return json.value("precision", "") == "skyreels" ? wan::Precision::skyreels() : wan::Precision::wan();
    }
};

Tensors run_transformer(const Case& c, const Tensors& in) {
    const wan::Transformer model(
        c.weights(Component::transformer), test::cpu(2),
        {.heads = c.set("heads"), .causal_block = c.set("causal_block"), .precision = c.precision()});
    auto optional = [&](const char* name) { return in.contains(name) ? &in.at(name) : nullptr; };
    std::optional<int> fps;
    if (optional("fps")) fps = static_cast<int>(in.at("fps").to_host_f32().data<float>()[0]);
    const Tensor timestep = in.at("timestep").to_host_f32();
    const wan::Context context = model.context(in.at("text"), optional("clip"));
    return {{"velocity", model.forward(in.at("latent"), optional("condition"), timestep.span<float>(), context, fps)}};
}

std::shared_ptr<const Weights> vae_weights(const Case& c) { return c.weights(Component::vae21); }

Tensors run(const Case& c, const Tensors& in) {
    if (c.module() == "wan-transformer") return run_transformer(c, in);
    if (c.module() == "wan-vae-decode")
        return {{"video", wan::Vae(vae_weights(c), test::cpu(2), {.dtype = c.dtype()}).decode(in.at("latent"))}};
    if (c.module() == "wan-vae-encode") {
        const auto encoded = wan::Vae(vae_weights(c), test::cpu(2), {.dtype = c.dtype()}).encode(in.at("video"));
        return {{"latent", encoded.latent}, {"mean", encoded.mean}};
    }
    if (c.module() == "clip-vision") {
        const clip::Vision vision(c.weights(Component::clip), test::cpu(2), {c.dtype(), c.set("heads")});
        return {{"features", vision.forward(in.at("image"))}};
    }
    const umt5::Encoder encoder(c.weights(Component::umt5), test::cpu(2), {c.dtype()});
    const Tensor ids = in.at("tokens");
    return {{"text", encoder.encode(ids.span<std::int64_t>())}};
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const auto& entry : fs::directory_iterator(DENOIR_FIXTURES)) {
        const fs::path file = entry.path() / "case.json";
        if (!fs::exists(file)) continue;
        const Json json = parse_json(read_text(file, 1 << 20), file.string());
        if (!json.contains("module")) continue;
        for (const char* ours : {"wan-transformer", "wan-vae-decode", "wan-vae-encode", "clip-vision", "umt5"})
            if (json["module"] == ours) all.push_back({entry.path(), json});
    }
    return all;
}

TEST(Fixtures, EveryCaseOfOurNetworks) {
    const std::vector<Case> all = cases();
    EXPECT_GE(all.size(), 30u);
    for (const Case& c : all) {
        SCOPED_TRACE(c.folder.filename().string());
        const Tensors in = read_safetensors(c.folder / c.json.value("inputs", "in.safetensors"));
        const Tensors want = read_safetensors(c.folder / "expect.safetensors");
        const Tensors got = run(c, in);
        for (const auto& [name, expected] : want) {
            Tensor result = nn::host_f32(got.at(name));
            // The encoder gives the tokens alone; whoever calls it pads them.
            const Tensor shown = c.module() == "umt5" ? expected.slice(0, 0, result.size(0)) : expected;
            const double error = test::relative_error(result, shown);
            EXPECT_LE(error, c.json["tol"].get<double>()) << name;
            std::printf("%-32s %-9s %.1e of %.0e\n", c.folder.filename().c_str(), name.c_str(), error,
                        c.json["tol"].get<double>());
        }
    }
}

/// In bf16 every rounding must be the reference's. The numbers are those of transformers 4.57.3 (eager attention) on
/// PyTorch 2.8.0 on a processor.
TEST(Fixtures, Umt5InBf16RepeatsPyTorch) {
    const fs::path fixtures = DENOIR_FIXTURES;
    const std::vector<fs::path> paths{fixtures / "_weights/umt5-hf-shared"};
    const auto weights = std::make_shared<const Weights>(Weights::load(paths, Component::umt5));
    const Tensors in = read_safetensors(fixtures / "umt5-hf-shared/in.safetensors");
    const Tensor got =
        nn::host_f32(umt5::Encoder(weights, test::cpu(2), {DType::bf16}).encode(in.at("tokens").span<std::int64_t>()));
    ASSERT_EQ(got.shape(), (Shape{33, 32}));
    const float first[8] = {-0.44921875f, -0.384765625f, 0.43359375f, -1.828125f,
                            -0.55078125f, 0.359375f,     -1.109375f,  -0.609375f};
    const float last[8] = {-0.7578125f, 0.08447265625f, 0.83984375f,  -0.8125f,
                           1.1953125f,  -0.431640625f,  0.494140625f, -0.68359375f};
    // A sum that falls on the other side of a rounding changes some values by less than a hundredth.
    for (int c = 0; c < 8; ++c) {
        EXPECT_NEAR(got.data<float>()[c], first[c], 0.02);
        EXPECT_NEAR(got.data<float>()[32 * 32 + c], last[c], 0.02);
    }
    EXPECT_NEAR(test::sum(got), -79.9744758605957, 0.5);
    EXPECT_NEAR(test::absolute_sum(got), 864.3507041931152, 0.5);
}

} // namespace
} // namespace denoir
