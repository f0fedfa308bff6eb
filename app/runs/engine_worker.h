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

using JobId = quint64; ///< 0 stands for no job

/// A solver step just taken. Nobody writes to the tensors any more, so they can be read from any thread; copies are
/// cheap.
struct StepUpdate {
    int step = 0, steps = 0; ///< 1 … steps; 0: the state from which a run is resumed
    Tensor latent;           ///< [C,T,h,w] f32, after the step
    Tensor x0;               ///< the estimate of the clean latent, same shape
    double seconds = 0;      ///< of this step
};

/// The progress of the current job within its present stage.
struct JobProgress {
    Stage stage = Stage::load_text;
    double done = 0, total = 0; ///< parts of this stage; total 0: not known
    double seconds_left = -1;   ///< for the rest of this stage, from its measured pace; negative: not known yet
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
    int steps = 0;             ///< that were compared
    int first_difference = -1; ///< the first step whose latents differ, 0: the noise; -1: none
    QStringList changed_files; ///< Verification::changed_files
};

/// Runs the engine on a thread of its own: takes one job after another and turns observer calls into signals, which
/// arrive on the thread of the receiver. Its threads have a lower priority than the window's. Destroying it cancels the
/// current job and joins the thread; the run can be resumed.
class EngineWorker : public QObject {
    Q_OBJECT
public:
    explicit EngineWorker(QObject* parent = nullptr);
    ~EngineWorker() override;

    /// Renders a request into the folder `run_dir`, which must be new or empty. Without `run_dir`, a new folder is made
    /// in the history. A request with `start` is a branch. Returns at once; a job waits for earlier ones.
    JobId render(const Request& request, const QString& run_dir = {});
    /// Continues a run from its last complete step.
    JobId resume(const QString& run);
    /// Renders the request of a run again and compares checksums.
    JobId verify(const QString& run);
    /// Writes the chosen layers of a request to `out`, as denoir-cli trace does. Makes no run folder and no video.
    JobId trace(const Request& request, const TraceSelection& select, const QString& out);

    /// Ends a job with cancelled(): a waiting one at once, the current one within 200 ms or one block. Unknown jobs are
    /// ignored.
    void cancel(JobId job);
    void cancel_all();
    JobId current() const; ///< 0 if there is none
    bool busy() const { return current() != 0; }

signals:
    void started(denoir::app::JobId job);
    /// The run folder exists: from now on the run can be resumed. `request` is resolved.
    void run_created(denoir::app::JobId job, const QString& run, int steps, int first_step,
                     const denoir::Request& request);
    /// Emitted as each stage begins, then at most 20 times a second.
    void progressed(denoir::app::JobId job, const denoir::app::JobProgress& progress);
    void step_done(denoir::app::JobId job, const denoir::app::StepUpdate& update);
    void warned(denoir::app::JobId job, const QString& text);
    // Exactly one of these ends every job.
    void finished(denoir::app::JobId job, const denoir::app::RunResult& result);
    void verified(denoir::app::JobId job, const denoir::app::VerifyResult& result);
    void traced(denoir::app::JobId job, const QString& out);
    void failed(denoir::app::JobId job, const denoir::app::Issue& issue);
    void cancelled(denoir::app::JobId job, const QString& run); ///< `run` is empty if none had begun
    void ended(denoir::app::JobId job);                         ///< follows each of the above

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::app::StepUpdate)
Q_DECLARE_METATYPE(denoir::app::JobProgress)
Q_DECLARE_METATYPE(denoir::app::RunResult)
Q_DECLARE_METATYPE(denoir::app::VerifyResult)
