// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <QUndoStack>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/base/disk_work.h"
#include "app/base/issue.h"
#include "app/project/media.h"
#include "app/project/take.h"
#include "engine/core/json.h"

class QTimer;

namespace denoir::app {

class Autosave;
class ProjectLock;
struct ProjectContent;
struct RecoveredProject;

/// A stretch of the cut: frames [in, out) of its current take. Of a still `in` is 0: it has no place to begin at.
struct Shot {
    QString id; ///< unique in the project
    QString name;
    std::vector<Take> takes; ///< at least one
    int take = 0;            ///< the current one
    int in = 0, out = 0;     ///< 0 <= in < out <= most() of the take
    /// What a take that moves was trimmed to before a still took its place, and the frames that gave the still.
    struct Kept {
        int in = 0, out = 0, length = 0;
        friend bool operator==(const Kept&, const Kept&) = default;
    };
    std::optional<Kept> kept;
    const Take& current() const { return takes[std::size_t(take)]; }
    const QString& title() const { return name.isEmpty() ? current().name : name; }
    int frames() const { return out - in; }
    /// Whether the other take has all that is shown: Take::part says where each lies.
    bool lies_in(const Take& other) const {
        const int moved = current().part.value_or(0) - other.part.value_or(0);
        return in + moved >= 0 && out + moved <= other.frames;
    }
    double seconds() const { return frames() / current().fps; }
    friend bool operator==(const Shot&, const Shot&) = default;
};

/// Size and rate that a cut is shown and exported in: those of its first shot that moves, else those of its first
/// still, whose longer side is scaled to 1920 pixels if it has more.
struct CutFormat {
    int width = 0, height = 0; ///< pixels
    double fps = 24;
};
CutFormat format_of(const std::vector<Shot>& shots); ///< at least one

/// The most frames of a cut, at its shots' rates and at its own: nine days, so that a place on a timeline is an int.
inline constexpr std::int64_t longest_cut = 20'000'000;
bool can_be_counted(const std::vector<Shot>& shots); ///< it is not longer than that

/// What changed, typed, so that each view looks at its own part alone.
struct ProjectEvent {
    enum class Kind { shot_added, shot_removed, shot_moved, shot_changed, shots_replaced } kind = Kind::shots_replaced;
    /// shot_moved: where it is now; shot_changed: of the first; shots_replaced: of the one that was split, else -1
    int row = -1;
    int from = -1;      ///< shot_moved: where it was
    bool again = false; ///< by undo or redo
};

/// A project: shots with takes in order on one track, the request being edited, and the one undo stack that everything
/// undoable goes through. Saved as versioned JSON (`.denoir`); autosaved to a second file, from which a crash is
/// recovered. GUI thread, which waits for no disk: files are written, and locks taken, on threads of their own, in the
/// order in which that was asked for. A frame "of the cut" counts each shot's own frames one after another.
class Project : public QObject {
    Q_OBJECT
public:
    static constexpr int version = 2; ///< the newest that is read; 2: with still pictures or folders of frames
    explicit Project(QObject* parent = nullptr);
    /// An autosave of unsaved changes stays, to be recovered.
    ~Project() override;

    QUndoStack& undo() { return undo_; }
    static constexpr int most_steps = 500; ///< that can be undone: older ones are forgotten
    /// How many steps led to the present state, with those that can no longer be undone: undo().index() does not count
    /// these.
    int step() const { return undo_.index() + forgotten_; }
    /// Changes with every loaded(), so that an answer which comes late is not taken for the next project's.
    quint64 number() const { return number_; }
    const std::vector<Shot>& shots() const { return shots_; }
    int count() const { return int(shots_.size()); }
    const Shot& shot(int row) const { return shots_[std::size_t(row)]; }
    int row_of(const QString& shot_id) const; ///< -1: none
    int frames() const;                       ///< of the cut
    double seconds() const;
    /// The cut's, frames a second; `otherwise` where it is empty.
    double rate(double otherwise = 24) const { return shots_.empty() ? otherwise : format_of(shots_).fps; }
    int start_of(int row) const; ///< frame of the cut where a shot begins; row may be count()
    struct Place {
        int row = -1, frame = 0; ///< row -1: past the end; frame: of the take
    };
    Place place(int frame) const; ///< of a frame of the cut

    // Each of these is one undo step. Rows and frames out of range are refused: false, or -1.
    /// row -1: at the end; `in`: its first frame that is shown. Returns the row.
    int add_shot(const Take& take, int row = -1, int in = 0);
    bool remove_shot(int row);        ///< ripple: what follows moves up
    bool move_shot(int from, int to); ///< to: the row it has afterwards
    /// Trims of the same positive `merge` become one step: those of one drag.
    /// Of a still only the length counts, out - in; `in` may be negative.
    bool trim(int row, int in, int out, int merge = 0);
    bool split(int row, int frame); ///< frame of the take, in < frame < out; the second part is a shot of its own
    /// Makes it the shot's current take, trimmed as the one before as far as it reaches: Take::part says where it lies.
    bool add_take(int row, const Take& take) { return add_take(std::vector{row}, take); }
    bool add_take(const std::vector<int>& rows, const Take& take); ///< of each of them: the parts of what was one shot
    bool select_take(int row, int take);
    bool remove_take(int row, int take); ///< not the last one
    bool rename_shot(int row, const QString& name);

    QStringList runs() const; ///< of all takes, each once
    /// How many shots have a take of one of these runs.
    int shots_of(const QStringList& runs) const;
    /// Whether the file's content says that it is a project, whatever its name.
    static bool is_project(const QString& file);
    /// Whether the video, picture or folder of frames of a shot was missing when it was last looked for, which is soon
    /// after a shot first shows it and at each look_at_media(). Until then it is taken to be there.
    bool is_missing(int row) const;
    /// The shots of which something is missing, as issues naming the shot and the file.
    QList<Issue> missing_media() const;
    Issue missing_issue(int row) const;
    /// Looks for every video of the cut again, on another thread. media_changed() follows if one came or went,
    /// medium_rewritten() if a file has been replaced.
    void look_at_media();

    /// Lets the takes use the files' new places: one undo step.
    void relink(const std::vector<MovedTake>& moved);

    /// The request being edited (asked_json()); an empty object: none. Not an undo step: the document pushes its own.
    const Json& request() const { return request_; }
    void set_request(const Json& request);

    // Files.
    using Then = std::function<void(const Issue&)>; ///< what became of it; empty: it is done
    const QString& path() const { return path_; }   ///< empty: untitled
    QString title() const;                          ///< file name without ending, or "Untitled"
    bool is_modified() const;                       ///< until it is known to be on the disk
    /// Another studio has it open. Known soon after it was opened; until then, save() finds out.
    bool read_only() const { return !lock_issue_.isEmpty(); }
    void clear(); ///< a new untitled one; unsaved changes are gone
    /// How what is opened comes in.
    enum class Entry {
        replaces, ///< what was edited before is gone
        joins,    ///< the request being edited and its undo steps stay: in a cut that was never edited
    };
    /// What has been read from `path`: read_project(). Takes a lock; where another studio holds it the project is read
    /// only, and issue() says so.
    void open(const QString& path, ProjectContent content, Entry entry = Entry::replaces);
    bool cut_edited() const { return cut_edited_; } ///< since it was opened
    /// Saves what there is now; what is changed until it is done stays modified. Not for untitled ones. While a
    /// save_as() goes on, to its file.
    void save(Then then);
    /// The project has that path once it is saved there.
    void save_as(const QString& path, Then then);
    bool is_being_saved() const; ///< what there is now
    /// Where save() writes; empty: it has no name yet.
    const QString& saves_to() const { return saving_ ? saving_->file : path_; }
    /// Blocks until all that was asked of the disk is done, and told.
    void finish();
    const Issue& issue() const { return issue_; }

    /// Half a second after each change, to a file of the data folder. Off until the program switches it on.
    void set_autosave(bool on);
    /// At the end of a session: writes unsaved changes to the autosave, from which they come back next time as `kept`.
    /// False: they could not be written; issue() will say why.
    bool keep_for_next_start();
    /// The same without blocking: calls `then` once it is done.
    void keep_for_next_start(const std::function<void(bool)>& then);
    /// If that failed and the session ends all the same: marks the autosave as `older`, not as left by a crash.
    void leave_older_autosave();
    struct Recovery {
        QString autosave; ///< file
        QString path;     ///< of the project, empty: untitled
        QDateTime saved;
        int shots = 0;
        bool kept = false;  ///< put there by keep_for_next_start(), not left by a crash
        bool older = false; ///< marked by leave_older_autosave(): later changes could not be kept
    };
    /// Autosaves of studios that do not run any more, newest first. Any thread; it may take long on a slow disk, as the
    /// next two.
    static QList<Recovery> recoverable();
    static RecoveredProject read_recovery(const Recovery& recovery); ///< throws Error
    static void discard(const Recovery& recovery);
    /// What has been read from it as a modified project. Takes the lock of its file as open() does.
    void recover(const Recovery& recovery, RecoveredProject recovered, Entry entry = Entry::replaces);

signals:
    void changed(const denoir::app::ProjectEvent& event);
    void loaded(); ///< another project, or none: shots and request
    void joined(); ///< Entry::joins: other shots, the same request
    /// By split(), not by redo: the parts have their ids once and for all. `second`: the new one.
    void shot_split(const QString& first, const QString& second);
    void path_changed(); ///< title, read_only
    void modified_changed(bool modified);
    void step_changed(int step);
    void media_changed(); ///< is_missing()
    void media_known();   ///< of a project that was opened: what is missing
    void medium_rewritten(const QString& video);
    void issue_changed();

private:
    friend class ProjectCommand;
    /// False: the cut would be longer than longest_cut, and nothing changed.
    bool push(const QString& text, const std::vector<Shot>& after, const ProjectEvent& redo, const ProjectEvent& undo,
              int merge = 0);
    /// Replaces the shot of a row, as an undo step if it differs.
    bool change_shot(const QString& text, int row, Shot shot, int merge = 0);
    bool has(int row) const { return row >= 0 && row < count(); }
    /// `with` in place of `count` shots from row `first` on.
    void replace_shots(std::ptrdiff_t first, std::size_t count, const std::vector<Shot>& with,
                       const ProjectEvent& event);
    std::shared_ptr<const ProjectContent> content() const;
    void take_over(ProjectContent content, Entry entry);
    void set_path(const QString& path);
    void set_issue(const Issue& issue);
    struct Saving;
    /// `stays`: under the lock that the project has, or has not; else its file's is taken.
    void save_to(const QString& file, bool stays, Then then);
    void end_saving(const Saving& saving, bool newest, const Issue& issue);
    void touch();
    void count_forgotten();
    void media_found(const Media& found);
    bool has_new_media(const std::vector<Shot>& shots) const;
    void connect_autosave();
    void write_autosave(bool kept);
    void end_autosave_issue();
    void drop_autosave();
    void note_modified();

    QUndoStack undo_;
    const QUndoCommand* oldest_ = nullptr; ///< step that can be undone; compared alone
    int forgotten_ = 0;                    ///< steps, since the project was opened
    std::vector<Shot> shots_;
    Json request_ = Json::object(), extra_ = Json::object();
    Media media_; ///< as last seen; what is not in it has not been looked at yet, and is taken to be there
    bool looking_ = false, look_again_ = false;
    bool opened_ = false;      ///< media_known() is to follow
    quint64 media_number_ = 0; ///< changes with every cut that is opened
    quint64 number_ = 0;
    QString path_;
    QTimer* timer_;
    bool autosave_on_ = false, dirty_ = false, was_modified_ = false;
    bool unwritten_ = false;       ///< the clean state of the undo stack is not known to be on the disk
    bool cut_edited_ = false;      ///< cut_edited()
    bool ends_ = false;            ///< keep_for_next_start() was called
    quint64 changes_ = 0;          ///< how often it was touched
    std::optional<quint64> kept_;  ///< which of these the autosave keeps for the next start
    Issue issue_, autosave_issue_; ///< the newest; the autosave's, until one is written
    Issue lock_issue_;             ///< who else has the lock
    /// A save that goes on: of this state, to this file.
    struct Saving {
        QString file;
        quint64 project, changes;
        std::vector<Then> then;
    };
    std::shared_ptr<Saving> saving_;    ///< the newest; null: none
    std::shared_ptr<ProjectLock> lock_; ///< the disk's thread's
    std::unique_ptr<Autosave> autosave_;
    DiskWork disk_; ///< of the project's file; last: does what waits before the rest goes
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::app::ProjectEvent)
