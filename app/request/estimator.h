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

/// How long a request will take and whether it fits, before pressing: the work that the engine counts, divided by the
/// speed that this machine showed in earlier runs (kept in `speed.json` of the cache folder), or in a short trial where
/// none of these was of this model or of another one's steps of about this size; against the memory that is free, of a
/// card that which it had when it was looked at. GUI thread.
class Estimator : public QObject {
    Q_OBJECT
public:
    /// What a device shows of itself before anything ran there.
    struct Facts {
        double flops = 0;       ///< of a matrix product, per second; 0: not known
        quint64 free_bytes = 0; ///< 0: not known
        Issue issue;            ///< it cannot be used
    };
    using Look = std::function<Facts(const Device&)>;
    /// Opens the device, times a matrix product for a tenth of a second, and closes it again.
    static Facts look_into(const Device& device);

    explicit Estimator(QObject* parent = nullptr, Look look = look_into);
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
        QString text;         ///< "≈ 9 s · 0.4 GiB fits"
        QStringList changes;  ///< what to change so that it fits, the smallest change first; empty where it does
        Issue issue;          ///< the device cannot be used
    };
    /// `work` as Pipeline::estimate counted it for the resolved request.
    Forecast forecast(const Request& resolved, const Estimate& work) const;
    /// A forecast as if `available_bytes` of memory were free.
    Forecast forecast(const Request& resolved, const Estimate& work, quint64 available_bytes) const;
    /// Learns from a finished run.
    void learn(const RunRecord& record, const Estimate& work);
    /// Looks into a device, on a thread of low priority and once, unless it could not be used: into a card for its
    /// memory and speed, into the processor for its speed, where nothing ran there yet.
    void look_at(const Device& device);
    /// Looks also into a processor where what ran tells nothing of this request's speed.
    void look_at(const Request& resolved, const Estimate& work);
    bool looking() const { return looking_ > 0; }
    quint64 free_bytes(const Device& device) const; ///< of a card that was looked at; 0: not known
    Issue issue(const Device& device) const;        ///< why one that was looked at cannot be used; empty: it can

signals:
    void changed(); ///< forecasts come out otherwise

private:
    /// Measured speed of one device, precision and model. Zero: not known.
    struct Speed {
        double flops = 0;          ///< of denoising, per second
        double step_flop = 0;      ///< of a step of the latest run
        double encode_pixels = 0;  ///< times frames, per second
        double decode_pixels = 0;  ///< times frames, per second
        double load_bytes = 0;     ///< per second, where no run before had left any in memory
        double prompt_seconds = 0; ///< prompts, and what CLIP sees of images
    };
    /// What the latest run on a device left in its memory, or may have.
    struct Loaded {
        QString model;
        std::optional<double> again; ///< seconds that it took to load the model once more; nothing: not known yet
    };
    enum class Others { alike, any };
    double flops_of_others(const Request& resolved, const Estimate& work, Others which) const; ///< 0: none ran there
    double flops_of(const Request& resolved, const Estimate& work, Basis& basis) const;
    double measured_flops_of(const Request& resolved, const Estimate& work) const; ///< 0: of nothing like it
    void look_into_anew(const Device& device);
    static QString text_of(const Forecast& forecast, const Device& device);
    void load();
    void save();
    QMap<QString, Speed> speeds_;
    QHash<QString, Facts> facts_;   ///< by the device's name; empty ones are being looked for
    QHash<QString, Loaded> loaded_; ///< by the device's name, of this session
    int looking_ = 0;               ///< devices
    Look look_;
    std::unique_ptr<FileSaver> saver_;
    TaskThread thread_; ///< last: joined before the rest goes
};

} // namespace denoir::app
