// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/open_sweep.h"

#include <algorithm>
#include <utility>

#include "app/base/text.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_record.h"

namespace denoir::app {

OpenSweep::OpenSweep(SweepFolder folder, bool writable, QObject* parent)
    : QObject(parent),
      path_(to_qstring(folder.path())),
      folder_(std::move(folder)),
      gone_(folder_.record().cells.size(), false),
      writable_(writable),
      saver_(folder_.file(SweepFolder::record_name)) {
    connect(&saver_, &FileSaver::failed, this, [this](quint64, const Issue& issue) { emit save_failed(issue); });
    look_for_runs();
}

void OpenSweep::save() {
    if (!writable_) return;
    folder_.record().updated = utc_now();
    saver_.save(to_json(folder_.record(), folder_.path()).dump(1) + "\n");
}

void OpenSweep::changed(const std::vector<std::size_t>& cells) {
    save();
    emit cells_changed(cells);
}

/// Drops the figures of these cells, and of all cells measured against them.
void OpenSweep::forget_figures(const std::vector<std::size_t>& cells) {
    std::vector<bool> among(size(), false);
    for (const std::size_t cell : cells) among[cell] = true;
    for (std::size_t i = 0; i < size(); ++i) {
        const auto against = sweep().reference_of(i);
        if (among[i] || (against && among[*against])) folder_.record().cells[i].figures.reset();
    }
}

/// Takes many runs at once, as each change writes the whole record and every view reads it.
void OpenSweep::set_done(const std::vector<Done>& runs) {
    std::vector<std::size_t> all;
    for (const Done& done : runs) all.insert(all.end(), done.cells.begin(), done.cells.end());
    if (all.empty()) return;
    forget_figures(all);
    for (const Done& done : runs)
        for (const std::size_t i : done.cells) {
            SweepCell& cell = folder_.record().cells[i];
            cell.state = SweepCell::State::done;
            cell.run = to_path(done.run);
            cell.reused = done.reused || i != done.cells.front();
            cell.seconds = done.seconds;
            cell.error.reset();
            gone_[i] = false;
        }
    changed(all);
}

void OpenSweep::set_failed(const std::vector<std::size_t>& cells, const QString& run, const Issue& issue) {
    for (const std::size_t i : cells) {
        SweepCell& cell = folder_.record().cells[i];
        cell.state = SweepCell::State::failed;
        cell.run = to_path(run);
        cell.error.emplace(issue.file.toStdString(), issue.field.toStdString(), issue.message.toStdString(),
                           issue.hint.toStdString());
    }
    changed(cells);
}

void OpenSweep::set_waiting(const std::vector<std::size_t>& cells) {
    if (cells.empty()) return;
    forget_figures(cells);
    for (const std::size_t i : cells) {
        SweepCell& cell = folder_.record().cells[i];
        cell = {};
        gone_[i] = false;
    }
    changed(cells);
}

void OpenSweep::set_figures(std::size_t index, const SweepCell::Figures& figures) {
    folder_.record().cells[index].figures = figures;
    changed({index});
}

void OpenSweep::set_reference(const std::vector<std::optional<std::size_t>>& reference) {
    if (reference == sweep().reference) return;
    folder_.record().sweep.reference = reference;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < size(); ++i) {
        auto& figures = folder_.record().cells[i].figures;
        if (figures && sweep().reference_of(i) != figures->reference) figures.reset();
        all.push_back(i);
    }
    changed(all);
}

void OpenSweep::look_for_runs() {
    std::vector<std::size_t> other;
    std::error_code code;
    for (std::size_t i = 0; i < size(); ++i) {
        const bool gone = cell(i).state == SweepCell::State::done &&
                          !std::filesystem::is_regular_file(cell(i).run / run_file::video, code);
        if (gone != gone_[i]) other.push_back(i);
        gone_[i] = gone;
    }
    if (!other.empty()) emit cells_changed(other);
}

} // namespace denoir::app
