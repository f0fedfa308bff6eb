// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/project_files.h"

#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>

#include <algorithm>
#include <utility>

#include "app/base/settings.h"
#include "app/project/project_json.h"
#include "app/request/remembered_request.h"
#include "app/request/request_document.h"
#include "app/studio.h"
#include "engine/core/error.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/literal.h"
#include "ui/widgets/open_dialog.h"
#include "ui/widgets/save_dialog.h"

namespace denoir::ui {

namespace {
const QString open_key = QStringLiteral("open_project");
}

ProjectFiles::ProjectFiles(Studio& studio, app::RememberedRequest& remembered, Banners& banners, QWidget& window)
    : QObject(&window),
      studio_(studio),
      remembered_(remembered),
      banners_(banners),
      window_(window),
      recent_(studio.settings) {
    const auto& project = studio_.project;
    connect(&reading_, &app::Preparations::failed, this,
            [this](const app::Issue& issue) { emit refused(issue.line()); });
    connect(&project, &app::Project::loaded, this, [this] { banners_.remove(QStringLiteral("missing")); });
    const auto look = [this] {
        if (studio_.project.missing_media().isEmpty()) banners_.remove(QStringLiteral("missing"));
    };
    connect(&project, &app::Project::media_changed, this, look);
    connect(&project, &app::Project::changed, this, look);
    connect(&project, &app::Project::loaded, this, &ProjectFiles::forget_question);
    connect(&project, &app::Project::path_changed, this, [this] {
        if (!keeps_) return;
        const QString path = studio_.project.path();
        studio_.settings.set_value(open_key, path.isEmpty() ? QVariant() : path);
    });
    connect(&project, &app::Project::modified_changed, this, [this](bool modified) {
        if (!modified) forget_question();
    });
    connect(&project, &app::Project::issue_changed, this, [this] {
        const app::Issue issue = studio_.project.issue();
        if (issue.isEmpty()) return banners_.remove(QStringLiteral("project"));
        banners_.show_banner(QStringLiteral("project"), Banners::Kind::warning, issue.line());
    });
}

void ProjectFiles::start_new() {
    leave([this] { replace_request(tr("clear prompt and parameters"), [this] { studio_.project.clear(); }); });
}

void ProjectFiles::ask_for_file() {
    const QString filters = tr("Projects, videos, pictures, requests (*.denoir %1 %2 *.json);;All files (*)")
                                .arg(video_endings, picture_endings);
    ask_to_open(&window_, studio_.settings, tr("Open"), {ToOpen::Kind::file, ToOpen::Sort::projects, filters},
                [this](const QStringList& files) { emit file_chosen(files.constFirst()); });
}

void ProjectFiles::open(const QString& path, const app::ProjectContent& content) {
    if (loses_nothing()) {
        if (take(path, content)) emit opened();
        return;
    }
    leave([this, path] { open_anew(path); });
}

/// After an answer about the changes that there are now: the file may just have been saved, or have changed while that
/// was being thought about.
void ProjectFiles::open_anew(const QString& path) {
    const auto state = [this] { return std::pair(studio_.project.number(), studio_.project.step()); };
    reading_.put(
        this, [path] { return app::read_project(path); },
        [this, path, state, answered = state()](const app::ProjectContent& content) {
            if (state() == answered) {
                if (take(path, content)) emit opened();
                return;
            }
            leave([this, path] { open_anew(path); }); // and what was done since? It may have been saved to this file
        });
}

/// Nothing is told of a project that is not there any more.
void ProjectFiles::reopen(const QString& path) {
    auto& results = studio_.core.results;
    results.set_recovery_offered(true);
    struct Last {
        std::shared_ptr<const app::ProjectContent> content;
        app::Issue issue;
    };
    const auto look = [path] {
        Last last;
        try {
            if (QFileInfo::exists(path)) last.content = std::make_shared<app::ProjectContent>(app::read_project(path));
        } catch (...) {
            last.issue = app::Issue::from_current_exception();
        }
        return last;
    };
    reading_.put(this, look, [this, path, &results, before = studio_.project.number()](const Last& last) {
        const bool another = !is_empty() || studio_.project.number() != before; // was begun meanwhile
        if (last.content && !another && take(path, *last.content, true))
            return results.set_recovery_offered(false); // what an earlier session left finds its shots
        results.withdraw_recovery();
        if (is_empty()) studio_.settings.set_value(open_key, {});
        if (!last.issue.isEmpty()) emit refused(last.issue.line());
    });
}

bool ProjectFiles::is_empty() const { return studio_.project.path().isEmpty() && studio_.project.shots().empty(); }

bool ProjectFiles::take(const QString& path, const app::ProjectContent& content, bool again) {
    try {
        const Request typed = studio_.document.to_keep();
        replace_request(tr("take the project's prompt and parameters"), [&] {
            studio_.project.open(path, content);
            if (again) studio_.document.load(typed);
        });
        if (keeps_) studio_.settings.add_recent_project(path);
        const auto missing = studio_.project.missing_media();
        if (!missing.isEmpty())
            banners_.show_banner(QStringLiteral("missing"), Banners::Kind::warning,
                                 tr("%n shot(s) of the cut cannot be shown: %1", nullptr, int(missing.size()))
                                     .arg(missing.constFirst().line()));
        return true;
    } catch (const Error& error) {
        emit refused(app::Issue::from(error).line());
        return false;
    }
}

void ProjectFiles::save(const std::function<void()>& then) {
    auto& project = studio_.project;
    if (project.path().isEmpty()) return save_as(then);
    write([&project] { project.save(); }, tr("Saved."), then);
}

void ProjectFiles::save_as(const std::function<void()>& then) {
    const QString now = studio_.project.path();
    ask_where_to_save(&window_, studio_.settings, tr("Save project"),
                      now.isEmpty() ? tr("project") : QFileInfo(now).completeBaseName(),
                      tr("Denoir project (%1)").arg(QStringLiteral("*.denoir")), [this, then](const QString& path) {
                          write([this, path] { studio_.project.save_as(path); }, tr("Saved as %1").arg(path), then);
                      });
}

void ProjectFiles::write(const std::function<void()>& save, const QString& words, const std::function<void()>& then) {
    try {
        remembered_.save();
        save();
        studio_.settings.add_recent_project(studio_.project.path());
        for (const char* banner : {"save", "close"}) banners_.remove(QLatin1String(banner)); // that saving failed
        emit said(words);
        if (then) then();
    } catch (const Error& error) {
        banners_.show_banner(QStringLiteral("save"), Banners::Kind::error, app::Issue::from(error).line());
    }
}

bool ProjectFiles::loses_nothing() const { return !studio_.project.is_modified() || studio_.project.shots().empty(); }

bool ProjectFiles::leave(const std::function<void()>& then) {
    auto& project = studio_.project;
    if (loses_nothing()) {
        then();
        return true;
    }
    then_ = then; // asked once: what was wanted last is what follows
    if (question_) {
        question_->raise();
        question_->activateWindow();
        return false;
    }
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Denoir"), tr("Save the changes of “%1”?").arg(project.title()),
                                QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window_);
    question_ = box;
    box->setTextFormat(Qt::PlainText);
    box->setDefaultButton(QMessageBox::Save);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [this](int answer) {
        question_ = nullptr;
        const std::function<void()> next = std::exchange(then_, {});
        if (answer == QMessageBox::Discard) next();
        if (answer == QMessageBox::Save) save(next);
    });
    box->setModal(false);
    box->show();
    return false;
}

void ProjectFiles::forget_question() {
    if (question_) question_->reject();
}

void ProjectFiles::replace_request(const QString& label, const std::function<void()>& change) {
    const auto before = studio_.document.state();
    // What was saved with its project stays there and is no step of the next one.
    const bool saved = !studio_.project.path().isEmpty() && !studio_.project.is_modified();
    change();
    if (saved) return;
    if (before.request.prompt.empty() && before.request.image.empty() && before.request.last_image.empty()) return;
    studio_.document.replaced(before, label);
    studio_.project.undo().setClean();
}

void ProjectFiles::offer_recent(QMenu& menu) {
    menu.setToolTipsVisible(true);
    connect(&recent_, &app::RecentProjects::changed, &menu, [this, &menu] { fill_recent(menu); });
    connect(&menu, &QMenu::aboutToShow, &recent_, &app::RecentProjects::look);
    fill_recent(menu);
}

void ProjectFiles::fill_recent(QMenu& menu) {
    menu.clear();
    const QStringList paths = recent_.there();
    const auto name_of = [](const QString& path) { return QFileInfo(path).completeBaseName(); };
    for (const QString& path : paths) {
        QString name = name_of(path);
        const auto same = std::ranges::count(paths, name, name_of);
        if (same > 1) name += QStringLiteral(" – ") + QFileInfo(path).dir().dirName();
        menu.addAction(literal(name), this, [this, path] { emit file_chosen(path); })->setToolTip(path);
    }
    if (menu.isEmpty()) menu.addAction(tr("none yet"))->setEnabled(false);
}

void ProjectFiles::offer_recovery(bool reopens) {
    const QString last = studio_.settings.value(open_key).toString();
    studio_.settings.set_value(open_key, {}); // of this session, from now on
    for (const auto& recovery : app::Project::recoverable()) {
        if (recovery.shots == 0 && recovery.path.isEmpty()) {
            app::Project::discard(recovery); // its request is kept by RememberedRequest as well
            continue;
        }
        if (recovery.kept && !recovery.older &&
            studio_.project.shots().empty()) // the last session's work simply goes on
            recover(recovery);
        else
            offer_to_recover(recovery);
        return;
    }
    if (!reopens || last.isEmpty() || !is_empty()) return;
    studio_.settings.set_value(open_key, last); // until it is known
    reopen(last);
}

void ProjectFiles::offer_to_recover(const app::Project::Recovery& recovery, const app::Issue& failed) {
    const QString name = recovery.path.isEmpty() ? tr("an untitled cut") : QFileInfo(recovery.path).completeBaseName();
    const QString words =
        recovery.older
            ? tr("The last changes could not be kept. Kept: %1, as of %2 (%n shot(s)).", nullptr, recovery.shots)
            : tr("Denoir ended unexpectedly. Kept: %1, as of %2 (%n shot(s)).", nullptr, recovery.shots);
    const QString offer = words.arg(name, QLocale().toString(recovery.saved.toLocalTime(), QLocale::ShortFormat));
    const auto take = [this, recovery] {
        const bool done = leave([this, recovery] {
            banners_.remove(QStringLiteral("recover"));
            recover(recovery);
        });
        if (!done) offer_to_recover(recovery); // keep offering it: the question may be answered with Cancel
    };
    const auto answered = [this] { studio_.core.results.set_recovery_offered(false); };
    studio_.core.results.set_recovery_offered(true);
    banners_.show_banner(QStringLiteral("recover"), failed.isEmpty() ? Banners::Kind::info : Banners::Kind::error,
                         failed.isEmpty() ? offer : failed.line() + QLatin1Char('\n') + offer,
                         {{tr("Recover"), take},
                          {tr("Discard"),
                           [recovery, answered] {
                               app::Project::discard(recovery);
                               answered();
                           }}},
                         0, answered);
}

void ProjectFiles::recover(const app::Project::Recovery& recovery) {
    try {
        replace_request(tr("recover"), [this, recovery] { studio_.project.recover(recovery); });
    } catch (const Error& error) { // tried again when whoever holds it has ended, and its results wait for that
        return offer_to_recover(recovery, app::Issue::from(error));
    }
    studio_.core.results.set_recovery_offered(false); // what came meanwhile finds its shots now
}

bool ProjectFiles::loses_cut() {
    if (studio_.project.keep_for_next_start()) return false;
    banners_.show_banner(QStringLiteral("close"), Banners::Kind::error,
                         tr("The changes of “%1” cannot be kept for the next start. Make room, or save it elsewhere.")
                             .arg(studio_.project.title()),
                         {{tr("Close all the same"), [this] { window_.close(); }}}, 60);
    return true;
}

} // namespace denoir::ui
