// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "engine/core/atomic_file.h"
#include "engine/session/run_folder.h"
#include "tests/app/tiny.h"

namespace denoir::app {

/// Finished runs that were never computed: their records are true, and their tensors and pictures are a few bytes.
inline RunRecord fake_record(int number) {
    static const char* things[] = {"balloon", "fox", "boat", "lighthouse", "train", "cloud", "garden"};
    RunRecord record;
    Request& r = record.request;
    r = tiny_request();
    r.prompt = fmt::format("A {} {} number {} drifts over the hills while the light changes slowly from gold to blue.",
                           number % 2 ? "red" : "blue", things[number % 7], number);
    r.mode = Mode::forcing, r.family = Family::skyreels_df, r.negative_prompt = "blurred, static, worst quality";
    r.steps = 4 + number % 40, r.fps = 24, r.guidance = 5, r.shift = 5, r.seed = std::uint64_t(number);
    r.sampler = Sampler::unipc, r.precision = PrecisionPolicy::f32, r.preprocess = Preprocess::original;
    r.device = Device{}, r.forcing = Forcing{};
    record.state = RunState::done;
    record.created = fmt::format("2026-{:02}-{:02}T{:02}:{:02}:{:02}Z", 1 + number / 2419200 % 12,
                                 1 + number / 86400 % 28, number / 3600 % 24, number / 60 % 60, number % 60);
    record.total_steps = *r.steps;
    record.seconds = 8;
    for (int step = 0; step <= *r.steps; ++step)
        record.steps.push_back({step, 0.1, std::string(64, 'a'), "", 0, 1, 1, 0.1});
    return record;
}

/// Writes the record and an empty video without syncing them, so that thousands of runs take seconds.
inline void fake_run_quickly(const std::filesystem::path& runs, int number) {
    const std::filesystem::path path = runs / fmt::format("run-{:06}", number);
    std::filesystem::create_directories(path / "latents");
    RunRecord record = fake_record(number);
    record.out = path / "video.mp4";
    std::ofstream(path / "run.json") << to_json(record).dump(1) << "\n";
    std::ofstream(path / "video.mp4") << "video";
}

inline std::filesystem::path fake_run(const std::filesystem::path& runs, int number, bool latents = true) {
    RunRecord record = fake_record(number);
    const std::filesystem::path path = runs / fmt::format("run-{:06}", number);
    record.out = path / "video.mp4";
    RunFolder run = RunFolder::create(path, std::move(record));
    write_file(run.file("video.mp4"), "video");
    if (!latents) return path;
    for (int step = 0; step <= run.record().total_steps; ++step) {
        write_file(run.latents_file(step), std::string(1000, 'l'));
        if (step > 0 && step < run.record().total_steps) write_file(run.solver_file(step), std::string(500, 's'));
    }
    return path;
}

} // namespace denoir::app
