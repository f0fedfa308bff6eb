// SPDX-License-Identifier: Apache-2.0
#include "engine/models/lpips/lpips.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/weights/safetensors_writer.h"
#include "tests/engine/metrics/pictures.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

/// The weights of tests/reference/lpips_golden.py: numbers in -1 … 1 made from the bytes of a name.
Tensor made_weight(const std::string& key, const Shape& shape) {
    std::uint32_t h = 2166136261u;
    for (const char c : key) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    Tensor t = Tensor::host(shape);
    const bool head = key.starts_with("lin");
    const std::int64_t fan = shape.elements() / shape[0];
    const auto factor = float(shape.rank() == 4 ? std::sqrt(3.0 / double(fan)) : 0.1);
    std::uint32_t n = 0;
    for (float& v : t.span<float>()) {
        std::uint32_t i = n++ * 2654435761u + h;
        i = (i ^ (i >> 16)) * 0x45D9F3Bu;
        i ^= i >> 16;
        const auto value = float(double(i) / 2147483648.0 - 1);
        v = head ? (value + 1) / 2 : value * factor;
    }
    return t;
}

struct Conv {
    int index, out, in, kernel, slice;
};
const std::vector<Conv> alexnet{
    {0, 64, 3, 11, 1}, {3, 192, 64, 5, 2}, {6, 384, 192, 3, 3}, {8, 256, 384, 3, 4}, {10, 256, 256, 3, 5}};
const std::vector<Conv> vgg16{{0, 64, 3, 3, 1},     {2, 64, 64, 3, 1},    {5, 128, 64, 3, 2},   {7, 128, 128, 3, 2},
                              {10, 256, 128, 3, 3}, {12, 256, 256, 3, 3}, {14, 256, 256, 3, 3}, {17, 512, 256, 3, 4},
                              {19, 512, 512, 3, 4}, {21, 512, 512, 3, 4}, {24, 512, 512, 3, 5}, {26, 512, 512, 3, 5},
                              {28, 512, 512, 3, 5}};

enum class Names { package, torchvision };

std::map<std::string, Tensor> backbone(const std::vector<Conv>& convs, Names names) {
    std::map<std::string, Tensor> all;
    for (const Conv& c : convs) {
        const std::string number = std::to_string(c.index);
        const std::string prefix = names == Names::package ? "net.slice" + std::to_string(c.slice) + "." : "features.";
        all[prefix + number + ".weight"] = made_weight(number + ".weight", {c.out, c.in, c.kernel, c.kernel});
        all[prefix + number + ".bias"] = made_weight(number + ".bias", {c.out});
    }
    return all;
}

std::map<std::string, Tensor> heads(const std::vector<int>& channels) {
    std::map<std::string, Tensor> all;
    for (std::size_t i = 0; i < channels.size(); ++i) {
        const std::string name = "lin" + std::to_string(i);
        all[name + ".model.1.weight"] = made_weight(name, {1, channels[i], 1, 1});
    }
    return all;
}

class LpipsTest : public ::testing::Test {
protected:
    fs::path write(const char* name, std::map<std::string, Tensor> tensors) {
        write_safetensors(folder_.path() / name, tensors);
        return folder_.path() / name;
    }
    fs::path whole(const std::vector<Conv>& convs, const std::vector<int>& channels) {
        auto all = backbone(convs, Names::package);
        all.merge(heads(channels));
        all["scaling_layer.shift"] = Tensor::zeros({1, 3, 1, 1});
        return write("whole.safetensors", all);
    }
    std::string refusal(const std::vector<fs::path>& files) {
        try {
            lpips::Lpips network(files, open_backend({}, 1));
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
    test::TempFolder folder_;
};

Tensor chw(const test::Samples& s) {
    Tensor t = Tensor::host({3, s.height, s.width});
    for (std::int64_t i = 0; i < std::int64_t{s.width} * s.height; ++i)
        for (std::int64_t c = 0; c < 3; ++c)
            t.data<float>()[c * s.width * s.height + i] = float(s.values[std::size_t(3 * i + c)]);
    return t;
}

const std::vector<int> alex_channels{64, 192, 384, 256, 256}, vgg_channels{64, 128, 256, 512, 512};

TEST_F(LpipsTest, AsThePackageComputesIt) {
    const std::string file = std::string(DENOIR_FIXTURES) + "/lpips/golden.json";
    const Json cases = parse_json(read_text(file, 1 << 20), file);
    const auto backend = open_backend({}, 2);
    for (const char* net : {"alex", "vgg"}) {
        const bool alex = net == std::string("alex");
        const std::vector<fs::path> files{whole(alex ? alexnet : vgg16, alex ? alex_channels : vgg_channels)};
        const lpips::Lpips network(files, backend);
        EXPECT_EQ(network.network(), alex ? lpips::Network::alexnet : lpips::Network::vgg16);
        int compared = 0;
        for (const Json& c : cases) {
            if (c["net"] != net) continue;
            const std::uint64_t seed = c["seed"];
            const test::Samples a = test::picture(c["width"], c["height"], seed),
                                b = test::changed(a, seed, c["change"]);
            const double expected = c["distance"];
            EXPECT_NEAR(network.distance(chw(a), chw(b)), expected, 1e-5 * std::max(0.01, expected)) << c.dump();
            ++compared;
        }
        EXPECT_EQ(compared, alex ? 4 : 2);
    }
}

TEST_F(LpipsTest, BackboneAndHeadsInTwoFiles) {
    const fs::path one = write("alexnet.safetensors", backbone(alexnet, Names::torchvision)),
                   two = write("heads.safetensors", heads(alex_channels));
    const std::vector<fs::path> both{one, two}, together{whole(alexnet, alex_channels)};
    const auto backend = open_backend({}, 1);
    const Tensor a = chw(test::picture(40, 33, 1)), b = chw(test::picture(40, 33, 1, 3));
    EXPECT_EQ(lpips::Lpips(both, backend).distance(a, b), lpips::Lpips(together, backend).distance(a, b));
    EXPECT_NE(refusal({one}).find("lin0"), std::string::npos) << refusal({one});
    EXPECT_NE(refusal({two}).find("features.0.weight"), std::string::npos) << refusal({two});
}

/// Stands for a card whose memory the program cannot read through a pointer.
struct Card final : cpu::CpuBackend {
    Card() : CpuBackend(1) {}
    Device device() const override { return {Device::Kind::cuda, 1}; }
};
struct CardMemory final : Buffer {
    explicit CardMemory(Backend& card) : Buffer(nullptr, std::size_t{1} << 20, &card) {}
};

TEST_F(LpipsTest, PicturesOnACardAreRefused) {
    Card card;
    const Tensor there(std::make_shared<CardMemory>(card), 0, {3, 33, 40}, DType::f32),
        here = chw(test::picture(40, 33, 1));
    const std::vector<fs::path> files{whole(alexnet, alex_channels)};
    const lpips::Lpips network(files, open_backend({}, 1));
    for (const auto& [a, b] : {std::pair{there, here}, std::pair{here, there}}) {
        const std::string said = test::refusal([&, &a = a, &b = b] { network.distance(a, b); });
        EXPECT_NE(said.find("cuda:1"), std::string::npos) << said;
    }
}

TEST_F(LpipsTest, WrongFilesAreRefused) {
    auto wrong = backbone(alexnet, Names::package);
    wrong.merge(heads({64, 192, 384, 256, 255}));
    EXPECT_NE(refusal({write("shape.safetensors", wrong)}).find("lin4"), std::string::npos);
    const fs::path text = folder_.path() / "text.pth";
    std::ofstream(text) << "hello";
    EXPECT_NE(refusal({text}).find("text.pth"), std::string::npos);
    EXPECT_NE(refusal({folder_.path() / "missing"}).find("missing"), std::string::npos);
    auto empty = backbone(alexnet, Names::package);
    empty["net.slice1.0.weight"] = Tensor::zeros({64, 3, 11, 10});
    EXPECT_NE(refusal({write("empty.safetensors", empty)}).find("expected [64, 3, 11, 11]"), std::string::npos);
}

} // namespace
} // namespace denoir
