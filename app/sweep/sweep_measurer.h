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

/// Measures the cells of sweeps against their references, one after another, on a thread of lower priority than the
/// window's and the engine's. Runs that have kept their latents are decoded from them if possible, so that no codec
/// comes between. GUI thread.
class SweepMeasurer : public QObject {
    Q_OBJECT
public:
    explicit SweepMeasurer(QObject* parent = nullptr);

    /// Puts every cell in line that can be measured and has no figures yet. A cell that waits already is asked anew if
    /// its run or its reference has changed.
    void measure(const OpenSweep& sweep);
    /// Stops measuring the cells of this sweep.
    void forget(const QString& path);
    /// The number of this sweep's cells that wait or are being measured.
    int open(const QString& path) const { return int(asked_.value(path).size()); }

signals:
    void measured(const QString& path, quint64 cell, const denoir::SweepCell::Figures& figures);

private:
    /// Runs on the thread.
    SweepCell::Figures figures_of(const std::filesystem::path& cell, const std::filesystem::path& reference,
                                  std::size_t index, const std::stop_token& stop);
    struct Asked {
        QString question; ///< the reference, and the runs of both cells
        TaskThread::Id task = 0;
    };
    QHash<QString, QHash<std::size_t, Asked>> asked_;            ///< by sweep and cell
    SweepMeter meter_{1};                                        ///< used on the thread only
    TaskThread thread_{{.release = [this] { meter_.close(); }}}; ///< declared last: joined before the rest is destroyed
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::SweepCell::Figures)
