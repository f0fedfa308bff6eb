// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace denoir::app {

/// Runs that were removed: in `.trash` among the runs, so on their file system, which may be another disk than the data
/// folder's. That of older versions, in the data folder, is only emptied. What lies there is called by the time of its
/// removal, in milliseconds, and its own name: "1764230400000-balloon". Runs are asked for by their paths.
class RunTrash {
public:
    explicit RunTrash(std::filesystem::path runs) : runs_(std::move(runs)) {}

    /// Begins a removal: what is put after it comes back together.
    void begin();
    /// Returns where it lies now.
    std::filesystem::path put(const std::filesystem::path& entry, std::error_code& code);
    /// What the last removal took, back at its places, which it returns. What has a name that another run has by now
    /// stays, and keeps nothing from coming back that was removed before it.
    QStringList restore();
    bool empty() const { return content().empty(); }
    /// What has lain here for longer than this, but these runs.
    std::vector<std::filesystem::path> older_than(int days, const QStringList& but) const;

private:
    struct Removed {
        std::filesystem::path item, entry; ///< where it lies, and where it was
        qint64 time = -1;                  ///< of its removal
    };
    std::vector<Removed> restorable() const; ///< their names are not taken
    std::vector<std::filesystem::path> folders() const;
    std::vector<std::filesystem::path> content() const;

    const std::filesystem::path runs_;
    qint64 removal_ = 0; ///< its time; every one has its own
};

} // namespace denoir::app
