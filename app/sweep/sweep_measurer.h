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

/// Measures the cells of sweeps against their references, one after another on a thread that steps back behind the
/// window and the engine; runs with latents without a codec in between, as long as they can be decoded. GUI thread.
class SweepMeasurer : public QObject {
    Q_OBJECT
public:
    explicit SweepMeasurer(QObject* parent = nullptr);

    /// Puts in line what can be measured now and was not; of a cell that has another run now, that one instead.
    void measure(const OpenSweep& sweep);
    /// What waits of this sweep is not measured, and what is at work is stopped.
    void forget(const QString& path);
    /// Cells of this sweep in line or at work.
    int open(const QString& path) const { return int(asked_.value(path).size()); }

signals:
    void measured(const QString& path, quint64 cell, const denoir::SweepCell::Figures& figures);

private:
    /// On the thread.
    SweepCell::Figures figures_of(const std::filesystem::path& cell, const std::filesystem::path& reference,
                                  std::size_t index, const std::stop_token& stop);
    struct Asked {
        QString question; ///< against which cell, and the runs of both
        TaskThread::Id task = 0;
    };
    QHash<QString, QHash<std::size_t, Asked>> asked_;            ///< by sweep and cell
    SweepMeter meter_{1};                                        ///< used on the thread alone
    TaskThread thread_{{.release = [this] { meter_.close(); }}}; ///< last: joined before the rest goes
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::SweepCell::Figures)
