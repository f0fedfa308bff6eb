// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QString>
#include <memory>

#include "app/base/issue.h"

class QLockFile;

namespace denoir::app {

/// The right to write a project, as a lock file beside it: of two studios that have it open one has it. Let go when it
/// is destroyed. Nobody has it in a folder that cannot be written.
class ProjectLock {
    Q_DECLARE_TR_FUNCTIONS(denoir::app::ProjectLock)
public:
    ProjectLock();
    ~ProjectLock();
    ProjectLock(ProjectLock&& other) noexcept;
    ProjectLock& operator=(ProjectLock&& other) noexcept;

    /// The lock of a project (an absolute path). `ours` is that of the project open here, which may be the same one:
    /// then it is handed over. What another studio has is not waited for: held_by_other().
    static ProjectLock take(const QString& project, ProjectLock& ours);
    bool is_of(const QString& project) const { return file_ && project_ == project; } ///< held here
    bool concerns(const QString& project) const { return project_ == project; }       ///< held or not
    bool held_by_other() const { return !issue_.isEmpty(); }
    const Issue& issue() const { return issue_; } ///< who holds it and what to do; empty: no other does

private:
    void let_go_of_moved(const QString& project);
    QString project_;
    std::unique_ptr<QLockFile> file_; ///< null: not held here
    Issue issue_;
};

} // namespace denoir::app
