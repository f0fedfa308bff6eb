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

/// What Project::read_recovery() has read, and the lock of its file: while this lives, no other studio takes it.
struct RecoveredProject {
    ProjectContent content;
    std::shared_ptr<QLockFile> lock;
};

/// The second file of a project with unsaved changes, in the data folder, with a lock as long as its studio runs. Of
/// states that follow each other quickly only the newest is written; a file that was dropped does not come back. GUI
/// thread.
class Autosave : public QObject {
    Q_OBJECT
public:
    struct State {
        QString path; ///< of the project; empty: untitled
        std::shared_ptr<const ProjectContent> content;
        bool kept = false; ///< Project::Recovery::kept
        QDateTime saved = QDateTime::currentDateTimeUtc();
    };

    explicit Autosave(QObject* parent = nullptr) : QObject(parent) {}
    bool exists() const { return file_ != nullptr; } ///< or will, once all is done
    void write(const State& state);
    void drop();
    /// From now on what has been recovered is this one. Of an older one the ending goes: it is as new as any now.
    void take_over(const Project::Recovery& recovery, const RecoveredProject& recovered);
    void leave_older(); ///< Project::leave_older_autosave()
    /// Calls `then` once all that was asked for has been done: whether the newest state is written.
    void when_done(const std::function<void(bool)>& then);
    bool busy() const { return disk_.busy(); }
    bool finish(); ///< blocks until all is done; whether the newest state is written

signals:
    void saved();
    void failed(const denoir::app::Issue& issue);

private:
    struct File;
    static void write_to(File& file, const State& state);

    std::shared_ptr<File> file_; ///< what is in it belongs to the disk's thread; null: there is none
    DiskWork::Id newest_ = 0;    ///< the write put last
    bool good_ = true;           ///< the last one that was told
    DiskWork disk_;              ///< last: does what waits before the rest goes
};

} // namespace denoir::app
