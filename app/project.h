// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QUndoStack>
#include <memory>
#include <optional>
#include <vector>

#include "app/issue.h"

class QLockFile;

namespace denoir::app {

/// One result that a shot may show: a run, or a video from elsewhere.
struct Take {
    QString id;     ///< unique in the project
    QString run;    ///< run folder; empty: a video from elsewhere
    QString video;  ///< file
    QString name;   ///< shown; may be empty
    int frames = 0; ///< of the video, >= 1
    double fps = 24;
    int width = 0, height = 0;
    friend bool operator==(const Take&, const Take&) = default;
};

/// A stretch of the cut: frames [in, out) of its current take.
struct Shot {
    QString id; ///< unique in the project
    QString name;
    std::vector<Take> takes; ///< at least one
    int take = 0;            ///< the current one
    int in = 0, out = 0;     ///< 0 <= in < out <= frames of the take
    const Take& current() const { return takes[std::size_t(take)]; }
    int frames() const { return out - in; }
    double seconds() const { return frames() / current().fps; }
    friend bool operator==(const Shot&, const Shot&) = default;
};

/// What changed, typed, so that each view looks at its own part alone.
struct ProjectEvent {
    enum class Kind { shot_added, shot_removed, shot_moved, shot_changed, reset, settings } kind;
    int row = -1;  ///< shot_moved: where it is now
    int from = -1; ///< shot_moved: where it was
};

/// A project: shots with takes in order on one track, the request being edited, and the one undo stack that everything
/// undoable goes through. Saved as versioned JSON (`.denoir`); autosaved to a second file, from which a crash is
/// recovered. GUI thread.
///
/// Where the playhead is in frames, it counts frames of the cut: each shot's own frames one after another.
class Project : public QObject {
    Q_OBJECT
public:
    static constexpr int version = 1;
    explicit Project(QObject* parent = nullptr);
    ~Project() override;

    QUndoStack& undo() { return undo_; }
    const std::vector<Shot>& shots() const { return shots_; }
    const Shot& shot(int row) const { return shots_[std::size_t(row)]; }
    int row_of(const QString& shot_id) const; ///< -1: none
    int frames() const;                       ///< of the cut
    double seconds() const;
    int start_of(int row) const; ///< frame of the cut where a shot begins; row may be size()
    /// The shot at a frame of the cut, and the frame of its take; row -1 past the end.
    struct Place {
        int row = -1, frame = 0; ///< frame: of the take
    };
    Place place(int frame) const;
    int fps_of_cut() const; ///< of the export: the first shot's, rounded; 24 without shots

    // Every one of these is one undo step (drags merge while `merge` is the same positive number).
    int add_shot(const Take& take, int row = -1, const QString& name = {}); ///< row -1: at the end; returns the row
    void remove_shot(int row);                                              ///< ripple: what follows moves up
    void move_shot(int from, int to);                                       ///< to: the row it has afterwards
    bool trim(int row, int in, int out, int merge = 0);                     ///< false: outside the take
    bool split(int row, int frame); ///< frame of the take, inside (in, out); the second part becomes a shot of its own
    void add_take(int row, const Take& take); ///< becomes the current one, its trim as far as it fits
    void select_take(int row, int take);
    void remove_take(int row, int take); ///< not the last one
    void rename_shot(int row, const QString& name);

    /// Of a run folder: its video and sizes. Throws Error where it has no video (yet).
    static Take take_of_run(const QString& run);
    static Take take_of_video(const QString& video);
    /// Takes whose video is not there (any more), as issues naming the file.
    QList<Issue> missing_media() const;

    // The request being edited travels in the project (RequestDocument::asked() as JSON), and so may what others hang
    // on it.
    QJsonObject request() const { return request_; }
    void set_request(const QJsonObject& request); ///< no undo step of its own: the document has pushed one
    QJsonObject extra() const { return extra_; }
    void set_extra(const QString& key, const QJsonValue& value);

    // Files. Throwing ones throw Error and change nothing then.
    QString path() const { return path_; } ///< empty: untitled
    QString title() const;
    bool is_modified() const;
    bool read_only() const { return read_only_; } ///< another studio has it open
    void clear();                                 ///< a new untitled one
    void open(const QString& path); ///< with a lock; where another studio holds it: read-only, and issue() says so
    void save();
    void save_as(const QString& path);
    Issue issue() const { return issue_; }

    // Autosave: half a second after a change and on demand; beside nothing of the user's (`autosave` of the data
    // folder).
    void set_autosave(bool on); ///< default off: the program switches it on
    bool autosave_now();        ///< false: could not be written, and issue() says why
    struct Recovery {
        QString autosave; ///< file
        QString path;     ///< of the project, empty: untitled
        QDateTime saved;
        int shots = 0;
    };
    /// What a crash left: autosaves of studios that do not run any more, newest first.
    static QList<Recovery> recoverable();
    void recover(const Recovery& recovery); ///< as modified; the autosave goes on being this project's
    static void discard(const Recovery& recovery);

    QJsonObject to_json() const;

signals:
    void changed(const denoir::app::ProjectEvent& event);
    void path_changed();
    void modified_changed(bool modified);
    void issue_changed();

private:
    friend class ProjectCommand;
    void set_shots(std::vector<Shot> shots, const ProjectEvent& event);
    void push(const QString& text, std::vector<Shot> after, const ProjectEvent& redo, const ProjectEvent& undo,
              int merge = 0);
    void load(const QJsonObject& json, const QString& file);
    void set_path(const QString& path);
    void set_issue(const Issue& issue);
    void touch();
    void release_autosave();

    QUndoStack undo_;
    std::vector<Shot> shots_;
    QJsonObject request_, extra_;
    QString path_, autosave_;
    std::unique_ptr<QLockFile> lock_, autosave_lock_;
    class QTimer* timer_ = nullptr;
    bool autosave_on_ = false, read_only_ = false, dirty_ = false, recovered_ = false;
    Issue issue_;
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::app::ProjectEvent)
