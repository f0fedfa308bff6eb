// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace denoir::app {

/// Removed runs, in `.trash` in the folder of runs: on the same file system, which may be another disk than the data
/// folder's. Folders in it are named by the time of the removal in milliseconds and their own name:
/// "1764230400000-balloon". The `trash` of older versions, in the data folder, is only emptied.
class RunTrash {
public:
    explicit RunTrash(std::filesystem::path runs) : runs_(std::move(runs)) {}

    /// Begins a removal: restore() brings back together what is put from now on.
    void begin();
    /// Moves a run here and returns its new place. `code` says whether that failed.
    std::filesystem::path put(const std::filesystem::path& entry, std::error_code& code);
    /// Moves the runs of the last removal back and returns their paths. Runs whose names were taken by others meanwhile
    /// stay here and are left out, so that earlier removals can still be undone.
    QStringList restore();
    bool empty() const { return content().empty(); }
    /// What has been here for at least `days`, except the runs in `but`, which are paths.
    std::vector<std::filesystem::path> older_than(int days, const QStringList& but) const;

private:
    struct Removed {
        std::filesystem::path item, entry; ///< its place here, and where it was before
        qint64 time = -1;                  ///< of its removal
    };
    std::vector<Removed> restorable() const; ///< those whose names are not taken
    std::vector<std::filesystem::path> folders() const;
    std::vector<std::filesystem::path> content() const;

    const std::filesystem::path runs_;
    qint64 removal_ = 0; ///< time of the current removal; no two are equal
};

} // namespace denoir::app
