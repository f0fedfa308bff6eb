// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <QSignalBlocker>
#include <QTimer>
#include <utility>

#include "app/base/text.h"
#include "app/project/autosave.h"
#include "app/project/project.h"
#include "app/project/project_json.h"
#include "app/project/project_lock.h"
#include "engine/core/atomic_file.h"

namespace denoir::app {
namespace {

void write_project(const QString& file, const ProjectContent& content) {
    write_file(to_path(file), to_json(content, to_path(file).parent_path()).dump(1) + "\n");
}

[[noreturn]] void refuse_open_elsewhere(const QString& file, const char* hint) {
    throw Error(file.toStdString(), {}, "another studio has this project open", hint);
}

} // namespace

Project::~Project() {
    const QSignalBlocker quiet(this);
    undo_.disconnect(this); // it emits signals as it is destroyed
    disk_.finish();         // changes that a save in progress writes need no autosave
    if (autosave_on_ && timer_->isActive()) write_autosave(ends_);
    if (!is_modified()) drop_autosave();
    disk_.put([lock = std::move(lock_)] { *lock = {}; });
}

QString Project::title() const { return path_.isEmpty() ? tr("Untitled") : QFileInfo(path_).completeBaseName(); }
bool Project::is_modified() const { return dirty_ || unwritten_ || !undo_.isClean(); }
bool Project::is_being_saved() const { return saving_ && saving_->changes == changes_; }

void Project::finish() {
    do {
        disk_.finish();
        autosave_->finish();
    } while (disk_.busy() || autosave_->busy());
}

std::shared_ptr<const ProjectContent> Project::content() const {
    return std::make_shared<const ProjectContent>(ProjectContent{shots_, request_, extra_});
}

void Project::clear() {
    drop_autosave();
    take_over({}, Entry::replaces);
    set_path({});
    set_issue({});
}

void Project::open(const QString& path, ProjectContent content, Entry entry) {
    drop_autosave();
    take_over(std::move(content), entry);
    set_path(QFileInfo(path).absoluteFilePath());
    set_issue({});
}

void Project::recover(const Recovery& recovery, RecoveredProject recovered, Entry entry) {
    drop_autosave();
    take_over(std::move(recovered.content), entry);
    set_path(recovery.path);
    dirty_ = true;
    autosave_->take_over(recovery, recovered);
    note_modified();
    set_issue({});
    touch();
}

void Project::take_over(ProjectContent content, Entry entry) {
    if (entry == Entry::replaces) {
        undo_.clear();
        forgotten_ = 0;
        request_ = std::move(content.request);
        ++number_;
    }
    shots_ = std::move(content.shots);
    extra_ = std::move(content.extra);
    dirty_ = unwritten_ = cut_edited_ = false;
    saving_.reset();
    media_.clear();
    ++media_number_;
    looking_ = look_again_ = false; // the answer for the project before will be ignored
    opened_ = !shots_.empty();
    if (opened_) look_at_media();
    emit changed({});
    entry == Entry::replaces ? emit loaded() : emit joined();
    timer_->stop();
    if (entry == Entry::joins) touch(); // the request, which stays, may have been edited
    note_modified();
}

/// Sets the path of another project and takes its lock; the lock of the project before is released.
void Project::set_path(const QString& path) {
    path_ = path;
    lock_issue_ = {};
    kept_.reset();
    const auto issue = std::make_shared<Issue>();
    disk_.put(
        [path, lock = lock_, issue] {
            *lock = path.isEmpty() ? ProjectLock() : ProjectLock::take(path, *lock);
            *issue = lock->issue();
        },
        [this, path, issue, number = number_](const Issue&) {
            if (number != number_ || path != path_ || issue->isEmpty()) return;
            lock_issue_ = *issue;
            set_issue(lock_issue_);
            emit path_changed();
        });
    emit path_changed();
}

void Project::save(Then then) {
    if (saves_to().isEmpty())
        return then(Issue::from(Error({}, {}, "this project has no name yet", "save it under a name")));
    save_to(saves_to(), saves_to() == path_, std::move(then));
}

void Project::save_as(const QString& path, Then then) {
    const QString file = QFileInfo(path).absoluteFilePath();
    save_to(file, file == path_ && !read_only(), std::move(then));
}

/// Makes the state that is being written the undo stack's clean one at once, so that later changes, and undoing them,
/// are recognised.
void Project::save_to(const QString& file, bool stays, Then then) {
    if (is_being_saved() && saving_->file == file) return saving_->then.push_back(std::move(then));
    const auto saving = saving_ = std::make_shared<Saving>(Saving{file, number_, changes_, {std::move(then)}});
    unwritten_ = is_modified();
    dirty_ = false;
    undo_.setClean();
    disk_.put(
        [file, stays, lock = lock_, content = content()] {
            const bool ours = stays && lock->concerns(file); // an earlier save_as() may have changed the lock
            if (ours && lock->held_by_other()) refuse_open_elsewhere(file, "save it under another name");
            if (ours || lock->is_of(file)) return write_project(file, *content);
            ProjectLock taken = ProjectLock::take(file, *lock);
            if (taken.held_by_other()) refuse_open_elsewhere(file, "choose another name");
            write_project(file, *content);
            *lock = std::move(taken);
        },
        [this, saving](const Issue& issue) {
            const bool newest = saving_ == saving;
            if (newest) saving_.reset();
            if (saving->project == number_) end_saving(*saving, newest, issue);
            for (const Then& each : saving->then) each(issue);
        });
}

void Project::end_saving(const Saving& saving, bool newest, const Issue& issue) {
    if (!issue.isEmpty()) return; // unwritten_ keeps the project modified if it was
    if (saving.file != path_ || read_only()) {
        path_ = saving.file;
        lock_issue_ = {};
        kept_.reset();
        emit path_changed();
    }
    if (newest) unwritten_ = false;
    if (is_modified())
        touch(); // the autosave holds the project's path, which may have changed
    else
        drop_autosave();
    note_modified();
    set_issue({});
}

void Project::connect_autosave() {
    connect(autosave_.get(), &Autosave::failed, this, [this](const Issue& issue) {
        autosave_issue_ = issue;
        set_issue(issue);
    });
    connect(autosave_.get(), &Autosave::saved, this, &Project::end_autosave_issue);
}

void Project::set_autosave(bool on) {
    autosave_on_ = on;
    if (on)
        touch();
    else
        timer_->stop();
}

/// Withdraws the autosave's issue, so that it is shown again if it comes again.
void Project::end_autosave_issue() {
    const Issue ended = std::exchange(autosave_issue_, {});
    if (!ended.isEmpty() && issue_ == ended) set_issue(lock_issue_);
}

void Project::write_autosave(bool kept) {
    if (!is_modified()) return drop_autosave();
    autosave_->write({path_, content(), kept});
    kept_.reset();
}

void Project::drop_autosave() {
    timer_->stop();
    if (!autosave_->exists()) return;
    autosave_->drop();
    end_autosave_issue();
}

bool Project::keep_for_next_start() {
    timer_->stop();
    ends_ = true;
    if (kept_ == changes_ && is_modified()) return true;
    write_autosave(true);
    const bool kept = autosave_->finish();
    if (kept) kept_ = changes_;
    return kept;
}

void Project::keep_for_next_start(const std::function<void(bool)>& then) {
    timer_->stop();
    ends_ = true;
    write_autosave(true);
    autosave_->when_done([this, then, changes = changes_](bool kept) {
        if (kept && changes == changes_)
            kept_ = changes_;
        else if (kept)
            return keep_for_next_start(then); // the project was changed meanwhile
        then(kept);
    });
}

void Project::leave_older_autosave() { autosave_->leave_older(); }

} // namespace denoir::app
