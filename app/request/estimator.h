// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <thread>

#include "engine/pipeline/pipeline.h"
#include "engine/session/run_record.h"

namespace denoir::app {

class FileSaver;

/// How long a request will take and whether it fits, before pressing: the work that the engine counts, divided by the
/// speed that this machine showed in earlier runs (kept in `speed.json` of the cache folder), or in a short trial where
/// there was none. GUI thread.
class Estimator : public QObject {
    Q_OBJECT
public:
    explicit Estimator(QObject* parent = nullptr);
    ~Estimator() override;

    enum class Basis { none, trial, measured }; ///< what the seconds rest on
    struct Forecast {
        double seconds = -1;                                             ///< negative: not known yet
        double load = 0, prompt = 0, image = 0, denoise = 0, decode = 0; ///< its parts; image: what the VAE encodes
        double before = 0, after = 0; ///< of them, before the first step and after the last: windows have more between
        double step_seconds = -1;
        Basis basis = Basis::none;
        bool whole = false; ///< every part was measured with this very model
        quint64 peak_bytes = 0, least_bytes = 0, available_bytes = 0;
        bool fits = true;     ///< the peak is within what is available
        bool possible = true; ///< the least is: slower, weights come and go
        QString text;         ///< "≈ 9 s · 0.4 GB fits"
        QStringList changes;  ///< what to change so that it fits, the smallest change first; empty where it does
    };
    /// `work` as Pipeline::estimate counted it for the resolved request.
    Forecast forecast(const Request& resolved, const Estimate& work) const;
    /// The same with another amount of free memory.
    Forecast forecast(const Request& resolved, const Estimate& work, quint64 available_bytes) const;
    /// Learns from a finished run.
    void learn(const RunRecord& record, const Estimate& work);
    /// Times a matrix product for a tenth of a second on a thread of low priority, for machines where nothing ran yet.
    void start_trial();

signals:
    void changed(); ///< forecasts come out otherwise

private:
    /// Of one device, precision and model. Zero: not known.
    struct Speed {
        double flops = 0;          ///< of denoising, per second
        double encode_pixels = 0;  ///< times frames, per second
        double decode_pixels = 0;  ///< times frames, per second
        double load_bytes = 0;     ///< per second
        double prompt_seconds = 0; ///< prompts, and what CLIP sees of images
    };
    const Speed* find(const Request& resolved, bool& same_model) const;
    void load();
    void save();
    QHash<QString, Speed> speeds_;
    double trial_flops_ = 0;
    std::unique_ptr<FileSaver> saver_;
    std::jthread trial_;
};

} // namespace denoir::app
