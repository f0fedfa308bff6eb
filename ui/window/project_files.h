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

/// Begins, opens, saves and recovers projects, and asks before unsaved changes would be lost. Borrows all.
class ProjectFiles : public QObject {
    Q_OBJECT
public:
    ProjectFiles(Studio& studio, app::RememberedRequest& remembered, Banners& banners, QWidget& window);
    void start_new();
    void ask_for_file(); ///< of any kind, not only a project
    /// Opens a project whose `content` has been read from `path`.
    void open(const QString& path, const app::ProjectContent& content);
    bool busy() const { return reading_.busy() || saving_ > 0; } ///< whether a project is being read or saved
    /// Calls `then` once it is saved.
    void save(const std::function<void()>& then = {});
    void save_as(const std::function<void()>& then = {});
    /// Fills a menu with recent projects.
    void offer_recent(QMenu& menu);
    /// At the start: offers what a crash left, or brings back what the last session did not save. If there is neither,
    /// opens the last project again. `files`: those that the studio was started with, which are being opened; they keep
    /// the last project closed, and if a project is among them, unsaved work is only offered.
    void offer_recovery(const QStringList& files);
    void keep_nothing() { keeps_ = false; } ///< from now on, opened projects are not remembered
    /// Calls `close` once everything that is being saved is saved, and unsaved changes are kept for the next start. If
    /// that fails, as on a full disk, `close` is not called; a banner says so and offers to close the window anyway.
    void end(const std::function<void()>& close);
    /// To be called when the window closes: the project being saved is opened again next time, and unsaved changes are
    /// kept for it.
    void closing();

signals:
    void said(const QString& text);
    void refused(const QString& why); ///< why a file cannot be opened
    void file_chosen(const QString& path);
    void opened();
    void begun_anew(); ///< start_new() is done
    void begun();      ///< offer_recovery() is done, and an offer was accepted or declined

private:
    /// The state of the studio when the disk was asked for something.
    struct Before {
        quint64 project;
        Json request;
        int step;
    };
    Before as_it_is() const;
    void fill_recent(QMenu& menu);
    void open_anew(const QString& path);
    void reopen(const QString& path, const Before& before);
    bool is_empty() const;                       ///< whether there is neither a project nor a cut
    bool is_another(const Before& before) const; ///< whether another project was begun since
    bool loses_nothing() const;                  ///< whether the project can be replaced without a question
    /// At the start: `open` takes over what was read. If `keeps`, the request stays even if nothing was typed.
    void come_in(const Before& before, bool keeps, const QString& label,
                 const std::function<void(app::Project::Entry)>& open);
    void take(const QString& path, const app::ProjectContent& content);
    void remember(const QString& path);
    void tell_missing();
    /// The function to call when saving to `path` has ended; until then, saving_ counts it.
    app::Project::Then written_to(const QString& path, const QString& words, const std::function<void()>& then);
    void written(int number, const QString& path, const app::Issue& issue, const QString& words,
                 const std::function<void()>& then);
    void tell_if_slow(int number, const QString& words);
    void offer_to_close(int number);
    void tell_not_kept();
    /// Calls `then`, at once or after the user has decided about unsaved changes. Returns false if the user is asked.
    bool leave(const std::function<void()>& then);
    /// Closes the question about unsaved changes, as they have been saved or their project is gone; nothing follows.
    void forget_question();
    /// Calls `change`, which puts another request into the parameters, as an undo step if the one before would be lost.
    void replace_request(const QString& label, const std::function<void()>& change);
    /// `failed` says why the last attempt failed.
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
    std::function<void()> then_;       ///< to be called when that is answered
    std::function<void()> once_saved_; ///< to be called when everything is saved
    int saving_ = 0;                   ///< number of projects being saved
    int asked_ = 0, answered_ = 0;     ///< numbers of the last write asked for, and of the last one done
    int ends_ = 0;                     ///< number of the write after which the window closes; 0: none
    bool waits_ = true;                ///< whether the window waits for the disk when it closes
    app::Preparations reading_;        ///< declared last, so that its thread is joined before the rest is destroyed
};

} // namespace denoir::ui
