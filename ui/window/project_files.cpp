// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/project_files.h"

#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QTimer>

#include <algorithm>
#include <utility>

#include "app/base/settings.h"
#include "app/project/autosave.h"
#include "app/project/project_json.h"
#include "app/request/remembered_request.h"
#include "app/request/request_document.h"
#include "app/studio.h"
#include "engine/core/error.h"
#include "engine/session/request_json.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/literal.h"
#include "ui/widgets/open_dialog.h"
#include "ui/widgets/save_dialog.h"

namespace denoir::ui {

namespace {
const QString open_key = QStringLiteral("open_project");
constexpr int said_after_ms = 500;     // writing takes longer than that only on a slow disk
constexpr int offered_after_ms = 4000; // a disk that takes longer may never answer
} // namespace

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
    connect(&project, &app::Project::media_known, this, &ProjectFiles::tell_missing);
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
    leave([this] {
        replace_request(tr("clear prompt and parameters"), [this] { studio_.project.clear(); });
        emit begun_anew();
    });
}

void ProjectFiles::ask_for_file() {
    const QString filters = tr("Projects, videos, pictures, requests (*.denoir %1 %2 *.json);;All files (*)")
                                .arg(video_endings, picture_endings);
    ask_to_open(&window_, studio_.settings, tr("Open"), {ToOpen::Kind::file, ToOpen::Sort::projects, filters},
                [this](const QStringList& files) { emit file_chosen(files.constFirst()); });
}

void ProjectFiles::open(const QString& path, const app::ProjectContent& content) {
    // `content` may be out of date if the file is being saved or belongs to the open project.
    if (loses_nothing() && saving_ == 0 && path != studio_.project.path()) {
        take(path, content);
        emit opened();
        return;
    }
    leave([this, path] { open_anew(path); });
}

/// Reads the file again and opens it, after the user has answered about unsaved changes: the file may have changed in
/// the meantime, for example by saving.
void ProjectFiles::open_anew(const QString& path) {
    const auto state = [this] { return std::pair(studio_.project.number(), studio_.project.step()); };
    reading_.put(
        this, [path] { return app::read_project(path); },
        [this, path, state, answered = state()](const app::ProjectContent& content) {
            if (state() == answered) {
                take(path, content);
                emit opened();
                return;
            }
            leave([this, path] { open_anew(path); }); // asks about changes made since the answer
        });
}

ProjectFiles::Before ProjectFiles::as_it_is() const {
    return {studio_.project.number(), asked_json(studio_.document.to_keep()), studio_.project.undo().index()};
}

/// Opens the last session's project again. If that does not exist any more, says nothing.
void ProjectFiles::reopen(const QString& path, const Before& before) {
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
    reading_.put(this, look, [this, path, before](const Last& last) {
        auto& results = studio_.core.results;
        if (last.content && !is_another(before)) {
            come_in(before, true, tr("take the project's prompt and parameters"),
                    [&](app::Project::Entry entry) { studio_.project.open(path, *last.content, entry); });
            remember(path);
            results.set_recovery_offered(false); // results that an earlier session left find their shots now
        } else {
            results.withdraw_recovery();
            if (is_empty()) studio_.settings.set_value(open_key, {});
            if (!last.issue.isEmpty()) emit refused(last.issue.line());
        }
        emit begun();
    });
}

bool ProjectFiles::is_empty() const { return studio_.project.saves_to().isEmpty() && studio_.project.shots().empty(); }

bool ProjectFiles::is_another(const Before& before) const {
    return !is_empty() || studio_.project.number() != before.project;
}

/// Keeps what was typed while the disk was slow, with its undo steps and the pictures that are still being read.
void ProjectFiles::come_in(const Before& before, bool keeps, const QString& label,
                           const std::function<void(app::Project::Entry)>& open) {
    using Entry = app::Project::Entry;
    const Before now = as_it_is();
    const bool typed = now.request != before.request || now.step != before.step || studio_.core.inputs.busy();
    if (typed && !studio_.project.cut_edited()) return open(Entry::joins);
    const Request request = studio_.document.to_keep(); // undo steps of another cut cannot stay
    replace_request(label, [&] {
        open(Entry::replaces);
        if (typed || keeps) studio_.document.load(request);
    });
}

void ProjectFiles::take(const QString& path, const app::ProjectContent& content) {
    replace_request(tr("take the project's prompt and parameters"), [&] { studio_.project.open(path, content); });
    remember(path);
}

void ProjectFiles::remember(const QString& path) {
    if (keeps_) studio_.settings.add_recent_project(path);
}

void ProjectFiles::tell_missing() {
    const auto missing = studio_.project.missing_media();
    if (!missing.isEmpty())
        banners_.show_banner(QStringLiteral("missing"), Banners::Kind::warning,
                             tr("%n shot(s) of the cut cannot be shown: %1", nullptr, int(missing.size()))
                                 .arg(missing.constFirst().line()));
}

void ProjectFiles::save(const std::function<void()>& then) {
    const QString path = studio_.project.saves_to();
    if (path.isEmpty()) return save_as(then);
    studio_.project.save(written_to(path, tr("Saved."), then));
}

void ProjectFiles::save_as(const std::function<void()>& then) {
    const QString now = studio_.project.saves_to();
    ask_where_to_save(&window_, studio_.settings, tr("Save project"),
                      now.isEmpty() ? tr("project") : QFileInfo(now).completeBaseName(),
                      tr("Denoir project (%1)").arg(QStringLiteral("*.denoir")), [this, then](const QString& path) {
                          studio_.project.save_as(path, written_to(path, tr("Saved as %1").arg(path), then));
                      });
}

app::Project::Then ProjectFiles::written_to(const QString& path, const QString& words,
                                            const std::function<void()>& then) {
    remembered_.save();
    ++saving_;
    tell_if_slow(++asked_, tr("Saving %1 …").arg(QFileInfo(path).fileName()));
    return [self = QPointer(this), path, words, then, number = asked_](const app::Issue& issue) {
        if (self) self->written(number, path, issue, words, then);
    };
}

void ProjectFiles::written(int number, const QString& path, const app::Issue& issue, const QString& words,
                           const std::function<void()>& then) {
    --saving_;
    answered_ = std::max(answered_, number);
    if (!issue.isEmpty()) {
        once_saved_ = {};
        answered_ = asked_; // so that nothing says that it is still being saved
        banners_.remove(QStringLiteral("close"));
        return banners_.show_banner(QStringLiteral("save"), Banners::Kind::error, issue.line());
    }
    studio_.settings.add_recent_project(path);
    banners_.remove(QStringLiteral("save")); // it may say that saving failed
    if (saving_ == 0) banners_.remove(QStringLiteral("close"));
    emit said(words);
    if (then) then();
    if (saving_ > 0) return;
    if (const auto next = std::exchange(once_saved_, {})) next();
}

/// Says `words` if the write of that number takes long.
void ProjectFiles::tell_if_slow(int number, const QString& words) {
    QTimer::singleShot(said_after_ms, this, [this, number, words] {
        if (answered_ < number) emit said(words);
    });
}

bool ProjectFiles::loses_nothing() const { return !studio_.project.is_modified() || studio_.project.shots().empty(); }

bool ProjectFiles::leave(const std::function<void()>& then) {
    auto& project = studio_.project;
    if (saving_ > 0) { // asks when that is done, as it may fail, or the file may be the one to open
        ends_ = 0;     // closing the window is no longer wanted
        banners_.remove(QStringLiteral("close"));
        once_saved_ = [this, then, number = project.number()] {
            if (number == studio_.project.number()) leave(then);
        };
        return false;
    }
    if (loses_nothing()) {
        then();
        return true;
    }
    then_ = then; // if the question is open already, its answer is followed by what was wanted last
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
    connect(box, &QMessageBox::finished, this, [this, number = project.number()](int answer) {
        question_ = nullptr;
        const std::function<void()> next = std::exchange(then_, {});
        const auto leave_it = [this, next, number] {
            if (number == studio_.project.number()) leave(next); // it may have been changed again meanwhile
        };
        if (answer == QMessageBox::Discard) saving_ > 0 ? leave_it() : next();
        if (answer == QMessageBox::Save) save(leave_it);
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
    // A request that was saved with its project is not lost, and needs no undo step in the next one.
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

void ProjectFiles::offer_recovery(const QStringList& files) {
    const QString last = studio_.settings.value(open_key).toString();
    studio_.settings.set_value(open_key, {});        // from now on it is this session's project
    studio_.core.results.set_recovery_offered(true); // until it is known whether there is something to recover
    struct Left {
        std::optional<app::Project::Recovery> recovery;
        std::optional<app::RecoveredProject> kept;
        bool opens_project = false; ///< it may be open already or come later
        app::Issue issue;
    };
    const auto look = [files] {
        Left left;
        for (const auto& each : app::Project::recoverable()) {
            if (each.shots > 0 || !each.path.isEmpty()) {
                left.recovery = each;
                break;
            }
            app::Project::discard(each); // RememberedRequest keeps its request as well
        }
        try {
            if (left.recovery && left.recovery->kept && !left.recovery->older)
                left.kept = app::Project::read_recovery(*left.recovery);
        } catch (...) {
            left.issue = app::Issue::from_current_exception();
        }
        left.opens_project = left.kept && std::ranges::any_of(files, app::Project::is_project);
        return left;
    };
    const bool reopens = files.isEmpty() && !last.isEmpty() && is_empty();
    if (reopens) studio_.settings.set_value(open_key, last); // in case reading takes long
    reading_.put(this, look, [this, last, reopens, before = as_it_is()](Left left) {
        if (!left.recovery && reopens) return reopen(last, before);
        if (left.recovery && studio_.project.path().isEmpty()) studio_.settings.set_value(open_key, {});
        if (left.recovery && (!left.kept || left.opens_project || is_another(before)))
            return offer_to_recover(*left.recovery, left.issue);
        if (left.recovery) // continues the last session's work without a question
            recover(*left.recovery, *left.kept, before);
        else
            studio_.core.results.withdraw_recovery();
        emit begun();
    });
}

void ProjectFiles::offer_to_recover(const app::Project::Recovery& recovery, const app::Issue& failed) {
    const QString name = recovery.path.isEmpty() ? tr("an untitled cut") : QFileInfo(recovery.path).completeBaseName();
    const QString words =
        recovery.older
            ? tr("The last changes could not be kept. Kept: %1, as of %2 (%n shot(s)).", nullptr, recovery.shots)
        : recovery.kept
            ? tr("Kept from the last session, not saved yet: %1, as of %2 (%n shot(s)).", nullptr, recovery.shots)
            : tr("Denoir ended unexpectedly. Kept: %1, as of %2 (%n shot(s)).", nullptr, recovery.shots);
    const QString offer = words.arg(name, QLocale().toString(recovery.saved.toLocalTime(), QLocale::ShortFormat));
    const auto take = [this, recovery] {
        const bool done = leave([this, recovery] {
            banners_.remove(QStringLiteral("recover"));
            recover(recovery);
        });
        if (!done) offer_to_recover(recovery); // goes on offering it, as the question may be answered with Cancel
    };
    const auto answered = [this] {
        studio_.core.results.set_recovery_offered(false);
        emit begun();
    };
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
    struct Read {
        std::optional<app::RecoveredProject> project;
        app::Issue issue;
    };
    const auto look = [recovery] {
        Read out;
        try {
            out.project = app::Project::read_recovery(recovery);
        } catch (...) {
            out.issue = app::Issue::from_current_exception();
        }
        return out;
    };
    const auto state = [this] { return std::pair(studio_.project.number(), studio_.project.step()); };
    reading_.put(this, look, [this, recovery, state, answered = state()](const Read& read) {
        // The user may try again when the studio that holds it has ended; results go on waiting.
        if (!read.project) return offer_to_recover(recovery, read.issue);
        if (state() != answered && !loses_nothing()) return offer_to_recover(recovery); // there are new changes
        replace_request(tr("recover"), [&] { studio_.project.recover(recovery, *read.project); });
        studio_.core.results.set_recovery_offered(false); // results that came meanwhile find their shots now
        emit begun();
    });
}

void ProjectFiles::recover(const app::Project::Recovery& recovery, const app::RecoveredProject& recovered,
                           const Before& before) {
    come_in(before, false, tr("recover"),
            [&](app::Project::Entry entry) { studio_.project.recover(recovery, recovered, entry); });
    studio_.core.results.set_recovery_offered(false);
}

void ProjectFiles::end(const std::function<void()>& close) {
    tell_if_slow(++asked_, tr("Saving %1; the window closes when that is done …").arg(studio_.project.title()));
    offer_to_close(ends_ = asked_);
    if (saving_ > 0) {
        once_saved_ = [this, close] { end(close); };
        return;
    }
    studio_.project.keep_for_next_start([self = QPointer(this), close, number = asked_](bool kept) {
        if (!self) return;
        self->answered_ = std::max(self->answered_, number);
        kept ? close() : self->tell_not_kept();
    });
}

/// Offers to close the window if the disk takes long: it need not wait, as the program ends only after writing.
void ProjectFiles::offer_to_close(int number) {
    QTimer::singleShot(offered_after_ms, this, [this, number] {
        if (answered_ >= number || ends_ != number) return;
        const bool saves = saving_ > 0 || studio_.project.is_modified();
        banners_.show_banner(
            QStringLiteral("close"), Banners::Kind::warning,
            saves ? tr("“%1” is not saved yet: the disk does not answer. The window can be closed; Denoir saves it in "
                       "the background as soon as the disk answers.")
                        .arg(studio_.project.title())
                  : tr("The disk does not answer. The window can be closed; Denoir ends as soon as the disk answers."),
            {{tr("Close the window"), [this] {
                  waits_ = false;
                  window_.close();
              }}});
    });
}

void ProjectFiles::closing() {
    auto& project = studio_.project;
    const QString file = project.saves_to();
    if (keeps_ && !file.isEmpty()) studio_.settings.set_value(open_key, file);
    // Nothing is lost, even without waiting here: the program writes before it ends.
    if (!waits_)
        project.keep_for_next_start([](bool) {});
    else if (!project.keep_for_next_start())
        project.leave_older_autosave();
}

void ProjectFiles::tell_not_kept() {
    banners_.show_banner(QStringLiteral("close"), Banners::Kind::error,
                         tr("The changes of “%1” cannot be kept for the next start. Make room, or save it elsewhere.")
                             .arg(studio_.project.title()),
                         {{tr("Close all the same"), [this] { window_.close(); }}}, 60);
}

} // namespace denoir::ui
