// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QObject>
#include <filesystem>
#include <stop_token>

#include "app/base/task_thread.h"
#include "engine/compare/sweep_figures.h"

namespace denoir::app {

class OpenSweep;

/// Measures the cells of sweeps against their references, one after another, on a thread with a lower priority than the
/// window and the engine. Runs are compared by their latents, without a codec in between, if these can be decoded. GUI
/// thread.
class SweepMeasurer : public QObject {
    Q_OBJECT
public:
    explicit SweepMeasurer(QObject* parent = nullptr);

    /// Adds the cells that can be measured and were not. A cell that has another run by now is measured with that.
    void measure(const OpenSweep& sweep);
    /// Drops the cells of this sweep that wait, and stops the one being measured.
    void forget(const QString& path);
    /// Number of this sweep's cells that wait or are being measured.
    int open(const QString& path) const { return int(asked_.value(path).size()); }

signals:
    void measured(const QString& path, quint64 cell, const denoir::SweepCell::Figures& figures);

private:
    /// Runs on the thread.
    SweepCell::Figures figures_of(const std::filesystem::path& cell, const std::filesystem::path& reference,
                                  std::size_t index, const std::stop_token& stop);
    struct Asked {
        QString question; ///< names the reference and the runs of both cells
        TaskThread::Id task = 0;
    };
    QHash<QString, QHash<std::size_t, Asked>> asked_;            ///< by sweep and cell
    SweepMeter meter_{1};                                        ///< used on the thread only
    TaskThread thread_{{.release = [this] { meter_.close(); }}}; ///< declared last: joined before the rest is destroyed
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::SweepCell::Figures)
