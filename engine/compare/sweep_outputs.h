// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/progress.h"
#include "engine/media/image.h"
#include "engine/session/sweep_folder.h"

namespace denoir {

/// What is made of a sweep; empty paths: not wanted.
struct SweepOutputs {
    std::filesystem::path video;   ///< .mp4 or .mkv: all clips playing together, with their values
    std::filesystem::path picture; ///< .png: the middle frame of each
    std::filesystem::path report;  ///< .html: pictures, a table with what differs, times and figures, curves
    std::filesystem::path csv;     ///< a line for each cell
    /// Bytes of pictures that are drawn at a time; fewer open every clip more often.
    std::size_t memory = std::size_t{256} << 20;
};

/// grid.mp4, grid.png, report.html, sweep.csv in the sweep's folder.
SweepOutputs usual_outputs(const std::filesystem::path& folder);

/// Reads the cells' videos (their run's video.mp4), one at a time. Cells that are not done are drawn empty, with their
/// state; a clip shorter than the longest holds its last frame, one that is damaged the last that is whole: the
/// returned sentences, for people, are about those that could not be read. Large grids are drawn smaller, so that the
/// whole stays within 3840x2160; without any finished clip that is an Error. Each file appears whole or not at all.
/// `progress` is told frames. Throws Error, Cancelled.
std::vector<std::string> write_outputs(const SweepRecord&, const SweepOutputs&, const WorkCall& progress,
                                       std::stop_token);

/// One line a cell, with a line of names: the axes' values, state, seconds, psnr, ssim, run.
std::string to_csv(const SweepRecord&);

} // namespace denoir
