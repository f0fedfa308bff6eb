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

/// A part of the cut: frames [in, out) of its current take. For a still, `in` is 0.
struct Shot {
    QString id; ///< unique in the project
    QString name;
    std::vector<Take> takes; ///< at least one
    int take = 0;            ///< the current one
    int in = 0, out = 0;     ///< 0 <= in < out <= most() of the take
    /// How a moving take was trimmed before a still took its place, and the length that this gave the still, in frames.
    struct Kept {
        int in = 0, out = 0, length = 0;
        friend bool operator==(const Kept&, const Kept&) = default;
    };
    std::optional<Kept> kept;
    const Take& current() const { return takes[std::size_t(take)]; }
    const QString& title() const { return name.isEmpty() ? current().name : name; }
    int frames() const { return out - in; }
    /// Whether the other take has all the frames that are shown, given both takes' Take::part.
    bool lies_in(const Take& other) const {
        const int moved = current().part.value_or(0) - other.part.value_or(0);
        return in + moved >= 0 && out + moved <= other.frames;
    }
    double seconds() const { return frames() / current().fps; }
    friend bool operator==(const Shot&, const Shot&) = default;
};

/// Size and rate in which a cut is shown and exported: those of its first moving shot or, if all are stills, those of
/// the first still, with the longer side scaled down to 1920 pixels.
struct CutFormat {
    int width = 0, height = 0; ///< pixels
    double fps = 24;
};
CutFormat format_of(const std::vector<Shot>& shots); ///< at least one

/// The most frames of a cut, both at its shots' rates and at its own: nine days, so that an int can hold any place on a
/// timeline.
inline constexpr std::int64_t longest_cut = 20'000'000;
bool can_be_counted(const std::vector<Shot>& shots); ///< whether their cut is not longer than that

/// What changed in the cut, so that each view need only look at its own part.
struct ProjectEvent {
    enum class Kind { shot_added, shot_removed, shot_moved, shot_changed, shots_replaced } kind = Kind::shots_replaced;
    /// shot_moved: its new row; shot_changed: the row of the first one; shots_replaced: the row of a shot that was
    /// split, or -1
    int row = -1;
    int from = -1;      ///< shot_moved: its previous row
    bool again = false; ///< whether undo or redo did it
};

/// A project: shots with takes in order on one track, the request being edited, and the single undo stack for
/// everything that can be undone. It is saved as versioned JSON (`.denoir`), and autosaved to a second file, from which
/// it is recovered after a crash. GUI thread, which never waits for a disk: files are written and locks taken on other
/// threads, in the order of the calls. A frame "of the cut" counts the frames of all shots one after another.
class Project : public QObject {
    Q_OBJECT
public:
    static constexpr int version = 2; ///< the newest that can be read; 2 is written for stills and folders of frames
    explicit Project(QObject* parent = nullptr);
    /// Leaves an autosave of unsaved changes, from which they can be recovered.
    ~Project() override;

    QUndoStack& undo() { return undo_; }
    static constexpr int most_steps = 500; ///< most steps that can be undone; older ones are forgotten
    /// How many steps led to the present state, including those that can no longer be undone, which undo().index() does
    /// not count.
    int step() const { return undo_.index() + forgotten_; }
    /// Changes with every loaded(), so that an answer that comes late is not mistaken for one about the next project.
    quint64 number() const { return number_; }
    const std::vector<Shot>& shots() const { return shots_; }
    int count() const { return int(shots_.size()); }
    const Shot& shot(int row) const { return shots_[std::size_t(row)]; }
    int row_of(const QString& shot_id) const; ///< -1 if there is none
    int frames() const;                       ///< of the cut
    double seconds() const;
    /// The rate of the cut in frames per second; `otherwise` if it is empty.
    double rate(double otherwise = 24) const { return shots_.empty() ? otherwise : format_of(shots_).fps; }
    int start_of(int row) const; ///< frame of the cut at which a shot begins; row may be count()
    struct Place {
        int row = -1, frame = 0; ///< frame of the take; row -1: outside the cut
    };
    Place place(int frame) const; ///< the shot and frame that a frame of the cut shows

    // Each of these is one undo step. They return false, or -1, if a row or frame is out of range or the cut would
    // become longer than longest_cut.
    /// Adds a shot before `row`, or at the end if it is -1. `in` is the first frame that is shown. Returns the row.
    int add_shot(const Take& take, int row = -1, int in = 0);
    bool remove_shot(int row);        ///< the following shots move up
    bool move_shot(int from, int to); ///< `to` is its row afterwards
    /// Trims with the same positive `merge` become one step, as for those of one drag. For a still only the length
    /// out - in counts; `in` may be negative.
    bool trim(int row, int in, int out, int merge = 0);
    bool split(int row, int frame); ///< at a frame of the take, in < frame < out; the second part becomes a new shot
    /// Adds a take and makes it the shot's current one. As far as it has these frames (Take::part), it shows the same
    /// as the take before.
    bool add_take(int row, const Take& take) { return add_take(std::vector{row}, take); }
    bool add_take(const std::vector<int>& rows, const Take& take); ///< adds it to several: the parts of a split shot
    bool select_take(int row, int take);
    bool remove_take(int row, int take); ///< false for the only take of a shot
    bool rename_shot(int row, const QString& name);

    QStringList runs() const; ///< the runs of all takes, each once
    /// How many shots have a take of one of these runs.
    int shots_of(const QStringList& runs) const;
    /// Whether this is a file that is taken for a project, by its name or by its content.
    static bool is_project(const QString& file);
    /// Whether the video, picture or folder of frames of a shot was missing when it was last looked for, which is soon
    /// after a shot first shows it and at each look_at_media(). Until then it is assumed to exist.
    bool is_missing(int row) const;
    /// Issues that name the shot and the file, one for each shot that is_missing().
    QList<Issue> missing_media() const;
    Issue missing_issue(int row) const;
    /// Looks for all files of the cut again, on another thread. media_changed() follows if one appeared or disappeared,
    /// medium_rewritten() if one was replaced.
    void look_at_media();

    /// Changes the takes' files to their new places, as one undo step.
    void relink(const std::vector<MovedTake>& moved);

    /// The request being edited (asked_json()); an empty object if there is none. Setting it is not an undo step: the
    /// RequestDocument pushes its own.
    const Json& request() const { return request_; }
    void set_request(const Json& request);

    // Files.
    using Then = std::function<void(const Issue&)>; ///< called when it is done; the issue is empty if it succeeded
    const QString& path() const { return path_; }   ///< empty if untitled
    QString title() const;                          ///< file name without its ending, or "Untitled"
    bool is_modified() const;                       ///< until all changes are known to be on the disk
    /// Whether another studio has it open. Known soon after it was opened; until then, save() finds out.
    bool read_only() const { return !lock_issue_.isEmpty(); }
    void clear(); ///< begins a new untitled project; unsaved changes are lost
    /// What becomes of the project before when another one is opened.
    enum class Entry {
        replaces, ///< nothing of it stays
        joins,    ///< the request being edited and its undo steps stay: for a cut that was never edited
    };
    /// Opens what read_project() has read from `path`. Takes its lock; if another studio holds it, the project becomes
    /// read only and issue() says so.
    void open(const QString& path, ProjectContent content, Entry entry = Entry::replaces);
    bool cut_edited() const { return cut_edited_; } ///< since the project was opened
    /// Saves the present state to saves_to(). Changes made before that is done count as unsaved. An untitled project
    /// gives an issue.
    void save(Then then);
    /// Saves the present state to another file, which is the project's path() once that is done.
    void save_as(const QString& path, Then then);
    bool is_being_saved() const; ///< whether the present state is being saved
    /// The file that save() writes: that of a save_as() in progress, or path(). Empty if the project has no name yet.
    const QString& saves_to() const { return saving_ ? saving_->file : path_; }
    /// Blocks until everything that concerns the disk is done and reported.
    void finish();
    const Issue& issue() const { return issue_; }

    /// Switches autosaving on: half a second after each change, to a file in the data folder. It is off at first.
    void set_autosave(bool on);
    /// At the end of a session: writes unsaved changes to the autosave, from which they come back next time as `kept`.
    /// Returns false if they could not be written; issue() will say why.
    bool keep_for_next_start();
    /// The same without blocking: calls `then` with the result.
    void keep_for_next_start(const std::function<void(bool)>& then);
    /// For a session that ends although that failed: marks the autosave as `older`, not as left by a crash.
    void leave_older_autosave();
    struct Recovery {
        QString autosave; ///< file
        QString path;     ///< of the project; empty if untitled
        QDateTime saved;
        int shots = 0;
        bool kept = false;  ///< written by keep_for_next_start(), not left by a crash
        bool older = false; ///< marked by leave_older_autosave(): later changes could not be kept
    };
    /// Autosaves of studios that no longer run, newest first. This and the next two may be called on any thread, and
    /// may take long on a slow disk.
    static QList<Recovery> recoverable();
    static RecoveredProject read_recovery(const Recovery& recovery); ///< throws Error
    static void discard(const Recovery& recovery);
    /// Opens a recovered project, which counts as modified. Takes the lock of the project's file as open() does.
    void recover(const Recovery& recovery, RecoveredProject recovered, Entry entry = Entry::replaces);

signals:
    void changed(const denoir::app::ProjectEvent& event);
    void loaded(); ///< shots and request are those of another project, or of a new one
    void joined(); ///< Entry::joins: the shots are others, the request is the same
    /// Emitted by split() but not by redo, which uses the same ids again. `second` is the new shot.
    void shot_split(const QString& first, const QString& second);
    void path_changed(); ///< path(), title() or read_only() changed
    void modified_changed(bool modified);
    void step_changed(int step);
    void media_changed(); ///< is_missing() changed
    void media_known();   ///< is_missing() is known for a project that was opened
    void medium_rewritten(const QString& video);
    void issue_changed();

private:
    friend class ProjectCommand;
    /// Returns false, and changes nothing, if the cut would be longer than longest_cut.
    bool push(const QString& text, const std::vector<Shot>& after, const ProjectEvent& redo, const ProjectEvent& undo,
              int merge = 0);
    /// Replaces the shot of a row, as an undo step if it differs.
    bool change_shot(const QString& text, int row, Shot shot, int merge = 0);
    bool has(int row) const { return row >= 0 && row < count(); }
    /// Puts `with` in place of `count` shots from row `first` on.
    void replace_shots(std::ptrdiff_t first, std::size_t count, const std::vector<Shot>& with,
                       const ProjectEvent& event);
    std::shared_ptr<const ProjectContent> content() const;
    void take_over(ProjectContent content, Entry entry);
    void set_path(const QString& path);
    void set_issue(const Issue& issue);
    struct Saving;
    /// `stays` if the project is saved to the file that its own lock is for; otherwise takes the lock of `file`.
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
    const QUndoCommand* oldest_ = nullptr; ///< the oldest step that can be undone; only compared, never followed
    int forgotten_ = 0;                    ///< steps forgotten since the project was opened
    std::vector<Shot> shots_;
    Json request_ = Json::object(), extra_ = Json::object();
    Media media_; ///< as seen last; files that are not in it have not been looked at and are assumed to exist
    bool looking_ = false, look_again_ = false;
    bool opened_ = false;      ///< whether media_known() is still to follow
    quint64 media_number_ = 0; ///< changes with every cut that is opened
    quint64 number_ = 0;
    QString path_;
    QTimer* timer_;
    bool autosave_on_ = false, dirty_ = false, was_modified_ = false;
    bool unwritten_ = false;       ///< whether the undo stack's clean state is not known to be on the disk
    bool cut_edited_ = false;      ///< cut_edited()
    bool ends_ = false;            ///< whether keep_for_next_start() was called
    quint64 changes_ = 0;          ///< number of the present state; rises with touch()
    std::optional<quint64> kept_;  ///< the changes_ of the state that the autosave keeps for the next start
    Issue issue_, autosave_issue_; ///< the latest; the autosave's, until it succeeds
    Issue lock_issue_;             ///< says who else has the lock
    /// A save in progress.
    struct Saving {
        QString file;
        quint64 project, changes;
        std::vector<Then> then;
    };
    std::shared_ptr<Saving> saving_;    ///< the latest; null if there is none
    std::shared_ptr<ProjectLock> lock_; ///< its content belongs to the thread of disk_
    std::unique_ptr<Autosave> autosave_;
    DiskWork disk_; ///< for the project's file; declared last, so that it does what waits before the rest is destroyed
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::app::ProjectEvent)
