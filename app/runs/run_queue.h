// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractListModel>
#include <QDateTime>
#include <QStringList>
#include <memory>
#include <vector>

#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"

namespace denoir::app {

/// Requests waiting for the engine, the one at work, and those that ended since. Kept in `queue.json` of the data
/// folder, renewed whole at each change, so that it survives kill -9: what was at work then is `interrupted` and can be
/// resumed. Feeds the EngineWorker one job at a time.
class RunQueue : public QAbstractListModel {
    Q_OBJECT
public:
    enum class State { waiting, running, done, failed, cancelled, interrupted };
    Q_ENUM(State)
    enum Role {
        IdRole = Qt::UserRole + 1, ///< quint64, stable over restarts
        StateRole,                 ///< State as int
        PromptRole,                ///< resolved prompt
        TemplateRole,              ///< prompt with wildcards; empty: had none
        SummaryRole,               ///< "256x144 · 33 f · 20 steps · seed 7"
        SeedRole,                  ///< quint64
        ProgressRole,              ///< 0 … 1 over the whole run; -1: not known
        StageRole,                 ///< Stage as int; invalid while it waits
        EtaRole,                   ///< seconds left of the whole run, negative: not known
        EtaOfDenoisingRole,        ///< whether they leave out decoding, which nobody has timed yet
        PaceRole,                  ///< seconds a step, mean of those taken since it began; 0: none yet
        StepRole,
        StepsRole,
        IssueRole, ///< app::Issue, empty: none
        RunRole,   ///< run folder, empty before it exists
        KindRole,  ///< "render", "resume"
        TagRole,   ///< what it was put in line for, as its owner wrote it; empty: by hand
        LabelRole, ///< what tells it from the others of its owner, for people; empty: nothing does
    };

    /// Reads queue.json. `worker` is borrowed. Unreadable files are put aside as queue.json.broken, with an issue.
    RunQueue(EngineWorker& worker, QObject* parent = nullptr);
    ~RunQueue() override;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Drag and drop within the list: waiting entries only.
    bool moveRows(const QModelIndex&, int row, int count, const QModelIndex&, int destination) override;
    Qt::DropActions supportedDropActions() const override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

    /// At the end, or before all others that wait. `tag` stays with the entry over restarts, and with its run when
    /// that goes on. Returns its id.
    quint64 add(const RequestDocument::Snapshot& snapshot, bool next = false, const QString& tag = {});
    struct Tagged {
        RequestDocument::Snapshot snapshot;
        QString tag, label; ///< LabelRole, for as long as it has a tag
    };
    /// Many at once, at the end, written once. Returns their ids.
    QList<quint64> add_all(const std::vector<Tagged>& entries);
    /// Puts a run that was interrupted, cancelled or failed first in line, to be resumed. If it has an entry
    /// already, a waiting one moves there and one at work stays. Returns the entry's id.
    quint64 add_resume(const QString& run);
    /// Puts an entry that ended without a video first in line: it resumes its run, or begins anew if it has none.
    /// False: no such entry has ended, or it has a video.
    bool retry(quint64 id);
    /// Cancels: a waiting entry leaves the queue, one at work ends resumable.
    void cancel(quint64 id);
    void cancel_current();
    /// Removes entries that are not at work.
    void remove(const QList<quint64>& ids);
    void remove(quint64 id) { remove(QList<quint64>{id}); }
    /// Takes out the ended entries of runs that were deleted; remember() puts them back when their runs are.
    void forget(const QStringList& runs);
    void remember(const QStringList& runs);
    /// Everything that ended.
    void clear_ended();
    /// Every waiting entry whose tag begins like this.
    void clear_tagged(const QString& beginning);
    /// Every waiting entry. undo_clear() brings back what the last clear or remove took, then the one before it.
    void clear_waiting();
    bool can_undo_clear() const;
    void undo_clear();
    bool move(quint64 id, int row);
    /// The request of an entry, for editing; nothing if there is no such entry. replace() puts it back at the same
    /// place; false: the entry waits no more, or is a run to be resumed, whose request lies in its folder.
    std::optional<RequestDocument::Snapshot> snapshot(quint64 id) const;
    bool replace(quint64 id, const RequestDocument::Snapshot& snapshot);
    void set_tag(quint64 id, const QString& tag);

    bool paused() const; ///< nothing new is started; the one at work goes on. Kept over restarts.
    void set_paused(bool paused);
    /// Begins to feed the worker: once the window is up.
    void start();
    int waiting() const;
    quint64 running() const;     ///< id of the entry at work, 0: none
    JobId running_job() const;   ///< its job at the worker
    QString running_run() const; ///< its folder, once it exists
    std::optional<Request> running_request() const;
    int row_of(quint64 id) const; ///< -1: none
    /// Entries with a run that were at work when the program ended or crashed, oldest first.
    QList<quint64> interrupted() const;
    /// The Estimator's forecast for an entry, in seconds, for its progress and ETA. `before`: up to the first step;
    /// `decode`: after the last one; `denoise`: between them, with what a clip of several windows decodes in between.
    struct Expected {
        double before = 0, denoise = 0, decode = 0;
    };
    void set_expected(quint64 id, const Expected& expected);
    /// Blocks until the file is written. False: it could not be.
    bool flush();
    /// Where the file could not be read or written. Empty: all is well.
    Issue issue() const;

signals:
    void paused_changed(bool paused);
    /// Two runs in a row failed for the same reason; the queue was paused before more do. Once for each reason.
    void failing(const denoir::app::Issue& issue);
    void entry_started(quint64 id, denoir::app::JobId job);
    void run_created(quint64 id, const QString& run);
    void entry_ended(quint64 id, int state, const QString& run); ///< State
    void entries_removed();                                      ///< undo_clear() brings them back
    void entries_restored(const QList<quint64>& ids);            ///< by undo_clear()
    void issue_changed();
    void emptied(); ///< the last entry ended and none waits

private:
    struct Entry;
    struct Store;
    std::unique_ptr<Store> store_;
};

} // namespace denoir::app
