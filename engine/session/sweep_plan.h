// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/pipeline/observer.h"
#include "engine/pipeline/pipeline.h"
#include "engine/session/run_folder.h"
#include "engine/session/sweep.h"

namespace denoir {

/// The key under which resolved requests, their paths absolute, are equal: threads and kept latents do not count.
std::string request_identity(const Request& resolved);
/// Nothing where there is no run that can be read.
std::optional<RunFolder> open_run(const std::filesystem::path&);
/// Whether it is the run of a resolved request; those of an older version do not hold TeaCache's polynomial.
bool is_of(const RunFolder&, Request);
/// Whether a finished run has its video.mp4, as it was made.
bool has_clip(const RunFolder&);

/// Finished runs that cells of a sweep may be, so that these need not be rendered: made by exactly that request, by
/// this build, from files that are as they were then, and with their clip. Of those that are added, a run's record is
/// read when a request has its numbers.
class FinishedRuns {
public:
    FinishedRuns() = default;         ///< none
    static FinishedRuns of_history(); ///< reads it

    void add(const std::filesystem::path& run, std::uint64_t seed, int width, int height, int frames, int steps);
    struct Found {
        std::filesystem::path run;
        double seconds = 0; ///< that its rendering took
    };
    std::optional<Found> find(const Request& resolved);

private:
    using Numbers = std::array<std::uint64_t, 5>;
    void read(const std::filesystem::path& run);
    std::map<Numbers, std::vector<std::filesystem::path>> unread_;
    std::unordered_map<std::string, std::vector<Found>> by_identity_;
};

/// What a sweep comes down to once every cell's request is resolved.
struct SweepPlan {
    struct Cell {
        Request request; ///< resolved, paths absolute
        Estimate work;
        std::optional<std::size_t> same; ///< an earlier cell of the order whose request is equal
        std::filesystem::path found;     ///< a finished run that is this cell; empty: none, or `same` says more
        double found_seconds = 0;        ///< that its rendering took
    };
    std::vector<Cell> cells;
    std::vector<std::size_t> order; ///< in which they are rendered

    /// The cell whose run is this cell's, and nobody else's.
    std::size_t origin(std::size_t cell) const { return cells[cell].same.value_or(cell); }
    bool is_there(std::size_t cell) const { return !cells[origin(cell)].found.empty(); }
    /// Neither equal to another cell nor found.
    bool renders(std::size_t cell) const { return origin(cell) == cell && cells[cell].found.empty(); }
    /// The cells that are rendered, in order.
    std::vector<std::size_t> to_render() const;
};

/// How far a plan looks.
enum class PlanDepth {
    requests, ///< resolves every cell: headers and records alone
    all       ///< and what can be refused before anything is computed: pictures, parts of the model
};

/// Resolves every cell and refuses values that do not go together, images and parts of the model that are missing. An
/// error of an axis's field says in which cell. Cells without a seed get one and the same. `done`: of a sweep that was
/// begun, the run of each cell that is done: one with its clip is found, whatever became of its model and inputs.
/// Throws Error, UsageError, Cancelled.
SweepPlan plan_sweep(const Sweep&, PlanDepth, FinishedRuns, Observer&, const std::stop_token& = {},
                     std::span<const std::filesystem::path> done = {});
/// Refuses a device that is not there, of the clips that are to be rendered. Throws Error.
void check_devices(const Sweep&, const SweepPlan&);
/// Refuses, before anything is made, a device that is not there, a disk with less room than one of the clips needs, and
/// a name that cannot be stored. `folder` is the sweep's; it, or the folder that it comes into, exists. Throws Error,
/// Cancelled.
void check_means(const Sweep&, const SweepPlan&, const std::filesystem::path& folder, const std::stop_token& = {});

} // namespace denoir
