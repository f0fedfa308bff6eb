// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDateTime>
#include <QHash>
#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/base/newest_question.h"
#include "app/runs/run_queue.h"
#include "app/sweep/sweep_axes.h"
#include "app/sweep/sweep_measurer.h"
#include "engine/session/sweep_plan.h"

namespace denoir::app {

class Estimator;
class OpenSweep;
class RequestDocument;
class RunHistory;
class Settings;

/// Manages sweeps: the one being edited (axes over the document's request), and the one shown, whose cells the queue
/// renders. The tag of a queue entry names the cells that it is for, so that results get into their sweep even if it is
/// not shown or the studio was restarted. GUI thread; nothing here waits for a disk.
class SweepDocument : public QObject {
    Q_OBJECT
public:
    SweepDocument(Settings& settings, RequestDocument& document, RunQueue& queue, RunHistory& history,
                  Estimator& estimator, QUndoStack& undo, QObject* parent = nullptr);

    SweepAxes& axes() { return axes_; }

    /// What starting the edited sweep would mean.
    struct Outlook {
        bool pending = false;
        std::size_t clips = 0, there = 0, to_render = 0;
        double seconds = -1;  ///< for those to render; negative: not known
        QStringList warnings; ///< what else the user should know before starting it, in the engine's words
        Issue issue;          ///< why it cannot start; empty if it can
    };
    const Outlook& outlook() const { return outlook_; }
    /// Whether to keep the outlook up to date; off while nobody looks at it.
    void set_watching(bool watching);

    /// Starts the edited sweep: puts what has to be rendered into the queue. started() or failed() follows.
    void start();
    bool starting() const { return beginning_ != 0; }
    /// Withdraws a start() that waits for the request to be resolved. Returns false if there is none.
    bool give_up() { return std::exchange(wanted_, false); }
    /// Stops a start() while starting(): neither started() nor failed() follows. Returns false if there is none.
    bool stop_starting();

    /// The sweep shown; null if there is none.
    const OpenSweep* shown() const { return shown_.get(); }
    void open(const QString& folder);
    /// Takes the axes of the one shown into the editor, as an undo step.
    void edit_shown();

    enum class State { missing, waiting, running, done, failed, gone };
    struct CellView {
        State state = State::missing;
        double progress = -1, eta = -1; ///< of a running cell; negative: not known
        bool eta_of_denoising = false;  ///< RunQueue::EtaOfDenoisingRole
        int step = 0, steps = 0;
        Issue issue; ///< of a failed cell
    };
    CellView cell(std::size_t index) const;
    /// How many cells of the shown sweep are in which state, and how long those in the queue will take (negative: not
    /// known).
    struct Progress {
        int done = 0, open = 0, missing = 0, failed = 0, total = 0;
        double seconds_left = -1;
    };
    Progress progress() const;
    /// Puts cells that are missing, gone or failed into the queue again, together with all cells that share their runs.
    /// A run that was stopped is resumed. Cells without an entry in the queue are planned again, in the background.
    void retry(const std::vector<std::size_t>& cells);
    void retry_all();
    /// Takes the waiting entries of the shown sweep out of the queue; the queue's undo brings them back.
    void clear_waiting();
    void set_reference(const std::vector<std::optional<std::size_t>>& reference);
    /// Puts a cell of the shown sweep into the document: only the axes' values and the seed, or the `whole` request.
    void take_values(std::size_t cell, bool whole);
    int measuring() const; ///< number of the shown sweep's cells that are being measured or wait for it

    struct Earlier {
        QString path, title;
        QDateTime created;
        int done = 0, total = 0;
    };
    const QList<Earlier>& earlier() const { return earlier_; }
    void list_earlier(); ///< lists them again, in the background

    /// Fills in runs that ended in an earlier session and shows the last sweep. To be called once, after the queue has
    /// been read.
    void begin();
    /// Only shows the last sweep, for a screenshot of the window. Nothing is measured or stored.
    void begin_for_picture();
    /// Blocks until everything is stored. For tests.
    bool flush();

signals:
    void outlook_changed();
    void shown_changed();
    void cells_changed(const std::vector<std::size_t>& cells); ///< of the one shown
    void reference_changed();
    void earlier_changed();
    void started();
    void failed(const denoir::app::Issue& issue); ///< a sweep could not be started, opened or stored

private:
    struct Tag {
        QString path;
        std::vector<std::size_t> cells;
    };
    struct Beginning;
    static QString tag_of(const QString& path, const std::vector<std::size_t>& cells);
    Tag read_tag(const QString& tag) const;
    void look_soon();
    void look();
    void take_outlook(const Outlook& outlook);
    void take_plan(const SweepPlan& plan, const QStringList& warnings);
    double seconds_for(const SweepPlan& plan, const std::vector<std::size_t>& cells) const;
    void take_beginning(Beginning& beginning);
    void plan_again(const std::vector<std::size_t>& cells);
    /// For these cells and all that share a run with one of them: fills in the runs that the plan found and queues the
    /// others, except those that have a video or are queued already. The requests derive from the snapshot `of`.
    void put_in_line(OpenSweep& sweep, const SweepPlan& plan, const std::vector<std::size_t>& cells,
                     const RequestDocument::Snapshot& of);
    void adopt(const std::shared_ptr<OpenSweep>& sweep);
    void show(const std::shared_ptr<OpenSweep>& sweep);
    void show_last();
    /// Called with a sweep once it has been read; not at all if that fails.
    using Use = std::function<void(const std::shared_ptr<OpenSweep>&)>;
    void with_sweep(const QString& path, const Use& use, bool tell = false);
    void fill(const QModelIndex& entry);               ///< takes the result of a queue entry that has ended
    QHash<std::size_t, quint64> queue_entries() const; ///< of the shown sweep's cells
    std::vector<Tag> in_line() const;                  ///< tags of the entries that wait or are at work
    void index_queue();
    void queue_changed(int first, int last);
    void measure(const OpenSweep& sweep);
    void let_go(); ///< closes sweeps that nobody needs
    std::optional<quint64> entry_of(std::size_t cell) const;

    Settings& settings_;
    RequestDocument& document_;
    RunQueue& queue_;
    RunHistory& history_;
    Estimator& estimator_;
    SweepAxes axes_;
    Outlook outlook_;
    QTimer look_later_;
    bool watching_ = false, wanted_ = false;
    TaskThread::Id beginning_ = 0;                      ///< the task that plans a sweep to start; 0 if there is none
    bool looks_only_ = false;                           ///< whether nothing is to be stored
    int reading_ = 0;                                   ///< number of sweeps being read for with_sweep()
    mutable QHash<QString, QString> real_folders_;      ///< by the path in a tag, so that the disk is asked only once
    QHash<QString, std::shared_ptr<OpenSweep>> sweeps_; ///< shown, or with entries in the queue
    std::shared_ptr<OpenSweep> shown_;
    QHash<std::size_t, quint64> entries_;                 ///< cell of the shown sweep -> queue entry
    QHash<QString, QHash<std::size_t, double>> expected_; ///< forecast seconds of cells, by sweep
    QList<Earlier> earlier_;
    bool listing_ = false;
    SweepMeasurer measurer_;
    TaskThread files_; ///< last but for what borrows it, so that it is joined before the rest is destroyed
    NewestQuestion looking_{files_};
};

} // namespace denoir::app
