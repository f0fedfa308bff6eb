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

/// Two traces held against each other layer by layer: two files, or two runs, which are traced first (their requests
/// computed again by the engine worker, in its turn). Files are read on a thread of its own. GUI thread; destroying it
/// cancels and joins.
class LayerComparison : public QObject {
    Q_OBJECT
public:
    enum class State { none, tracing, comparing, done };

    explicit LayerComparison(EngineWorker& worker, QObject* parent = nullptr);
    ~LayerComparison() override;

    /// Any files that TraceFiles reads; B is the one that errors are measured against.
    void compare_files(const QString& a, const QString& b);
    /// Two run folders. `layers`: patterns as in denoir-cli trace, empty: every layer; `steps`: "1,last". The traces
    /// are kept in the cache folder as long as they are needed.
    void compare_runs(const QString& a, const QString& b, const QStringList& layers, const QString& steps);
    /// What was shown before stays.
    void cancel();
    void clear();

    State state() const { return state_; }
    bool busy() const { return state_ == State::tracing || state_ == State::comparing; }
    /// What the last comparison that came to its end found; null: none.
    std::shared_ptr<const metrics::TraceComparison> result() const { return result_; }
    /// The run folders that the result is of, A and B; empty: it is of files, or there is none.
    const QStringList& runs() const { return runs_; }
    /// Why there is no result of what was asked last.
    const Issue& issue() const { return issue_; }
    /// Other things are chosen now than those that it was said of.
    void forget_issue();
    /// How far the work of this state is, 0 … 1; negative where it is not known.
    double share() const { return share_; }
    /// While tracing: 0 is A, 1 is B, and what the engine says of it.
    int side() const { return int(tracing_); }
    const JobProgress& engine_progress() const { return engine_progress_; }

    /// Asks for the histograms of a tensor of the result; histograms_ready() answers, of several asked in quick
    /// succession the last alone.
    void ask_histograms(const QString& key);
    /// The result as .html, .json or .csv (by the name's end); exported() or export_failed() answers.
    void write(const QString& out);

signals:
    void changed(); ///< any of the above but how far it is
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
    /// On the GUI thread, from the other one. The thread is joined before this object goes.
    template <class F> void tell(F&& f) { QMetaObject::invokeMethod(this, std::forward<F>(f), Qt::QueuedConnection); }
    void tell_share(double share);
    void end(const Issue& issue);
    void drop_traces();

    EngineWorker& engine_;
    State state_ = State::none;
    std::shared_ptr<const metrics::TraceComparison> result_;
    QStringList runs_, asked_runs_; ///< of the result, of what was asked last
    Issue issue_;
    JobProgress engine_progress_;
    double share_ = -1;
    std::vector<Traced> traces_; ///< of two runs, A's first
    std::size_t tracing_ = 0;    ///< which of them is at work
    QString name_a_, name_b_;
    QStringList layers_;
    QString steps_;
    std::shared_ptr<const TraceFiles> files_; ///< of the result
    TaskThread thread_;                       ///< last but two: joined before the rest goes
    NewestQuestion reading_{thread_}, histograms_{thread_};
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::metrics::PairHistograms)
