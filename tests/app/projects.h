// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/project/autosave.h"
#include "app/project/project.h"
#include "app/project/project_json.h"

namespace denoir::app {

// Call the project as the window does, but return once the work is done, or throw the reason why it failed.

inline void done(Project& project, Issue& issue) {
    project.finish();
    if (issue.isEmpty()) return;
    throw Error(issue.file.toStdString(), issue.field.toStdString(), issue.message.toStdString(),
                issue.hint.toStdString());
}
inline void save(Project& project) {
    Issue issue;
    project.save([&issue](const Issue& each) { issue = each; });
    done(project, issue);
}
inline void save_as(Project& project, const QString& file) {
    Issue issue;
    project.save_as(file, [&issue](const Issue& each) { issue = each; });
    done(project, issue);
}
inline void open(Project& project, const QString& file) {
    project.open(file, read_project(file));
    project.finish();
}
inline void recover(Project& project, const Project::Recovery& recovery) {
    project.recover(recovery, Project::read_recovery(recovery));
    project.finish();
}

} // namespace denoir::app
