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

/// Measures one clip after another. The last reference stays open, so that a run's latents are decoded once for all
/// cells that are compared with it.
class SweepMeter {
public:
    explicit SweepMeter(int threads) : threads_(threads), pool_(threads) {}

    /// How far a cell's clip is from its reference's, over all frames: PSNR of the mean MSE, mean SSIM, and the worst
    /// frame. Both may be anything that open_source() opens; of two run folders the latents are decoded if both have
    /// kept them, else the videos. Clips that cannot be compared (of another size, damaged) give a note instead of
    /// figures. `progress` is told frames. Throws Cancelled.
    SweepCell::Figures figures(const std::filesystem::path& cell, const std::filesystem::path& reference,
                               std::size_t reference_index, const ProgressCall& progress, std::stop_token);
    /// Closes the reference, and with it the temporary file of its frames.
    void close() { reference_.reset(); }

private:
    SweepCell::Figures none(std::size_t reference_index, const Error&);

    int threads_;
    ThreadPool pool_;
    std::filesystem::path open_;
    std::unique_ptr<FrameSource> reference_;
};

} // namespace denoir
