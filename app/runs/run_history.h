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

/// The runs, newest first. The rows come from an SQLite index (`history.sqlite` in the data folder), which a thread
/// keeps up to date with the run folders and rebuilds from them if it is missing or damaged. What the user adds to a
/// run (star, name, prompt template) is stored in the run's own `studio.json`, so nothing is lost with the index. GUI
/// thread.
class RunHistory : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        PathRole = Qt::UserRole + 1,
        NameRole, ///< given by the user; empty: none
        PromptRole,
        TemplateRole, ///< with wildcards; empty: had none
        StandingRole, ///< RunStanding as int
        CreatedRole,  ///< QDateTime, UTC
        SeedRole,     ///< quint64
        WidthRole,
        HeightRole,
        FramesRole,
        StepsRole,
        StepsDoneRole,  ///< whole steps on disk
        BranchStepRole, ///< of a branch: the step of its run that it begins at; else -1
        GuidanceRole,
        SecondsRole, ///< of work on it
        StarredRole,
        BytesRole,     ///< on disk
        ThumbnailRole, ///< path of thumbnail.png; empty: none (yet)
        VideoRole,     ///< path of video.mp4; empty: none (yet)
        IssueRole,     ///< app::Issue of a failed or unreadable run
        SummaryRole,   ///< "256x144 · 33 f · 20 steps · CFG 5 · seed 7"
        LatentsRole,   ///< steps can be shown and branched from
    };

    explicit RunHistory(QObject* parent = nullptr);
    ~RunHistory() override;

    /// StandingRole of a row.
    static RunStanding standing(const QModelIndex& run) { return RunStanding(run.data(StandingRole).toInt()); }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override; ///< StarredRole, NameRole
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// Words that must all occur in prompt, name, parameters, model, state, date or folder, case ignored; "steps:20",
    /// "seed:7", "size:256x144", "frames:33", "mode:i2v", "state:done" ask for one field, as do the words of a row:
    /// "3 steps", "CFG 3", "stopped". Rows change at once.
    void set_search(const QString& text);
    QString search() const;
    void set_starred_only(bool only);

    int total() const;                       ///< without search and filter
    int row_of(const QString& run) const;    ///< -1: not shown
    bool contains(const QString& run) const; ///< filter ignored
    FinishedRuns finished_runs() const;      ///< search and filter ignored
    QString newest_done() const;             ///< path; empty: none
    /// Reads the run's folder: full record with the resolved request. Throws Error.
    static RunRecord record(const QString& run);
    /// What people know a run by: its name, else its prompt, else its folder's name. Reads the folder.
    static QString title(const QString& run);
    /// The issue with its file, if that is a run folder, replaced by the run's title. Reads the folder.
    static Issue titled(Issue issue);
    /// True for the folder of runs, the folders in it and the data folder, in any spelling: users know none by its
    /// path.
    static bool is_own_folder(const QString& path);
    static bool is_own_name(const QString& path); ///< as it is written: asks no disk

    bool starred(const QString& run) const;
    void set_starred(const QString& run, bool starred);
    void set_name(const QString& run, const QString& name);
    void set_prompt_template(const QString& run, const QString& text);

    /// Moves the folders to `.trash` in the folder of runs, where they stay until purge_trash(). Leaves out runs at
    /// work, and those that cannot be moved, which sets issue(). Returns those that were moved.
    QStringList remove(const QStringList& runs);
    /// Moves the runs of the last remove() back.
    void restore();
    bool can_restore() const;
    /// Deletes what has been in the trash for longer than this, except the runs in `but`.
    void purge_trash(int older_than_days, const QStringList& but = {});

    /// Reads the run's folder anew, soon: it was made or has changed.
    void touch(const QString& run);
    /// Lists the run at work with this step at once, before its folder is read.
    void set_step(const QString& run, int step);
    /// Looks at every folder again, in the background.
    void refresh();
    /// Forgets the index and makes it again from the folders.
    void rebuild();
    bool wait_scanned(int milliseconds); ///< false: not in time. For tests, benchmarks and --screenshot

    quint64 bytes() const; ///< disk use of all runs
    /// Runs that would lose the latents of their steps, and the bytes that this frees.
    struct DropPlan {
        QStringList runs;
        quint64 bytes = 0;
    };
    /// What to drop so that at most `limit` bytes are used: from unstarred, finished runs, the oldest first. The last
    /// latent, the video and the record always stay.
    DropPlan plan_drop(quint64 limit) const;
    void drop_latents(const DropPlan& plan);
    /// The latest problem: the index, a star or a name could not be written, or a run could not be removed.
    Issue issue() const;

signals:
    void scanned();        ///< a look at the folders is complete
    void totals_changed(); ///< total(), bytes()
    /// `next`: the run to show instead, the one after them in the list, else the one before; empty: none is left.
    void removed(const QStringList& runs, const QString& next);
    void restored(const QStringList& runs);
    void issue_changed();

private:
    struct Store;
    void note(const QString& run, const std::function<void(RunNotes&)>& change);
    QString entry_of(const QString& run) const;
    std::unique_ptr<Store> store_;
};

} // namespace denoir::app
