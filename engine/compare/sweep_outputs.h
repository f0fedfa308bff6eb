// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/progress.h"
#include "engine/media/image.h"
#include "engine/session/sweep_folder.h"

namespace denoir {

/// The files that are made of a sweep; an empty path: not wanted.
struct SweepOutputs {
    std::filesystem::path video;   ///< .mp4 or .mkv: all clips playing together, with their values
    std::filesystem::path picture; ///< .png: the middle frame of each
    std::filesystem::path report;  ///< .html: pictures, a table with what differs, times and figures, curves
    std::filesystem::path csv;     ///< a line for each cell
    /// Bytes of pictures that are drawn at a time. With fewer, every clip is opened more often.
    std::size_t memory = std::size_t{256} << 20;
};

/// grid.mp4, grid.png, report.html, sweep.csv in the sweep's folder.
SweepOutputs usual_outputs(const std::filesystem::path& folder);

/// Writes the files from the cells' videos (video.mp4 of their runs), of which one is open at a time. A cell that is
/// not done is drawn empty, with its state. A clip that ends before the longest keeps its last frame; a damaged one,
/// its last whole frame. Grids are scaled down to at most 3840x2160. Each file appears whole or not at all. `progress`
/// is told frames. Returns sentences for people about the clips that could not be read. Throws Error, also if a video
/// or picture is wanted and no clip is finished; Cancelled.
std::vector<std::string> write_outputs(const SweepRecord&, const SweepOutputs&, const WorkCall& progress,
                                       std::stop_token);

/// A line of column names, then a line for each cell: its number, the axes' values, state, seconds, reference, psnr,
/// ssim, run.
std::string to_csv(const SweepRecord&);

} // namespace denoir
