// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "engine/pipeline/network_options.h"
#include "engine/pipeline/pipeline.h"
#include "engine/weights/model_folder.h"
#include "tests/engine/pipeline/resolved.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {
namespace {

namespace fs = std::filesystem;

/// Three windows of diffusion forcing with 9 pictures each, the later two of which are given five.
Request windows_request(const fs::path& model) {
    Request r;
    r.model = model, r.prompt = "a fox";
    r.width = r.height = 32, r.frames = 17, r.steps = 1, r.seed = 3, r.dtype = DType::f32;
    r.forcing = Forcing{.overlap = 5, .base = 9};
    return Pipeline::resolve(r, ModelFolder::open(model));
}

struct Progress : Observer {
    std::vector<std::pair<double, double>> told;
    std::function<void()> at_the_beginning = [] {};
    void stage_begins(Stage stage) override {
        if (stage == Stage::decode) at_the_beginning();
    }
    void progress(Stage stage, double done, double total, double) override {
        if (stage == Stage::decode) told.emplace_back(done, total);
    }
};

/// Decodes latents in which every value is `value`, and returns how many pictures came.
int decode(const Request& r, float value, Progress& progress) {
    const ModelFolder model = ModelFolder::open(r.model);
    std::vector<Tensor> latents;
    for (int i = 0; i < 3; ++i) {
        latents.push_back(Tensor::zeros({16, 3, 4, 4}));
        for (float& v : latents.back().span<float>()) v = value;
    }
    Residency residency;
    Pipeline pipeline(residency, open_backend(Device{}, 1));
    int pictures = 0;
    pipeline.decode(r, model, latents, [&](int, const Tensor&) { ++pictures; }, progress, {});
    return pictures;
}

const fs::path forcing_model = models / "SkyReels-V2-DF-tiny";

TEST(Decode, ProgressCountsThePicturesOfAllWindows) {
    Progress progress;
    EXPECT_EQ(decode(windows_request(forcing_model), 0.1f, progress), 17);
    ASSERT_EQ(progress.told.size(), 27u);
    for (int i = 0; i < 27; ++i) { // of each later window the first five pictures were shown with the window before
        const int window = i / 9, of_window = i % 9 + 1;
        const int done = window == 0 ? of_window : 9 + 4 * (window - 1) + std::max(0, of_window - 5);
        EXPECT_EQ(progress.told[std::size_t(i)], std::pair(double(done), 17.0));
    }
}

TEST(Decode, LatentsThatAreNotFiniteAreRefused) {
    Progress progress;
    const Request r = windows_request(forcing_model);
    EXPECT_EQ(refusal([&] { decode(r, 1e30f, progress); }), "accepted"); // is clamped to white
    const std::string said = refusal([&] { decode(r, std::numeric_limits<float>::quiet_NaN(), progress); });
    EXPECT_NE(said.find("frame 0"), std::string::npos) << said;
    EXPECT_NE(said.find("Wan2.1_VAE.pth"), std::string::npos) << said;
}

/// If decoding begins again after an error of memory, the receiver must still get every picture once.
TEST(Decode, AfterMemoryRanOutNoPictureComesTwice) {
    const Request r = resolved("Wan2.1-T2V-tiny", [](Request& q) { q.width = q.height = 32, q.frames = 9; });
    const ModelFolder model = ModelFolder::open(r.model);
    Residency residency;
    Pipeline pipeline(residency, open_backend(Device{}, 1));
    std::vector<int> taken;
    bool failed = false;
    const auto take = [&](int index, const Tensor&) {
        if (index == 3 && !std::exchange(failed, true)) throw Error({}, "memory", "there was not enough", {});
        taken.push_back(index);
    };
    struct Told : Observer {
        std::vector<std::string> warnings;
        void warning(std::string_view text) override { warnings.emplace_back(text); }
    } told;
    pipeline.decode(r, model, {Tensor::zeros({16, 3, 4, 4})}, take, told, {});
    EXPECT_EQ(taken, (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    ASSERT_EQ(told.warnings.size(), 1u);
    EXPECT_NE(told.warnings[0].find("decoding again"), std::string::npos) << told.warnings[0];
}

/// A file that is cut short while it is mapped reads as zeros, which must not become pictures.
TEST(Decode, AVaeThatIsCutShortDuringTheRunIsNamed) {
    const TempFolder folder;
    const fs::path model = folder / "model";
    fs::copy(forcing_model, model, fs::copy_options::recursive);
    const Request r = windows_request(model);
    Progress progress;
    progress.at_the_beginning = [&] { fs::resize_file(model / "Wan2.1_VAE.pth", 0); };
    const std::string said = refusal([&] { decode(r, 0.1f, progress); });
    EXPECT_NE(said.find("Wan2.1_VAE.pth"), std::string::npos) << said;
    EXPECT_TRUE(progress.told.empty()) << "no picture was handed out";
}

/// spec/pipelines.md 1.4 and 7.6: SkyReels decodes in bf16, but outside of autocast when it goes on after a video.
TEST(Decode, TheVaeHasTheTypeThatTheReferenceGivesIt) {
    Request r;
    r.precision = PrecisionPolicy::skyreels;
    EXPECT_EQ(vae_options(r).dtype, DType::bf16);
    r.forcing.emplace();
    EXPECT_EQ(vae_options(r).dtype, DType::bf16);
    r.forcing->video = "before.mp4";
    EXPECT_EQ(vae_options(r).dtype, DType::f32);
    r = {};
    for (const PrecisionPolicy policy : {PrecisionPolicy::wan, PrecisionPolicy::f32}) {
        r.precision = policy;
        EXPECT_EQ(vae_options(r).dtype, DType::f32);
    }
}

} // namespace
} // namespace denoir::test
