// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMetaType>
#include <QObject>
#include <QStringList>
#include <memory>
#include <vector>

#include "app/base/newest_question.h"
#include "app/runs/engine_worker.h"
#include "engine/metrics/trace_comparison.h"

namespace denoir {
class TraceFiles;
}

namespace denoir::app {

/// Compares two traces layer by layer: two files, or two runs, which are traced first (the engine worker computes their
/// requests again when it is their turn). Files are read on another thread. Destroying it cancels that and joins the
/// thread. GUI thread.
class LayerComparison : public QObject {
    Q_OBJECT
public:
    enum class State { none, tracing, comparing, done };

    explicit LayerComparison(EngineWorker& worker, QObject* parent = nullptr);
    ~LayerComparison() override;

    /// Compares files of any kind that TraceFiles reads. Errors are those of A relative to B.
    void compare_files(const QString& a, const QString& b);
    /// Compares two run folders. `layers` are patterns as in denoir-cli trace, or empty for every layer; `steps` is a
    /// list such as "1,last". The traces are kept in the cache folder as long as they are needed.
    void compare_runs(const QString& a, const QString& b, const QStringList& layers, const QString& steps);
    /// Ends the comparison in progress; the result before it stays.
    void cancel();
    void clear();

    State state() const { return state_; }
    bool busy() const { return state_ == State::tracing || state_ == State::comparing; }
    /// The result of the last comparison that was completed; null if there is none.
    std::shared_ptr<const metrics::TraceComparison> result() const { return result_; }
    /// The run folders A and B of the result; empty if it is of files or there is none.
    const QStringList& runs() const { return runs_; }
    /// Why the last comparison has no result.
    const Issue& issue() const { return issue_; }
    /// How far the work of this state is, 0 … 1; negative where it is not known.
    double share() const { return share_; }
    /// Which run is being traced: 0 is A, 1 is B.
    int side() const { return int(tracing_); }
    const JobProgress& engine_progress() const { return engine_progress_; }

    /// Asks for the histograms of a tensor of the result, which histograms_ready() brings. Only the last of several
    /// questions is answered if they come quickly.
    void ask_histograms(const QString& key);
    /// Writes the result as .html, .json or .csv, by the ending of the name; exported() or export_failed() follows.
    void write(const QString& out);

signals:
    void changed(); ///< any of the above changed, except the progress
    void progressed();
    void histograms_ready(const QString& key, const denoir::metrics::PairHistograms& histograms);
    void exported(const QString& out);
    void export_failed(const denoir::app::Issue& issue);

private:
    struct Traced { ///< one of the two runs to be traced
        Request request;
        QString out;
        JobId job = 0;
    };
    void start_trace();
    void traced(JobId job);
    void read_files(const QString& a, const QString& b, const QString& name_a, const QString& name_b, bool ours);
    /// Calls `f` on the GUI thread. Called on the other thread, which is joined before this object is destroyed.
    template <class F> void tell(F&& f) { QMetaObject::invokeMethod(this, std::forward<F>(f), Qt::QueuedConnection); }
    void tell_share(double share);
    void end(const Issue& issue);
    void drop_traces();

    EngineWorker& engine_;
    State state_ = State::none;
    std::shared_ptr<const metrics::TraceComparison> result_;
    QStringList runs_, asked_runs_; ///< of the result; of the last comparison
    Issue issue_;
    JobProgress engine_progress_;
    double share_ = -1;
    std::vector<Traced> traces_; ///< of two runs, A's first
    std::size_t tracing_ = 0;    ///< index of the one being traced
    QString name_a_, name_b_;
    QStringList layers_;
    QString steps_;
    std::shared_ptr<const TraceFiles> files_; ///< of the result
    TaskThread thread_;                       ///< last but for what borrows it: joined before the rest is destroyed
    NewestQuestion reading_{thread_}, histograms_{thread_};
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::metrics::PairHistograms)
