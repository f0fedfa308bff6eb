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
struct RecoveredProject;
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
    bool busy() const { return reading_.busy() || saving_ > 0; } ///< a project is being read or saved
    /// `then`: once it is saved.
    void save(const std::function<void()>& then = {});
    void save_as(const std::function<void()>& then = {});
    /// Holds those that were open before.
    void offer_recent(QMenu& menu);
    /// At the start: what a crash left, or the last session did not save; else, with `reopens`, the project that was
    /// open then.
    void offer_recovery(bool reopens);
    void keep_nothing() { keeps_ = false; } ///< from now on, opened projects are not remembered
    /// Calls `close` once all is saved that is being saved, and unsaved changes are kept for the next start. If that
    /// fails, as on a full disk, it is not called: a banner says so, and offers to close the window all the same.
    void end(const std::function<void()>& close);
    /// The window does, whatever is still being saved: that file is what is opened next time, and unsaved changes are
    /// kept for it.
    void closing();

signals:
    void said(const QString& text);
    void refused(const QString& why); ///< what cannot be opened
    void file_chosen(const QString& path);
    void opened();
    void begun(); ///< offer_recovery() has brought what there is, or what it offered was taken or declined

private:
    /// What there was when something was asked of the disk.
    struct Before {
        quint64 project;
        Json request;
        int step;
    };
    Before as_it_is() const;
    void fill_recent(QMenu& menu);
    void open_anew(const QString& path);
    void reopen(const QString& path, const Before& before);
    bool is_empty() const;                       ///< neither a project nor a cut
    bool is_another(const Before& before) const; ///< one was begun meanwhile
    bool loses_nothing() const;                  ///< without a question
    /// At the start: `open` brings in what was read. `keeps`: but not its request, even if nothing was typed.
    void come_in(const Before& before, bool keeps, const QString& label,
                 const std::function<void(app::Project::Entry)>& open);
    void take(const QString& path, const app::ProjectContent& content);
    void remember(const QString& path);
    void tell_missing();
    /// What is to be called once it is saved there; until then it is being saved.
    app::Project::Then written_to(const QString& path, const QString& words, const std::function<void()>& then);
    void written(int number, const QString& path, const app::Issue& issue, const QString& words,
                 const std::function<void()>& then);
    void tell_if_slow(int number, const QString& words);
    void offer_to_close(int number);
    void tell_not_kept();
    /// Calls `then`, at once or after the user has decided about unsaved changes. False: the user is asked.
    bool leave(const std::function<void()>& then);
    /// Closes the question about changes that have been saved, or whose project is gone: nothing follows.
    void forget_question();
    /// `change` puts another request into the parameters; undo brings back the one before, where it would be lost.
    void replace_request(const QString& label, const std::function<void()>& change);
    /// `failed`: why the last try did.
    void offer_to_recover(const app::Project::Recovery& recovery, const app::Issue& failed = {});
    void recover(const app::Project::Recovery& recovery);
    void recover(const app::Project::Recovery& recovery, const app::RecoveredProject& recovered, const Before& before);

    Studio& studio_;
    app::RememberedRequest& remembered_;
    Banners& banners_;
    QWidget& window_;
    app::RecentProjects recent_;
    bool keeps_ = true;
    QPointer<QMessageBox> question_;   ///< about unsaved changes
    std::function<void()> then_;       ///< once that is answered
    std::function<void()> once_saved_; ///< what was wanted last while something was being saved
    int saving_ = 0;                   ///< how much is
    int asked_ = 0, answered_ = 0;     ///< of the disk
    int ends_ = 0;                     ///< with which of these the window closes
    bool waits_ = true;                ///< for the disk, when the window closes
    app::Preparations reading_;        ///< last: its thread is joined before the rest goes
};

} // namespace denoir::ui
