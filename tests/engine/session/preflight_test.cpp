// SPDX-License-Identifier: Apache-2.0
#include "engine/session/preflight.h"

#include <gtest/gtest.h>

#include "engine/core/atomic_file.h"
#include "engine/core/disk.h"
#include "engine/pipeline/pipeline.h"
#include "engine/weights/model_folder.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// Two transformers that do not fit each other cannot share one run.
TEST(Preflight, ExpertsMustBelongTogether) {
    const fs::path models = fs::path(DENOIR_FIXTURES) / "_models";
    Request r;
    r.model = models / "Wan2.2-T2V-A14B-tiny", r.prompt = "a fox";
    const ModelFolder whole = ModelFolder::open(r.model);
    r = Pipeline::resolve(r, whole);
    const auto said = [&](const ModelFolder& model) {
        return test::refusal([&] { preflight(r, model, Needs::everything, {}); });
    };
    EXPECT_EQ(said(whole), "accepted");
    ModelFolder changed = whole;
    for (const Json& boundary : {Json(0.0), Json(0.875), Json(1), Json()}) {
        changed.model_index["boundary_ratio"] = boundary;
        EXPECT_EQ(said(changed), "accepted") << boundary;
    }
    for (const Json& boundary : {Json(1.01), Json(-0.01), Json("0.9"), Json(true), Json::array()}) {
        changed.model_index["boundary_ratio"] = boundary;
        EXPECT_NE(said(changed).find("boundary_ratio: must be a number from 0 to 1"), std::string::npos) << boundary;
    }
    changed = whole;
    // That model's latents have 48 channels.
    changed.transformer_low = ModelFolder::open(models / "Wan2.2-TI2V-tiny").transformer;
    EXPECT_NE(said(changed).find("channels"), std::string::npos) << said(changed);
}

/// A run stores latents, estimates and the solver's memory of every step.
TEST(DiskSpace, MustHoldWhatTheStepsLeave) {
    const test::TempFolder folder;
    Request r;
    r.model = fs::path(DENOIR_FIXTURES) / "_models" / "Wan2.1-T2V-tiny", r.prompt = "a fox";
    r.width = 64, r.height = 64, r.frames = 5, r.steps = 99;
    const ModelFolder model = ModelFolder::open(r.model);
    r = Pipeline::resolve(r, model);
    EXPECT_NO_THROW(check_disk_space(r, model, folder / "run"));
    // At 64 pixels a side, two latent frames of 16 channels in f32 are a latent of 8 KiB; a step stores six of those.
    r.width = r.height = 1 << 20; // a latent of 2 TiB
    const std::string said = test::refusal([&] { check_disk_space(r, model, folder / "run"); });
    EXPECT_NE(said.find("the run needs about 1228800.02 GiB, the disk has "), std::string::npos) << said;
    EXPECT_NE(said.find("; free some space"), std::string::npos) << said;
    EXPECT_THROW(check_disk_space(r, model, folder / "run"), NoSpace); // by this type the studio recognises a full disk
    // A branch links the steps that it takes over, unless they lie on another disk and must be copied.
    for (const auto& [parent, needed] :
         {std::pair{folder.path(), " 12288.02 GiB"}, std::pair{fs::path("/proc"), " 1228800.02 GiB"}}) {
        r.start = Request::Start{parent, 98, {}};
        const std::string of_branch = test::refusal([&] { check_disk_space(r, model, folder / "run"); });
        EXPECT_NE(of_branch.find(needed), std::string::npos) << of_branch;
    }
}

/// The later windows are given pictures of the video, which are stored, too.
TEST(DiskSpace, MustHoldThePicturesThatTheVideoGoesOnWith) {
    const test::TempFolder folder;
    Request r;
    r.model = fs::path(DENOIR_FIXTURES) / "_models" / "SkyReels-V2-DF-tiny", r.prompt = "a fox";
    r.width = 64, r.height = 64, r.frames = 65, r.steps = 2;
    r.forcing.emplace();
    r.forcing->base = 33, r.forcing->overlap = 29;
    const ModelFolder model = ModelFolder::open(r.model);
    r = Pipeline::resolve(r, model);
    r.width = r.height = 1 << 20;
    const auto needed = [&] {
        const std::string said = test::refusal([&] { check_disk_space(r, model, folder / "run"); });
        const std::string about = "the run needs about ";
        return std::stod(said.substr(said.find(about) + about.size()));
    };
    const double without = needed();
    r.forcing->video = folder / "clip.mp4";         // adds 25 frames to those that the first window ends with
    const double picture = 3 * 4 * double(1 << 10); // in GiB
    EXPECT_EQ(needed() - without, 25 * picture);
}

/// Another adapter_config.json beside a LoRA changes what it does.
TEST(ModelFiles, ThoseBesideALoraCountToo) {
    const test::TempFolder folder;
    const fs::path lora = folder / "adapter_model.safetensors", config = folder / "adapter_config.json";
    for (const fs::path& file : {lora, config}) write_file(file, "{}");
    const std::vector<Lora> loras{{lora, 1.0}};
    EXPECT_EQ(model_files({}, loras), (std::vector{config, lora}));
}

/// The model index says where A14B's second expert begins. It lies one folder above a transformer that is named alone.
TEST(ModelFiles, TheModelIndexOfATransformersFileCounts) {
    const test::TempFolder folder;
    const fs::path index = folder / "model_index.json", file = folder / "transformer.safetensors";
    for (const fs::path& path : {index, file}) write_file(path, "{}");
    ModelFolder model;
    model.root = file, model.transformer = {file}, model.model_index_file = index;
    EXPECT_EQ(model_files(model), (std::vector{index, file}));
}

} // namespace
} // namespace denoir
