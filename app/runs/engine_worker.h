// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMetaType>
#include <QObject>
#include <memory>

#include "app/base/issue.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/observer.h"
#include "engine/pipeline/request.h"
#include "engine/session/trace_selection.h"

namespace denoir::app {

using JobId = quint64; ///< 0: none

/// A solver step just taken. Tensors share their memory with nobody who writes: cheap to copy, safe to read from any
/// thread.
struct StepUpdate {
    int step = 0, steps = 0; ///< 1 … steps; 0: the state a run goes on from
    Tensor latent;           ///< [C,T,h,w] f32, after the step
    Tensor x0;               ///< the estimate of the clean latent, same shape
    double seconds = 0;      ///< of this step
};

/// How far the job at work is in its present stage.
struct JobProgress {
    Stage stage = Stage::load_text;
    double done = 0, total = 0; ///< pieces of this stage; total 0: not known
    double seconds_left = -1;   ///< of this stage, from its measured pace; negative: not known yet
    double stage_seconds = 0;   ///< since the stage began
};

struct RunResult {
    QString run, out; ///< folder, video
    quint64 seed = 0;
    double seconds = 0;
    quint64 peak_memory_bytes = 0;
};

struct VerifyResult {
    bool identical = false;
    int steps = 0;             ///< compared
    int first_difference = -1; ///< step whose latents come out otherwise, 0: the noise; -1: none
    QStringList changed_files; ///< as Verification::changed_files
};

/// The engine thread: takes one job after another and turns observer calls into signals, which arrive on the thread of
/// the receiver. Its threads run at low priority beside a window. Destroying it cancels the job and joins; a run stays
/// resumable.
class EngineWorker : public QObject {
    Q_OBJECT
public:
    explicit EngineWorker(QObject* parent = nullptr);
    ~EngineWorker() override;

    /// From a request to the video in `run_dir` (new or empty; empty: a name of its own in the history). A request with
    /// `start` is a branch. Returns at once; jobs wait for the one before.
    JobId render(const Request& request, const QString& run_dir = {});
    /// Goes on from the last whole step.
    JobId resume(const QString& run);
    /// Renders the stored request again and compares checksums.
    JobId verify(const QString& run);
    /// The chosen layers of a request into `out`, as denoir-cli trace writes them. No run folder, no video.
    JobId trace(const Request& request, const TraceSelection& select, const QString& out);

    /// The job ends with cancelled() within 200 ms or one block; a waiting one at once. Unknown jobs are ignored.
    void cancel(JobId job);
    void cancel_all();
    JobId current() const; ///< the job at work, 0: none
    bool busy() const { return current() != 0; }

signals:
    void started(denoir::app::JobId job);
    /// From now on it can be resumed. `request`: resolved.
    void run_created(denoir::app::JobId job, const QString& run, int steps, int first_step,
                     const denoir::Request& request);
    /// As each stage begins, then at most 20 times a second.
    void progressed(denoir::app::JobId job, const denoir::app::JobProgress& progress);
    void step_done(denoir::app::JobId job, const denoir::app::StepUpdate& update);
    void warned(denoir::app::JobId job, const QString& text);
    // Exactly one of these ends every job.
    void finished(denoir::app::JobId job, const denoir::app::RunResult& result);
    void verified(denoir::app::JobId job, const denoir::app::VerifyResult& result);
    void traced(denoir::app::JobId job, const QString& out);
    void failed(denoir::app::JobId job, const denoir::app::Issue& issue);
    void cancelled(denoir::app::JobId job, const QString& run); ///< run: empty where none had begun
    void ended(denoir::app::JobId job);                         ///< after the one above

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::app::StepUpdate)
Q_DECLARE_METATYPE(denoir::app::JobProgress)
Q_DECLARE_METATYPE(denoir::app::RunResult)
Q_DECLARE_METATYPE(denoir::app::VerifyResult)
