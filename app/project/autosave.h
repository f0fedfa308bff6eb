// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QObject>
#include <memory>

#include "app/base/disk_work.h"
#include "app/project/project.h"
#include "app/project/project_json.h"

class QLockFile;

namespace denoir::app {

/// What Project::read_recovery() has read, with the lock of its file: no other studio takes the file while this exists.
struct RecoveredProject {
    ProjectContent content;
    std::shared_ptr<QLockFile> lock;
};

/// Writes a project's unsaved changes to a second file, in the data folder, which is locked as long as its studio runs.
/// If states follow faster than they are written, only the newest is written. GUI thread.
class Autosave : public QObject {
    Q_OBJECT
public:
    struct State {
        QString path; ///< of the project; empty if untitled
        std::shared_ptr<const ProjectContent> content;
        bool kept = false; ///< Project::Recovery::kept
        QDateTime saved = QDateTime::currentDateTimeUtc();
    };

    explicit Autosave(QObject* parent = nullptr) : QObject(parent) {}
    bool exists() const { return file_ != nullptr; } ///< true also for a file that is still to be written
    void write(const State& state);
    void drop(); ///< removes the file
    /// Uses the recovered file from now on. If it was marked as older, the mark is removed.
    void take_over(const Project::Recovery& recovery, const RecoveredProject& recovered);
    void leave_older(); ///< Project::leave_older_autosave()
    /// Calls `then` once everything asked for so far is done, with whether the newest state is written.
    void when_done(const std::function<void(bool)>& then);
    bool busy() const { return disk_.busy(); }
    bool finish(); ///< blocks until everything is done; returns whether the newest state is written

signals:
    void saved();
    void failed(const denoir::app::Issue& issue);

private:
    struct File;
    static void write_to(File& file, const State& state);

    std::shared_ptr<File> file_; ///< its content belongs to the thread of disk_; null if there is no autosave
    DiskWork::Id newest_ = 0;    ///< the latest write
    bool good_ = true;           ///< whether the last write that ended succeeded
    DiskWork disk_;              ///< declared last, so that it does what waits before the rest is destroyed
};

} // namespace denoir::app
