// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractListModel>
#include <QStringList>
#include <functional>
#include <memory>

#include "app/base/issue.h"
#include "app/runs/run_standing.h"
#include "engine/session/run_record.h"

namespace denoir {
class FinishedRuns;
}

namespace denoir::app {

struct RunNotes;

/// The list of runs, newest first. The rows come from an SQLite index (`history.sqlite` in the data folder), which a
/// thread keeps up to date with the run folders and rebuilds from them if it is missing or damaged. What the user adds
/// to a run (star, name, prompt template) is stored in the run's own `studio.json`, so that nothing is lost with the
/// index. GUI thread.
class RunHistory : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        PathRole = Qt::UserRole + 1,
        NameRole, ///< given by the user; may be empty
        PromptRole,
        TemplateRole, ///< the prompt with wildcards; empty if it has none
        StandingRole, ///< RunStanding as int
        CreatedRole,  ///< QDateTime, UTC
        SeedRole,     ///< quint64
        WidthRole,
        HeightRole,
        FramesRole,
        StepsRole,
        StepsDoneRole,  ///< complete steps on disk
        BranchStepRole, ///< the step of the other run at which a branch begins; -1 if it is no branch
        GuidanceRole,
        SecondsRole, ///< spent on making it
        StarredRole,
        BytesRole,     ///< on disk
        ThumbnailRole, ///< path of thumbnail.png; empty if there is none (yet)
        VideoRole,     ///< path of video.mp4; empty if there is none (yet)
        IssueRole,     ///< app::Issue of a failed or unreadable run
        SummaryRole,   ///< "256x144 · 33 f · 20 steps · CFG 5 · seed 7"
        LatentsRole,   ///< bool: the steps can be shown and branched from
    };

    explicit RunHistory(QObject* parent = nullptr);
    ~RunHistory() override;

    /// The StandingRole of a row.
    static RunStanding standing(const QModelIndex& run) { return RunStanding(run.data(StandingRole).toInt()); }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override; ///< StarredRole, NameRole
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// Shows only runs in which every word of `text` occurs: in the prompt, name, parameters, model, state, date or
    /// folder, ignoring case. "steps:20", "seed:7", "size:256x144", "frames:33", "mode:i2v" and "state:done" ask for
    /// one field, as do the words that rows show: "3 steps", "CFG 3", "stopped". The rows change at once.
    void set_search(const QString& text);
    QString search() const;
    void set_starred_only(bool only);

    int total() const;                       ///< number of runs, regardless of search and filter
    int row_of(const QString& run) const;    ///< -1 if it is not shown
    bool contains(const QString& run) const; ///< regardless of search and filter
    FinishedRuns finished_runs() const;      ///< regardless of search and filter
    QString newest_done() const;             ///< path; empty if there is none
    /// The full record with the resolved request, from the run's folder. Throws Error.
    static RunRecord record(const QString& run);
    /// What the user knows a run by: its name, its prompt or the name of its folder, whichever it has first. Reads the
    /// folder.
    static QString title(const QString& run);
    /// `issue` with the run's title in place of its file if that is a run folder. Reads the folder.
    static Issue titled(Issue issue);
    /// True for the folder of runs, the folders in it and the data folder, in any spelling: users do not know these by
    /// their paths.
    static bool is_own_folder(const QString& path);
    static bool is_own_name(const QString& path); ///< the same for the path as it is written, without asking the disk

    bool starred(const QString& run) const;
    void set_starred(const QString& run, bool starred);
    void set_name(const QString& run, const QString& name);
    void set_prompt_template(const QString& run, const QString& text);

    /// Moves the folders to `.trash` in the folder of runs, where they stay until purge_trash(). Returns the runs that
    /// were moved: not those that are at work, nor those that cannot be moved, for which issue() is set.
    QStringList remove(const QStringList& runs);
    /// Moves the runs of the last remove() back.
    void restore();
    bool can_restore() const;
    /// Deletes runs that have been in the trash for longer than this, except those in `but`.
    void purge_trash(int older_than_days, const QStringList& but = {});

    /// Reads the run's folder again soon, as it was made or has changed.
    void touch(const QString& run);
    /// Shows this step for the run at work at once, before its folder is read.
    void set_step(const QString& run, int step);
    /// Looks at every folder again, in the background.
    void refresh();
    /// Makes the index anew from the folders.
    void rebuild();
    /// Waits until all folders were looked at. Returns false if that takes longer. For tests, benchmarks and
    /// --screenshot.
    bool wait_scanned(int milliseconds);

    quint64 bytes() const; ///< disk use of all runs
    /// Runs whose steps' latents would be deleted, and the bytes that this frees.
    struct DropPlan {
        QStringList runs;
        quint64 bytes = 0;
    };
    /// What to delete so that at most `limit` bytes are used: latents of unstarred, finished runs, the oldest first.
    /// The last latent, the video and the record always stay.
    DropPlan plan_drop(quint64 limit) const;
    void drop_latents(const DropPlan& plan);
    /// The latest problem: the index, a star or a name could not be written, or a run could not be removed.
    Issue issue() const;

signals:
    void scanned();        ///< all folders were looked at
    void totals_changed(); ///< total() or bytes() changed
    /// `next` is the run to show instead: the one after them in the list, or the last one if none follows. Empty if no
    /// run is left.
    void removed(const QStringList& runs, const QString& next);
    void restored(const QStringList& runs);
    /// What restored() named was looked at: these runs are listed now, except those that are no runs any more.
    void read_again(const QStringList& runs);
    /// These folders are gone, and remove() has not moved them: another program has.
    void lost(const QStringList& runs);
    void issue_changed();

private:
    struct Store;
    void note(const QString& run, const std::function<void(RunNotes&)>& change);
    QString entry_of(const QString& run) const;
    std::unique_ptr<Store> store_;
};

} // namespace denoir::app
