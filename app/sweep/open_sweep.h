// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <vector>

#include "app/base/file_saver.h"
#include "app/base/issue.h"
#include "engine/session/sweep_folder.h"

namespace denoir::app {

/// A sweep on disk that the studio works with: its record in memory, which a thread writes to disk after each change.
/// It holds the folder's lock as long as it lives; if another process has the lock, the sweep can only be looked at.
/// GUI thread.
class OpenSweep : public QObject {
    Q_OBJECT
public:
    explicit OpenSweep(SweepFolder folder, bool writable = true, QObject* parent = nullptr);

    const QString& path() const { return path_; }
    const SweepRecord& record() const { return folder_.record(); }
    const Sweep& sweep() const { return folder_.record().sweep; }
    const SweepCell& cell(std::size_t index) const { return folder_.record().cells[index]; }
    std::size_t size() const { return folder_.record().cells.size(); }
    bool writable() const { return writable_; }
    /// Whether the cell is done, but its run is not there any more.
    bool gone(std::size_t index) const { return gone_[index]; }
    /// Whether the cell is done and its run is there.
    bool has_video(std::size_t index) const { return cell(index).state == SweepCell::State::done && !gone_[index]; }

    /// A run and the cells that show its clip. `reused`: it was there before the sweep.
    struct Done {
        std::vector<std::size_t> cells;
        QString run;
        double seconds = 0;
        bool reused = false;
    };
    // Each of these stores the record.
    void set_done(const std::vector<Done>& runs);
    void set_failed(const std::vector<std::size_t>& cells, const QString& run, const Issue& issue);
    /// The cells are to be rendered (again).
    void set_waiting(const std::vector<std::size_t>& cells);
    void set_figures(std::size_t cell, const SweepCell::Figures& figures);
    /// Drops the figures of cells whose reference is another one now.
    void set_reference(const std::vector<std::optional<std::size_t>>& reference);
    /// Looks which cells' videos are there.
    void look_for_runs();
    /// Blocks until the record is written. Returns false if that failed.
    bool flush() { return saver_.flush(); }

signals:
    void cells_changed(const std::vector<std::size_t>& cells);
    void save_failed(const denoir::app::Issue& issue);

private:
    void changed(const std::vector<std::size_t>& cells);
    void forget_figures(const std::vector<std::size_t>& cells);
    void save();
    QString path_;
    SweepFolder folder_;
    std::vector<bool> gone_;
    bool writable_;
    FileSaver saver_;
};

} // namespace denoir::app
