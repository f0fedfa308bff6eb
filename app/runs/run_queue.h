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

/// Requests that wait for the engine, the one at work, and those that have ended. The queue is kept in `queue.json` in
/// the data folder, which is replaced at each change. So it survives kill -9: the entry that was at work then is
/// `interrupted` and can be resumed. Feeds the EngineWorker one job at a time.
class RunQueue : public QAbstractListModel {
    Q_OBJECT
public:
    enum class State { waiting, running, done, failed, cancelled, interrupted };
    Q_ENUM(State)
    enum Role {
        IdRole = Qt::UserRole + 1, ///< quint64, stable over restarts
        StateRole,                 ///< State as int
        PromptRole,                ///< resolved prompt
        TemplateRole,              ///< prompt with wildcards; empty if it has none
        SummaryRole,               ///< "256x144 · 33 f · 20 steps · seed 7"
        SeedRole,                  ///< quint64
        ProgressRole,              ///< 0 … 1 over the whole run; -1: not known
        StageRole,                 ///< Stage as int; invalid while it waits
        EtaRole,                   ///< seconds left of the whole run; negative: not known
        EtaOfDenoisingRole,        ///< whether these leave out decoding, for which there is no forecast yet
        PaceRole,                  ///< mean seconds per step since it began; 0: no step yet
        StepRole,
        StepsRole,
        IssueRole, ///< app::Issue, may be empty
        RunRole,   ///< run folder; empty before it exists
        KindRole,  ///< "render", "resume"
        TagRole,   ///< marks the entries of an owner, such as a sweep, in its own format; empty if the user added it
        LabelRole, ///< how it differs from the owner's other entries, to be shown; may be empty
    };

    /// Reads queue.json. A file that cannot be read is renamed to queue.json.broken, and issue() says so. Borrows
    /// `worker`.
    RunQueue(EngineWorker& worker, QObject* parent = nullptr);
    ~RunQueue() override;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// For drag and drop within the list, which only moves waiting entries.
    bool moveRows(const QModelIndex&, int row, int count, const QModelIndex&, int destination) override;
    Qt::DropActions supportedDropActions() const override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

    /// Adds an entry at the end or, if `next`, before all others that wait. `tag` stays with the entry over restarts,
    /// and with its run when that is resumed. Returns the entry's id.
    quint64 add(const RequestDocument::Snapshot& snapshot, bool next = false, const QString& tag = {});
    struct Tagged {
        RequestDocument::Snapshot snapshot;
        QString tag, label; ///< the label counts only as long as the entry has a tag
    };
    /// Adds many entries at the end at once. Returns their ids.
    QList<quint64> add_all(const std::vector<Tagged>& entries);
    /// Puts a run that was interrupted, cancelled or failed first in line, to be resumed. If it already has a waiting
    /// entry, that one is moved there; if it is at work, nothing happens. Returns the entry's id.
    quint64 add_resume(const QString& run);
    /// Puts an entry that ended without a video first in line: it resumes its run, or begins anew if it has none.
    /// Returns false if there is no such entry.
    bool retry(quint64 id);
    /// Removes a waiting entry; stops one that is at work, which can be resumed.
    void cancel(quint64 id);
    void cancel_current();
    /// Removes entries that are not at work.
    void remove(const QList<quint64>& ids);
    void remove(quint64 id) { remove(QList<quint64>{id}); }
    /// Takes out the ended entries of runs that were deleted; remember() puts them back when the runs are restored.
    void forget(const QStringList& runs);
    void remember(const QStringList& runs);
    /// Removes every entry that has ended.
    void clear_ended();
    /// Removes every waiting entry whose tag begins with `beginning`.
    void clear_tagged(const QString& beginning);
    /// Removes every waiting entry. undo_clear() brings back what the last clear_… or remove took out, then what the
    /// one before it did, and so on.
    void clear_waiting();
    bool can_undo_clear() const;
    void undo_clear();
    bool move(quint64 id, int row);
    /// The request of an entry, for editing; empty if there is no such entry. replace() puts it back at the same place.
    /// That returns false if the entry no longer waits, or is to resume a run, whose request lies in its folder.
    std::optional<RequestDocument::Snapshot> snapshot(quint64 id) const;
    bool replace(quint64 id, const RequestDocument::Snapshot& snapshot);
    void set_tag(quint64 id, const QString& tag);

    bool paused() const; ///< nothing new is started; the entry at work goes on. Kept over restarts.
    void set_paused(bool paused);
    /// Begins to feed the worker. Called when the window is shown.
    void start();
    int waiting() const;
    quint64 running() const;     ///< id of the entry at work; 0 if there is none
    JobId running_job() const;   ///< its job at the worker
    QString running_run() const; ///< its folder, once it exists
    std::optional<Request> running_request() const;
    int row_of(quint64 id) const; ///< -1 if there is none
    /// Entries with a run that were at work when the program ended or crashed, oldest first.
    QList<quint64> interrupted() const;
    /// The Estimator's forecast for an entry in seconds, from which its progress and ETA are computed: `before` the
    /// first step, `denoise` from there to the last step (including what a clip of several windows decodes in between),
    /// and `decode` after it.
    struct Expected {
        double before = 0, denoise = 0, decode = 0;
    };
    void set_expected(quint64 id, const Expected& expected);
    /// Blocks until the file is written. Returns false if that failed.
    bool flush();
    /// Why the file could not be read or written; empty if it could.
    Issue issue() const;

signals:
    void paused_changed(bool paused);
    /// Two runs in a row failed for the same reason, so the queue was paused. Emitted once for each reason.
    void failing(const denoir::app::Issue& issue);
    void entry_started(quint64 id, denoir::app::JobId job);
    void run_created(quint64 id, const QString& run);
    void entry_ended(quint64 id, int state, const QString& run); ///< `state`: State
    void entries_removed();                                      ///< undo_clear() can bring them back
    void entries_restored(const QList<quint64>& ids);            ///< undo_clear() brought them back
    void issue_changed();

private:
    struct Entry;
    struct Store;
    std::unique_ptr<Store> store_;
};

} // namespace denoir::app
