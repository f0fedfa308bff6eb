// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>

#include "engine/compare/source.h"
#include "engine/core/progress.h"
#include "engine/core/thread_pool.h"
#include "engine/session/sweep_folder.h"

namespace denoir {

/// Measures one clip after another. The reference measured against last stays open: a run's latents are decoded once
/// for all cells that are held against it.
class SweepMeter {
public:
    explicit SweepMeter(int threads) : threads_(threads), pool_(threads) {}

    /// How far a cell's clip is from its reference's, over all frames: PSNR of the mean MSE, mean SSIM, the frame with
    /// the lowest. Both are whatever open_source() opens (a run folder is decoded from its latents). Clips that cannot
    /// be held against each other (other size, damaged) give a note instead of figures. `progress` is told frames.
    /// Blocks. Throws Cancelled.
    SweepCell::Figures figures(const std::filesystem::path& cell, const std::filesystem::path& reference,
                               std::size_t reference_index, const ProgressCall& progress, std::stop_token);
    /// Lets the reference go, with the file that its frames are in.
    void close() { reference_.reset(); }

private:
    SweepCell::Figures none(std::size_t reference_index, const Error&);

    int threads_;
    ThreadPool pool_;
    std::filesystem::path open_;
    std::unique_ptr<FrameSource> reference_;
};

} // namespace denoir
