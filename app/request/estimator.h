// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QMap>
#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>

#include "app/base/issue.h"
#include "app/base/task_thread.h"
#include "engine/pipeline/pipeline.h"
#include "engine/session/run_record.h"

namespace denoir::app {

class FileSaver;

/// Forecasts how long a request will take and whether it fits into memory. The time is the work that the engine counts,
/// divided by the speed that this machine showed in earlier runs of this model, or of others with steps of about this
/// size (kept in `speed.json` in the cache folder), or in a short trial if there are none. The memory is compared with
/// what is free; for a card, with what was free when it was looked at. GUI thread.
class Estimator : public QObject {
    Q_OBJECT
public:
    /// What can be learned about a device before anything has run on it.
    struct Facts {
        double flops = 0;       ///< of a matrix product, per second; 0: not known
        quint64 free_bytes = 0; ///< 0: not known
        Issue issue;            ///< why it cannot be used; empty if it can
    };
    using Look = std::function<Facts(const Device&)>;
    /// Opens the device, times a matrix product for a tenth of a second, and closes it again.
    static Facts look_into(const Device& device);

    explicit Estimator(QObject* parent = nullptr, Look look = look_into);
    ~Estimator() override;

    enum class Basis { none, trial, measured }; ///< where the seconds come from
    struct Forecast {
        double seconds = -1;                                             ///< negative: not known yet
        double load = 0, prompt = 0, image = 0, denoise = 0, decode = 0; ///< parts of it; image: what the VAE encodes
        double before = 0, after = 0; ///< before the first step; after the last. Windows take time in between as well
        double step_seconds = -1;
        Basis basis = Basis::none;
        bool whole = false; ///< every part was measured with this model
        quint64 peak_bytes = 0, least_bytes = 0, available_bytes = 0;
        bool fits = true;     ///< peak_bytes are available
        bool possible = true; ///< least_bytes are: it runs, but slower, as weights are read again and again
        QString text;         ///< "≈ 9 s · 0.4 GiB fits"
        QStringList changes;  ///< what to change so that it fits, the smallest change first; empty if it fits
        Issue issue;          ///< why the device cannot be used; empty if it can
    };
    /// `work` is what Pipeline::estimate counted for the resolved request.
    Forecast forecast(const Request& resolved, const Estimate& work) const;
    /// A forecast as if `available_bytes` of memory were free.
    Forecast forecast(const Request& resolved, const Estimate& work, quint64 available_bytes) const;
    /// Learns from a finished run.
    void learn(const RunRecord& record, const Estimate& work);
    /// Looks into a device on a thread of low priority, once, or again if it could not be used: into a card for its
    /// memory and speed, into the processor for its speed if nothing has run there yet.
    void look_at(const Device& device);
    /// Looks into the processor also if nothing that ran there tells the speed of this request.
    void look_at(const Request& resolved, const Estimate& work);
    bool looking() const { return looking_ > 0; }
    quint64 free_bytes(const Device& device) const; ///< of a card that was looked at; 0: not known
    Issue issue(const Device& device) const;        ///< why a device that was looked at cannot be used; empty if it can

signals:
    void changed(); ///< forecasts may come out differently

private:
    /// The measured speed of a device, precision and model. Zeros are not known.
    struct Speed {
        double flops = 0;          ///< of denoising, per second
        double step_flop = 0;      ///< of a step of the latest run
        double encode_pixels = 0;  ///< times frames, per second
        double decode_pixels = 0;  ///< times frames, per second
        double load_bytes = 0;     ///< per second, measured when no weights were in memory
        double prompt_seconds = 0; ///< for encoding prompts and, with CLIP, images
    };
    /// The model that the latest run on a device may have left in its memory.
    struct Loaded {
        QString model;
        std::optional<double> again; ///< seconds to load it once more; empty if not known yet
    };
    enum class Others { alike, any };
    double flops_of_others(const Request& resolved, const Estimate& work, Others which) const; ///< 0 if none ran there
    double flops_of(const Request& resolved, const Estimate& work, Basis& basis) const;
    double measured_flops_of(const Request& resolved, const Estimate& work) const; ///< 0 if nothing like it ran
    void look_into_anew(const Device& device);
    static QString text_of(const Forecast& forecast, const Device& device);
    void load();
    void save();
    QMap<QString, Speed> speeds_;
    QHash<QString, Facts> facts_;   ///< by the device's name; empty while they are looked for
    QHash<QString, Loaded> loaded_; ///< by the device's name; only from this session
    int looking_ = 0;               ///< number of devices that are looked into
    Look look_;
    std::unique_ptr<FileSaver> saver_;
    TaskThread thread_; ///< declared last, so that it is joined before the rest is destroyed
};

} // namespace denoir::app
