// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/sweep_outputs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/compare/sweep_grid.h"
#include "engine/core/file.h"
#include "engine/core/memory.h"
#include "engine/media/image.h"
#include "engine/media/video_writer.h"
#include "engine/session/run_folder.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace {

/// A finished run of five pictures at 49 a second, the middle one of which is red.
std::filesystem::path red_in_the_middle(const std::filesystem::path& path, int width = 64, int height = 48) {
    RunRecord record;
    Request& r = record.request;
    r.mode = Mode::t2v, r.model = "/models/wan", r.family = Family::wan, r.prompt = "a fox", r.negative_prompt = "";
    r.width = width, r.height = height, r.frames = 5, r.fps = 49, r.steps = 1, r.guidance = 5, r.shift = 5, r.seed = 7;
    r.sampler = Sampler::unipc, r.dtype = DType::f32, r.precision = PrecisionPolicy::f32;
    r.preprocess = Preprocess::original, r.device = Device{};
    record.state = RunState::done;
    record.out = path / "video.mp4";
    record.created = "2026-01-31T12:00:00Z";
    record.total_steps = 1;
    const RunFolder run = RunFolder::create(path, std::move(record));
    VideoOptions options;
    options.width = width, options.height = height, options.fps = frame_rate(49);
    VideoWriter writer(run.file("video.mp4"), options);
    for (int i = 0; i < 5; ++i) {
        Image picture(width, height);
        for (std::size_t p = 0; i == 2 && p < picture.rgb.size(); p += 3) picture.rgb[p] = 255;
        writer.write(picture);
    }
    writer.finish();
    return path;
}

/// 2 / 49 · 49 is a little less than 2. Each picture must still appear at its own time.
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

/// A sweep over 1 … n of one field and over more axes, in which all cells are done.
SweepRecord sweep_of(const char* field, int n, const std::string& more_axes = "") {
    SweepRecord record;
    Json values = Json::array();
    for (int i = 1; i <= n; ++i) values.push_back(i);
    record.sweep = sweep_from_json(
        parse_json(fmt::format(R"({{"schema": 1, "axes": {{"{}": {}{}}}}})", field, values.dump(), more_axes),
                   "s.json"),
        {"s.json", "/"});
    record.cells.resize(record.sweep.size());
    for (SweepCell& cell : record.cells) cell.state = SweepCell::State::done;
    return record;
}

const WorkCall nobody = [](std::string_view, double, double) {};

std::string bytes_of(const std::filesystem::path& path) { return read_text(path, 1 << 24); }

/// The video must be the same however few pictures are drawn at a time, and a clip that is gone gives a message.
TEST(SweepOutputs, ClipsAreReadAFewMomentsAtATime) {
    const test::TempFolder folder;
    SweepRecord record = sweep_of("seed", 4);
    for (std::size_t i = 0; i < 3; ++i)
        record.cells[i].run = red_in_the_middle(folder / ("run" + std::to_string(i)), 64 << i, 48);
    record.cells[3].run = folder / "gone";
    SweepOutputs outputs;
    outputs.video = folder / "grid.mp4";
    outputs.picture = folder / "grid.png";
    ASSERT_EQ(write_outputs(record, outputs, nobody, {}).size(), 1U);
    const std::string video = bytes_of(outputs.video), picture = bytes_of(outputs.picture);
    outputs.memory = 1;
    const std::vector<std::string> notes = write_outputs(record, outputs, nobody, {});
    EXPECT_TRUE(bytes_of(outputs.video) == video);
    EXPECT_TRUE(bytes_of(outputs.picture) == picture);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("gone"), std::string::npos) << notes[0];
}

TEST(SweepOutputs, MemoryDoesNotGrowWithTheClips) {
    const test::TempFolder folder;
    SweepRecord record = sweep_of("seed", 200);
    for (SweepCell& cell : record.cells) cell.run = folder / "run";
    red_in_the_middle(folder / "run", 832, 480);
    SweepOutputs outputs;
    outputs.picture = folder / "grid.png";
    const auto before = peak_memory_bytes();
    write_outputs(record, outputs, nobody, {});
    EXPECT_LT((peak_memory_bytes() - before) >> 20, 600U); // with every decoder kept open it would be a gigabyte
}

TEST(SweepOutputs, TheGridStaysWithinItsFrame) {
    Json many = sweep_of("steps", 200).sweep.axes[0].values;
    for (const SweepRecord& record :
         {sweep_of("seed", 200, R"(, "guidance": [1, 3])"), sweep_of("seed", 2, R"(, "steps": )" + many.dump())}) {
        const SweepGrid grid(record, 832, 480);
        EXPECT_LE(grid.width(), SweepGrid::most_width);
        EXPECT_LE(grid.height(), SweepGrid::most_height);
        EXPECT_GT(std::min(grid.width(), grid.height()), 1000);
    }
}

} // namespace
} // namespace denoir
