// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPointer>

#include <functional>

#include "app/base/preparations.h"
#include "app/base/recent_projects.h"
#include "app/project/project.h"
#include "ui/studio.h"

class QMenu;
class QMessageBox;
class QWidget;

namespace denoir::app {
class RememberedRequest;
struct ProjectContent;
} // namespace denoir::app

namespace denoir::ui {

class Banners;

/// The project as a file: new, opened, saved, brought back after a crash; nothing unsaved is left without a question.
/// Borrows all.
class ProjectFiles : public QObject {
    Q_OBJECT
public:
    ProjectFiles(Studio& studio, app::RememberedRequest& remembered, Banners& banners, QWidget& window);
    void start_new();
    void ask_for_file(); ///< which may be another than a project
    /// `content`: has been read from it.
    void open(const QString& path, const app::ProjectContent& content);
    bool busy() const { return reading_.busy(); } ///< a project is being read
    /// `then`: once it is saved.
    void save(const std::function<void()>& then = {});
    void save_as(const std::function<void()>& then = {});
    /// Holds those that were open before.
    void offer_recent(QMenu& menu);
    /// At the start: what a crash left, or the last session did not save; else, with `reopens`, the project that was
    /// open then.
    void offer_recovery(bool reopens);
    void keep_nothing() { keeps_ = false; } ///< from now on, opened projects are not remembered
    /// True if unsaved changes cannot be kept for the next start, as on a full disk: then the window stays open, and a
    /// banner says so and offers to close it all the same.
    bool loses_cut();

signals:
    void said(const QString& text);
    void refused(const QString& why); ///< what cannot be opened
    void file_chosen(const QString& path);
    void opened();

private:
    void fill_recent(QMenu& menu);
    void open_anew(const QString& path);
    void reopen(const QString& path);
    bool is_empty() const;      ///< neither a project nor a cut
    bool loses_nothing() const; ///< without a question
    /// `again`: at the start, with what was typed last. False: refused.
    bool take(const QString& path, const app::ProjectContent& content, bool again = false);
    void write(const std::function<void()>& save, const QString& words, const std::function<void()>& then);
    /// Calls `then`, at once or after the user has decided about unsaved changes. False: the user is asked.
    bool leave(const std::function<void()>& then);
    /// Closes the question about changes that have been saved, or whose project is gone: nothing follows.
    void forget_question();
    /// `change` puts another request into the parameters; undo brings back the one before, where it would be lost.
    void replace_request(const QString& label, const std::function<void()>& change);
    /// `failed`: why the last try did.
    void offer_to_recover(const app::Project::Recovery& recovery, const app::Issue& failed = {});
    void recover(const app::Project::Recovery& recovery);

    Studio& studio_;
    app::RememberedRequest& remembered_;
    Banners& banners_;
    QWidget& window_;
    app::RecentProjects recent_;
    bool keeps_ = true;
    QPointer<QMessageBox> question_; ///< about unsaved changes
    std::function<void()> then_;     ///< once that is answered
    app::Preparations reading_;      ///< last: its thread is joined before the rest goes
};

} // namespace denoir::ui
