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

/// The run in this folder; empty if there is none that can be read.
std::optional<RunFolder> open_run(const std::filesystem::path&);
/// Whether it is the run of this resolved request. (A run of an older version may lack TeaCache's polynomial.)
bool is_of(const RunFolder&, Request);
/// Whether a finished run still has its video.mp4, unchanged.
bool has_clip(const RunFolder&);

/// Finished runs that cells of a sweep can reuse instead of being rendered: those of exactly the same request, made by
/// this build, whose input files are unchanged and whose clip is there. A run's record is read only when a request has
/// the numbers that the run was added with.
class FinishedRuns {
public:
    FinishedRuns() = default;         ///< none
    static FinishedRuns of_history(); ///< all runs of the history

    void add(const std::filesystem::path& run, std::uint64_t seed, int width, int height, int frames, int steps);
    struct Found {
        std::filesystem::path run;
        double seconds = 0; ///< that its rendering took
    };
    /// A run of this request; empty if there is none.
    std::optional<Found> find(const Request& resolved);

private:
    using Numbers = std::array<std::uint64_t, 5>;
    void read(const std::filesystem::path& run);
    std::map<Numbers, std::vector<std::filesystem::path>> unread_;
    std::unordered_map<std::string, std::vector<Found>> by_identity_;
};

/// A sweep whose cells' requests are all resolved.
struct SweepPlan {
    struct Cell {
        Request request; ///< resolved, paths absolute
        Estimate work;
        std::optional<std::size_t> same; ///< an earlier cell of the order with an equal request, whose run is shared
        std::filesystem::path found;     ///< a finished run that is reused; empty if there is none, or with `same`
        double found_seconds = 0;        ///< that its rendering took
    };
    std::vector<Cell> cells;
    std::vector<std::size_t> order; ///< in which they are rendered

    /// The cell whose run this cell shares: `same`, or itself.
    std::size_t origin(std::size_t cell) const { return cells[cell].same.value_or(cell); }
    bool is_there(std::size_t cell) const { return !cells[origin(cell)].found.empty(); }
    /// Neither equal to another cell nor found.
    bool renders(std::size_t cell) const { return origin(cell) == cell && cells[cell].found.empty(); }
    /// The cells that are rendered, in order.
    std::vector<std::size_t> to_render() const;
};

/// How much a plan checks.
enum class PlanDepth {
    requests, ///< resolves every cell: reads headers and records only
    all       ///< also makes all checks that need no computing: pictures, parts of the model (preflight)
};

/// Resolves every cell; refuses values that do not go together, and missing images and parts of the model. Errors about
/// an axis's field say in which cell. Cells without a seed share one. `done`: when a sweep is resumed, the run of each
/// finished cell; such a run is reused if it has its clip, whatever has become of its model and inputs. Throws Error,
/// UsageError, Cancelled.
SweepPlan plan_sweep(const Sweep&, PlanDepth, FinishedRuns, Observer&, const std::stop_token& = {},
                     std::span<const std::filesystem::path> done = {});
/// Throws Error if a device of the cells to be rendered is not available.
void check_devices(const Sweep&, const SweepPlan&);
/// Throws Error, before anything is written, if a device is not available, the disk has no room for one of the clips,
/// or a name cannot be stored. `folder`: the sweep's folder; it or its parent exists. Throws Cancelled too.
void check_means(const Sweep&, const SweepPlan&, const std::filesystem::path& folder, const std::stop_token& = {});

} // namespace denoir
