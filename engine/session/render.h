// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/pipeline/observer.h"
#include "engine/pipeline/request.h"
#include "engine/session/engine.h"
#include "engine/session/run_folder.h"

namespace denoir {

/// Where render() writes, and what it may take over.
struct RenderOptions {
    std::filesystem::path out;     ///< .mp4, .mkv, or a new or empty folder for PNG frames; empty: the run's own video
    std::filesystem::path run_dir; ///< new or empty; empty: a name of its own below the data folder's `runs`
    bool metadata = true;          ///< the request goes into the video
    std::vector<std::filesystem::path> inputs; ///< further files that `out` must not be (the request's own)
    /// A run whose encoded prompt and images are reused if they are the same; empty: none. Changes no result.
    std::filesystem::path conditioning_of;
    /// Called when the run folder exists: from then on the run can be resumed.
    std::function<void(const RunFolder&)> on_run;
};

struct RenderResult {
    std::filesystem::path out, run;
    std::uint64_t seed = 0;
    double seconds = 0;
    std::vector<std::pair<std::string, double>> stages;
    std::uint64_t peak_memory_bytes = 0;
    int forwards = 0, reused = 0; ///< with TeaCache: the transformer's forwards, and how many of them were reused
};

/// The result of a finished run, read from its folder.
RenderResult result_of(const RunFolder&);

/// Makes an empty folder with a name of its own below the data folder's `runs`, for RenderOptions::run_dir: known
/// before anything is computed. `resolved` has a seed. Throws Error.
std::filesystem::path new_run_folder(const Request& resolved);

/// Renders a request to a video. Makes all checks that need no computing first; then makes the run folder and stores
/// each step, so that the run can be resumed after Cancelled, an Error or kill -9. A request with `start` takes the
/// steps up to there from that run. Throws Error, UsageError, Cancelled.
RenderResult render(const Request&, const RenderOptions&, Engine&, Observer&, std::stop_token);

/// Resumes a run after its last whole step and writes to the recorded `out`; the result is the same as without the
/// interruption. A finished run is left as it is. `threads` below 0: as recorded. Throws as render() does.
RenderResult resume(const std::filesystem::path& run, const std::function<void(const RunFolder&)>& on_run, int threads,
                    Engine&, Observer&, std::stop_token);

} // namespace denoir
