// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace denoir::app {

/// Runs that were removed. They lie in `.trash` in the folder of runs, so that removing is renaming: the folder of runs
/// may be on another disk than the data folder. The trash of older versions, in the data folder, is only emptied. Names
/// consist of the time of removal, in milliseconds, and the run's own name: "1764230400000-balloon".
class RunTrash {
public:
    explicit RunTrash(std::filesystem::path runs) : runs_(std::move(runs)) {}

    /// Begins a removal: runs that are put after it come back together.
    void begin();
    /// Moves a run folder into the trash. Returns where it lies now.
    std::filesystem::path put(const std::filesystem::path& entry, std::error_code& code);
    /// Moves the runs of the last removal back and returns their paths. A run whose name is taken by now stays in the
    /// trash; if all of a removal have to stay, the removal before it is taken back.
    QStringList restore();
    bool empty() const { return content().empty(); }
    /// The folders that have lain here for longer than this, except those of the runs in `but` (paths).
    std::vector<std::filesystem::path> older_than(int days, const QStringList& but) const;

private:
    struct Removed {
        std::filesystem::path item, entry; ///< where it lies, and where it was
        qint64 time = -1;                  ///< when it was removed
    };
    std::vector<Removed> restorable() const; ///< those whose names are not taken
    std::vector<std::filesystem::path> folders() const;
    std::vector<std::filesystem::path> content() const;

    const std::filesystem::path runs_;
    qint64 removal_ = 0; ///< time of the last removal in this session; no two have the same
};

} // namespace denoir::app
