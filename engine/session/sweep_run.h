// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/pipeline/observer.h"
#include "engine/session/engine.h"
#include "engine/session/run_folder.h"
#include "engine/session/sweep_folder.h"

namespace denoir {

/// What a sweep comes down to once every cell's request is resolved.
struct SweepPlan {
    std::vector<Request> requests;                ///< of every cell, resolved, paths absolute
    std::vector<std::size_t> order;               ///< in which they are rendered
    std::vector<std::optional<std::size_t>> same; ///< an earlier cell of the order whose request is equal
    std::vector<std::filesystem::path> found;     ///< a finished run of the history that is this cell; empty: none
    std::vector<double> flop;                     ///< of every cell's whole run

    /// Neither equal to another cell nor found.
    bool renders(std::size_t cell) const { return !same[cell] && found[cell].empty(); }
    /// Of all cells that are still to be rendered.
    double flop_to_do(const SweepRecord&) const;
};

/// Resolves every cell and refuses, before anything is computed, whatever can be refused then: values that do not go
/// together, images, parts of the model that are missing. An error of an axis's field says in which cell. `reuse`:
/// looks for finished runs of equal requests. Throws Error, UsageError.
SweepPlan plan_sweep(const Sweep&, bool reuse, Observer&);
/// Refuses, before anything is made, a device that is not there, and a disk with less room than one of the clips needs.
/// `folder` is the sweep's; it, or the folder that it comes into, exists. Throws Error.
void check_means(const Sweep&, const SweepPlan&, const std::filesystem::path& folder);

/// True where `run` was made by exactly this request, by this build, from files that are as they were then, and has its
/// video. `request` is resolved, its paths absolute; threads and kept latents do not count.
bool is_run_of(const RunRecord& run, const std::filesystem::path& folder, const Request& request);
/// The key under which requests are equal in that sense.
std::string request_identity(const Request& resolved);

struct SweepCalls {
    std::function<void(std::size_t cell, std::size_t number, std::size_t of)>
        begins;                                   ///< number from 1, of those rendered
    std::function<void(const RunFolder&)> on_run; ///< the cell's run can be resumed from now on
    std::function<void(std::size_t cell)> ends;   ///< done, reused or failed; the record is up to date, and saved after
};

/// Renders what is not done yet, each cell into a run of its own below the sweep's folder (`runs/…`), which the history
/// knows too. Weights stay loaded, and what the encoders gave is taken over from cell to cell. A cell that was
/// interrupted goes on where it stopped; one that fails is noted and the others go on, unless nothing can be written
/// any more. sweep.json is renewed after each. Throws Error, Cancelled.
void run_sweep(SweepFolder&, const SweepPlan&, Engine&, const SweepCalls&, Observer&, std::stop_token);

} // namespace denoir
