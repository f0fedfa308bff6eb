// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>

#include "engine/pipeline/pipeline.h"
#include "engine/session/run_record.h"

namespace denoir::app {

/// How long a request will take and whether it fits, before pressing: work counted by the engine, divided by the speed
/// that this machine showed in earlier runs (kept in `speed.json` of the cache folder), or in a short trial where there
/// was none.
class Estimator : public QObject {
    Q_OBJECT
public:
    explicit Estimator(QObject* parent = nullptr);

    enum class Basis { none, trial, measured };
    struct Forecast {
        double seconds = -1;                                  ///< negative: not known yet
        double load = 0, encode = 0, denoise = 0, decode = 0; ///< its parts
        double step_seconds = -1;
        Basis basis = Basis::none;
        quint64 peak_bytes = 0, least_bytes = 0, available_bytes = 0;
        bool fits_entirely = true; ///< peak within what is available
        bool possible = true;      ///< least within what is available: slower, weights come and go
        QString text;              ///< "≈ 9 s · 0.4 GB fits"
        QStringList changes;       ///< what to change so that it fits, the smallest change first; empty where it fits
    };
    /// `work` as Pipeline::estimate counted it for the resolved request.
    Forecast forecast(const Request& resolved, const Estimate& work) const;
    /// Learns from a finished run. Cheap; stored at once.
    void learn(const RunRecord& record, const Estimate& work);
    /// Measures a matrix product for a tenth of a second on a thread of low priority where nothing is known of this
    /// device.
    void start_trial();

signals:
    void changed(); ///< forecasts come out otherwise

private:
    struct Speed {
        double flops = 0;         ///< of denoising, per second
        double decode_pixels = 0; ///< per second, times frames
        double load_bytes = 0;    ///< per second
        double text_seconds = 0;
        Basis basis = Basis::none;
    };
    QString key(const Request& resolved) const;
    void load();
    void save() const;
    QHash<QString, Speed> speeds_;
    double trial_flops_ = 0;
};

} // namespace denoir::app
