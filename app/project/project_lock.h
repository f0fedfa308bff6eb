// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QString>
#include <memory>

#include "app/base/issue.h"

class QLockFile;

namespace denoir::app {

/// The right to write a project, as a lock file beside it, so that only one of two studios that open a project may
/// write it. Released when it is destroyed. In a folder that cannot be written to nobody holds it.
class ProjectLock {
    Q_DECLARE_TR_FUNCTIONS(denoir::app::ProjectLock)
public:
    ProjectLock();
    ~ProjectLock();
    ProjectLock(ProjectLock&& other) noexcept;
    ProjectLock& operator=(ProjectLock&& other) noexcept;

    /// Tries to take the lock of a project (an absolute path) without waiting; see held_by_other(). `ours` is the lock
    /// of the project that is open here: if that is the same project, it is handed over.
    static ProjectLock take(const QString& project, ProjectLock& ours);
    bool is_of(const QString& project) const { return file_ && project_ == project; } ///< whether it is held here
    bool concerns(const QString& project) const { return project_ == project; }       ///< whether held or not
    bool held_by_other() const { return !issue_.isEmpty(); }
    const Issue& issue() const { return issue_; } ///< who holds it and what to do; empty if no other studio does

private:
    void let_go_of_moved(const QString& project);
    QString project_;
    std::unique_ptr<QLockFile> file_; ///< null if it is not held here
    Issue issue_;
};

} // namespace denoir::app
