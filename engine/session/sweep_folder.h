// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/folder_lock.h"
#include "engine/session/sweep.h"

namespace denoir {

/// What has become of one combination.
struct SweepCell {
    enum class State { waiting, done, failed } state = State::waiting;
    std::filesystem::path run;  ///< its run folder, once there is one; cells with equal requests share it
    bool reused = false;        ///< the run was there before the sweep, or is another cell's
    double seconds = 0;         ///< that its rendering took
    std::optional<Error> error; ///< why it failed

    /// How far the clip is from its reference's, over all frames (engine/metrics).
    struct Figures {
        std::size_t reference = 0;  ///< the cell that it was measured against
        std::optional<double> psnr; ///< dB; empty: equal
        std::optional<double> ssim; ///< empty: pictures of fewer than 11 pixels a side
        std::optional<std::size_t> worst_frame;
        std::string note; ///< why there are no figures ("other size"), or what they were measured of
        /// False if the note says why there are no figures. Equal frames have no PSNR.
        bool measured() const { return psnr || ssim || note.empty(); }
    };
    std::optional<Figures> figures; ///< empty: not measured (yet)
};
std::string_view name(SweepCell::State);

/// A sweep as sweep.json has it: what is varied and how far each cell is.
struct SweepRecord {
    Sweep sweep;                  ///< request with a seed, paths absolute
    std::vector<SweepCell> cells; ///< as many as sweep.size()
    std::string created, updated; ///< UTC, ISO 8601
};
/// The sweep's own keys and `created`, `updated`, `cells`; a run in the sweep's folder is named relative to it.
Json to_json(const SweepRecord&, const std::filesystem::path& folder);

/// A sweep on disk: a folder with sweep.json, which is written anew after each cell, and beside it the files that are
/// made from the cells. One process writes: it holds a lock on the folder, which the system drops with the process.
class SweepFolder {
public:
    static constexpr const char record_name[] = "sweep.json", grid_video[] = "grid.mp4", grid_picture[] = "grid.png",
                                report[] = "report.html", csv[] = "sweep.csv";

    /// The record of a sweep that has not begun. Draws a seed if none was asked for. Throws UsageError; it names "axes"
    /// if sweep.json would become longer than open() reads.
    static SweepRecord record_of(const Sweep&);
    /// Makes the folder (its parent must exist; an empty one may be there) and writes sweep.json. An empty path means a
    /// new folder in the data folder's `sweeps`. Throws Error, and as record_of() does.
    static SweepFolder create(const std::filesystem::path& path, const Sweep&);
    /// Opens a sweep for reading. Throws Error if there is none.
    static SweepFolder open(const std::filesystem::path& path);
    /// Opens a sweep for resuming it, and locks it. A cell without a time gets that of its run. Throws Error if another
    /// process holds the lock.
    static SweepFolder take(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path file(const char* name) const { return path_ / name; }
    SweepRecord& record() { return record_; }
    const SweepRecord& record() const { return record_; }
    /// Writes sweep.json anew.
    void save();

private:
    SweepFolder(std::filesystem::path path, SweepRecord record, std::shared_ptr<const FolderLock> lock);
    std::filesystem::path path_;
    SweepRecord record_;
    std::shared_ptr<const FolderLock> lock_;
};

/// Whether the folder holds a sweep.json and runs: other programs write a sweep.json, too.
bool is_sweep_folder(const std::filesystem::path&);

/// Makes an empty folder with a new name in the data folder's `sweeps`. Throws Error.
std::filesystem::path new_sweep_folder(const Sweep&);
/// The sweeps in the data folder's `sweeps`, newest first; those that cannot be read are left out.
std::vector<std::filesystem::path> list_sweeps();

} // namespace denoir
