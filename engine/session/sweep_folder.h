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
    std::optional<Error> error; ///< of a failed one

    /// Against its reference, over all frames (engine/metrics); nothing: not measured (yet).
    struct Figures {
        std::size_t reference = 0;  ///< cell
        std::optional<double> psnr; ///< dB; empty: equal
        std::optional<double> ssim; ///< empty: pictures below 11 pixels
        std::optional<std::size_t> worst_frame;
        std::string note; ///< why there are none ("other size"), or what they are of
        /// Else the note says why there are none. Of equal frames PSNR has no number.
        bool measured() const { return psnr || ssim || note.empty(); }
    };
    std::optional<Figures> figures;
};
std::string_view name(SweepCell::State);

/// A sweep as sweep.json has it: what is varied and how far each cell is.
struct SweepRecord {
    Sweep sweep;                  ///< request with a seed, paths absolute
    std::vector<SweepCell> cells; ///< sweep.size() of them
    std::string created, updated; ///< UTC, ISO 8601
};
/// The sweep's own keys and `created`, `updated`, `cells`; a run in the sweep's folder is named relative to it.
Json to_json(const SweepRecord&, const std::filesystem::path& folder);

/// A sweep on disk: a folder with sweep.json, renewed whole after each cell. One process writes; the system drops its
/// lock with the process. What is made of the cells lies beside it.
class SweepFolder {
public:
    static constexpr const char record_name[] = "sweep.json", grid_video[] = "grid.mp4", grid_picture[] = "grid.png",
                                report[] = "report.html", csv[] = "sweep.csv";

    /// Of a sweep that has not begun. A seed is drawn where none was asked for. Throws UsageError; naming "axes" where
    /// sweep.json would be longer than is read again.
    static SweepRecord record_of(const Sweep&);
    /// Makes the folder (its parent must exist; an empty one may be there); an empty path: one below the data folder's
    /// sweeps. Throws Error, and what record_of() does.
    static SweepFolder create(const std::filesystem::path& path, const Sweep&);
    /// For reading. Throws Error where there is no sweep.
    static SweepFolder open(const std::filesystem::path& path);
    /// For going on; times that are missing are those of the runs. Throws Error where another process is at it.
    static SweepFolder take(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path file(const char* name) const { return path_ / name; }
    SweepRecord& record() { return record_; }
    const SweepRecord& record() const { return record_; }
    /// Renews sweep.json.
    void save();

private:
    SweepFolder(std::filesystem::path path, SweepRecord record, std::shared_ptr<const FolderLock> lock);
    std::filesystem::path path_;
    SweepRecord record_;
    std::shared_ptr<const FolderLock> lock_;
};

/// Whether a sweep was made there; other programs write a sweep.json, too.
bool is_sweep_folder(const std::filesystem::path&);

/// Makes an empty folder with a name of its own below the data folder's `sweeps`. Throws Error.
std::filesystem::path new_sweep_folder(const Sweep&);
/// The sweeps below the data folder's `sweeps`, newest first; what cannot be read is left out.
std::vector<std::filesystem::path> list_sweeps();

} // namespace denoir
