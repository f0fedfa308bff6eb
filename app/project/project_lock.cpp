// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/project_lock.h"

#include <QFileInfo>
#include <QLockFile>
#include <QSysInfo>

namespace denoir::app {
namespace {

QString lock_file(const QString& project) {
    const QFileInfo info(project);
    return info.absolutePath() + QStringLiteral("/.") + info.fileName() + QStringLiteral(".lock");
}

} // namespace

ProjectLock::ProjectLock() = default;
ProjectLock::~ProjectLock() = default;
ProjectLock::ProjectLock(ProjectLock&& other) noexcept = default;
ProjectLock& ProjectLock::operator=(ProjectLock&& other) noexcept = default;

ProjectLock ProjectLock::take(const QString& project, ProjectLock& ours) {
    if (ours.file_ && ours.project_ == project) return std::move(ours);
    ours.let_go_of_moved(project);
    ProjectLock out;
    out.project_ = project;
    auto file = std::make_unique<QLockFile>(lock_file(project));
    file->setStaleLockTime(0); // a lock is stale only if its process has ended, never by its age
    if (file->tryLock(0)) {
        out.file_ = std::move(file);
        return out;
    }
    if (file->error() != QLockFile::LockFailedError) return out;
    out.issue_ = {
        project, {}, tr("another studio has this project open"), tr("save it under another name to change it")};
    qint64 process = 0;
    QString host, program;
    // Whether a studio on another machine still runs cannot be seen from here: the lock may have been copied.
    if (file->getLockInfo(&process, &host, &program) && !host.isEmpty() && host != QSysInfo::machineHostName()) {
        out.issue_.message = tr("a studio on %1 has this project open").arg(host);
        out.issue_.hint = tr("close it there; if none runs there any more, remove %1").arg(file->fileName());
    }
    return out;
}

/// If the project open here was moved to `project` and its lock file with it, releases the lock and removes that file.
void ProjectLock::let_go_of_moved(const QString& project) {
    if (!file_ || QFileInfo::exists(file_->fileName())) return;
    file_.reset();
    QLockFile moved(lock_file(project));
    qint64 process = 0;
    QString host, program;
    if (moved.getLockInfo(&process, &host, &program) && process == QCoreApplication::applicationPid() &&
        host == QSysInfo::machineHostName())
        moved.removeStaleLockFile();
}

} // namespace denoir::app
