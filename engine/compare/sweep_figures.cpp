// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/sweep_figures.h"

#include <fmt/format.h>

#include <new>
#include <vector>

#include "engine/compare/pairs.h"
#include "engine/compare/rgb8.h"
#include "engine/core/memory.h"
#include "engine/metrics/summary.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_folder.h"

namespace denoir {
namespace {

/// Whether this is the folder of a run that did not keep its last latents, only its video.
bool lacks_latents(const std::filesystem::path& path) {
    std::error_code code;
    if (!std::filesystem::is_directory(path, code)) return false;
    const RunFolder run = RunFolder::open(path);
    return !std::filesystem::is_regular_file(run.latents_file(run.record().total_steps), code);
}

std::filesystem::path video_of(const std::filesystem::path& path) {
    std::error_code code;
    return std::filesystem::is_directory(path, code) ? path / run_file::video : path;
}

} // namespace

SweepCell::Figures SweepMeter::figures(const std::filesystem::path& cell, const std::filesystem::path& reference,
                                       std::size_t reference_index, const ProgressCall& progress,
                                       std::stop_token stop) try {
    SweepCell::Figures out{.reference = reference_index};
    Observer quiet;
    const SourceOptions options{.threads = threads_};
    // A comparison of decoded latents with a written video would measure the video's compression.
    const bool written = lacks_latents(cell) || lacks_latents(reference);
    const std::filesystem::path a = written ? video_of(cell) : cell, b = written ? video_of(reference) : reference;
    if (written) out.note = "of the videos: latents were not kept";
    if (!reference_ || open_ != b) {
        reference_.reset();
        reference_ = open_source(b, options, quiet, stop);
        open_ = b;
    }
    reference_->rewind();
    const auto source = open_source(a, options, quiet, stop);
    pool_.set_stop(stop);
    // Paired by number, not by time: cells that differ only in their frame rate have the same frames.
    FramePairs pairs(*source, *reference_, {}, pool_.threads() > 1);
    const auto total = double(pairs.expected().value_or(0));
    std::vector<metrics::FrameMetrics> values;
    while (const auto pair = pairs.next()) {
        values.push_back(metrics::compare_frames(rgb8(pair->a->image), rgb8(pair->b->image), pool_));
        if (progress) progress(double(values.size()), total);
    }
    if (values.empty()) {
        out.note = "no frames";
        return out;
    }
    const std::int64_t own = pairs.length_a(), theirs = pairs.length_b();
    const metrics::Summary summary = metrics::summarize(values);
    out.psnr = summary.mean.psnr;
    out.ssim = summary.mean.ssim;
    if (summary.mean.mse > 0) out.worst_frame = summary.mean.ssim ? summary.worst_ssim : summary.worst_psnr;
    if (own != theirs && written)
        out.note = fmt::format("of the videos, latents were not kept: over {} frames, it has {}, the reference {}",
                               values.size(), own, theirs);
    else if (own != theirs)
        out.note = fmt::format("over {} frames: it has {}, the reference {}", values.size(), own, theirs);
    return out;
} catch (const Error& e) {
    return none(reference_index, e);
} catch (const std::bad_alloc&) {
    return none(reference_index, not_enough_memory());
}

SweepCell::Figures SweepMeter::none(std::size_t reference_index, const Error& e) {
    reference_.reset();
    return {.reference = reference_index, .note = e.field().empty() ? e.message() : e.field() + " " + e.message()};
}

} // namespace denoir
