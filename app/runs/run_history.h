// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractListModel>
#include <QDateTime>
#include <QImage>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/base/issue.h"
#include "app/runs/run_standing.h"
#include "engine/session/run_record.h"

namespace denoir {
class FinishedRuns;
}

namespace denoir::app {

struct RunNotes;

/// The runs, newest first: an SQLite index over run folders (`history.sqlite` of the data folder), filled and renewed
/// by a thread that looks at the folders, and rebuilt from them where it is missing or damaged. What the user adds to a
/// run (star, name, prompt template) lives in the run's own `studio.json`, so nothing is lost with the index.
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
    FinishedRuns finished_runs() const;      ///< whatever is searched for
    QString newest_done() const;             ///< path; empty: none
    /// Reads the run's folder: full record with the resolved request. Throws Error.
    static RunRecord record(const QString& run);
    /// What people know a run by: the name it was given, else its prompt; where neither can be read, its folder's name.
    static QString title(const QString& run);
    /// Of a run's folder: with its title instead, which says more. Any other stays as it is.
    static Issue titled(Issue issue);
    /// A run's folder among the others, or what these lie in: nobody gave it its name.
    static bool is_own_folder(const QString& path);

    bool starred(const QString& run) const;
    void set_starred(const QString& run, bool starred);
    void set_name(const QString& run, const QString& name);
    void set_prompt_template(const QString& run, const QString& text);

    /// Moves the folders to `.trash` among the runs, where they stay until purge_trash(). Runs at work are left alone,
    /// and those that cannot be moved, with an issue: returns what was moved. Undo with restore().
    QStringList remove(const QStringList& runs);
    /// The runs that the last remove() took, back at their places.
    void restore();
    bool can_restore() const;
    /// Removes what lies in the trash for longer than this, but these runs.
    void purge_trash(int older_than_days, const QStringList& but = {});

    /// A folder was made or changed: looked at soon. The window connects queue and worker to this.
    void touch(const QString& run);
    /// The run at work has reached this step: listed so at once, before its folder is looked at.
    void set_step(const QString& run, int step);
    /// Looks at every folder again, in the background.
    void refresh();
    /// Forgets the index and makes it again from the folders.
    void rebuild();
    bool wait_scanned(int milliseconds); ///< for tests and benchmarks

    quint64 bytes() const; ///< disk use of all runs
    /// Runs whose step latents would go so that at most `limit` bytes are used: unstarred, finished, oldest first. The
    /// last latent, video and record always stay.
    struct DropPlan {
        QStringList runs;
        quint64 bytes = 0;
    };
    DropPlan plan_drop(quint64 limit) const;
    void drop_latents(const DropPlan& plan);
    /// What went wrong last: the index, a star or name could not be written, a run not removed; runs are listed.
    Issue issue() const;

signals:
    void scanned();        ///< a look at the folders is complete
    void totals_changed(); ///< total(), bytes()
    /// `next`: what stood after them in the list, else before them; empty: nothing is left.
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
