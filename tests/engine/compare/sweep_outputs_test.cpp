// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/sweep_outputs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/media/image.h"
#include "engine/media/video_writer.h"
#include "engine/session/run_folder.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace {

/// A finished run of five pictures, the middle one red, at 49 a second.
std::filesystem::path red_in_the_middle(const std::filesystem::path& path) {
    RunRecord record;
    Request& r = record.request;
    r.mode = Mode::t2v, r.model = "/models/wan", r.family = Family::wan, r.prompt = "a fox", r.negative_prompt = "";
    r.width = 64, r.height = 48, r.frames = 5, r.fps = 49, r.steps = 1, r.guidance = 5, r.shift = 5, r.seed = 7;
    r.sampler = Sampler::unipc, r.dtype = DType::f32, r.precision = PrecisionPolicy::f32;
    r.preprocess = Preprocess::original, r.device = Device{};
    record.state = RunState::done;
    record.out = path / "video.mp4";
    record.created = "2026-01-31T12:00:00Z";
    record.total_steps = 1;
    const RunFolder run = RunFolder::create(path, std::move(record));
    VideoOptions options;
    options.width = 64, options.height = 48, options.fps = frame_rate(49);
    VideoWriter writer(run.file("video.mp4"), options);
    for (int i = 0; i < 5; ++i) {
        Image picture(64, 48);
        for (std::size_t p = 0; i == 2 && p < picture.rgb.size(); p += 3) picture.rgb[p] = 255;
        writer.write(picture);
    }
    writer.finish();
    return path;
}

/// 2 / 49 · 49 is a little less than 2: each picture is there from its own time on all the same.
TEST(SweepOutputs, PicturesComeWhenTheirTimeHasCome) {
    const test::TempFolder folder;
    SweepRecord record;
    record.sweep = sweep_from_json(parse_json(R"({"schema": 1, "axes": {"seed": [7]}})", "s.json"), {"s.json", "/"});
    record.cells.resize(1);
    record.cells[0].state = SweepCell::State::done;
    record.cells[0].run = red_in_the_middle(folder / "run");
    SweepOutputs outputs;
    outputs.picture = folder / "grid.png";
    write_outputs(record, outputs, [](std::string_view, std::int64_t, std::int64_t) {}, {});
    const Image grid = read_image(outputs.picture);
    int red = 0;
    for (std::size_t p = 0; p < grid.rgb.size(); p += 3) red += grid.rgb[p] > 200 && grid.rgb[p + 1] < 60;
    EXPECT_GE(red, 64 * 48 / 2);
}

} // namespace
} // namespace denoir
