// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <QLockFile>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "app/base/file_saver.h"
#include "app/base/text.h"
#include "app/project/project.h"
#include "app/project/project_json.h"
#include "engine/core/file.h"
#include "engine/core/json_fields.h"
#include "engine/core/own_folders.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

fs::path autosave_folder() { return data_place() / "autosave"; }

/// What an autosave is called that later changes did not get into: a full disk takes a new name where it takes nothing
/// else.
constexpr const char* older_ending = ".older.json";

QString lock_name(const fs::path& autosave) { return to_qstring(autosave) + QStringLiteral(".lock"); }

std::unique_ptr<QLockFile> taken(const fs::path& autosave) {
    auto lock = std::make_unique<QLockFile>(lock_name(autosave));
    lock->setStaleLockTime(0);
    return lock->tryLock(0) ? std::move(lock) : nullptr;
}

/// What an autosave says of itself. Nothing where it is none.
std::optional<Project::Recovery> described(const fs::path& file) try {
    const Json json = parse_json(read_text(file, most_project_bytes), file.string());
    if (!json.is_object() || !json.contains("project") || !json["project"].is_object()) return {};
    Project::Recovery out;
    out.autosave = to_qstring(file);
    out.path = to_qstring(text_of(json, "path"));
    out.saved = QDateTime::fromString(to_qstring(text_of(json, "saved")), Qt::ISODate);
    out.kept = json.value("kept", Json()) == true;
    out.older = file.native().ends_with(older_ending);
    const Json& shots = json["project"].value("shots", Json());
    out.shots = shots.is_array() ? int(shots.size()) : 0;
    return out;
} catch (const std::exception&) {
    return {};
}

} // namespace

void Project::set_autosave(bool on) {
    autosave_on_ = on;
    if (on)
        touch();
    else
        timer_->stop();
}

void Project::begin_autosave() {
    const fs::path folder = autosave_folder();
    std::error_code code;
    fs::create_directories(folder, code); // where it cannot be made, who saves says so
    if (!autosave_) autosave_to(folder / (new_id().toStdString() + ".json"));
    // The folder may have been removed with all that was in it.
    if (autosave_lock_ && QFileInfo::exists(autosave_lock_->fileName())) return;
    autosave_lock_.reset();
    autosave_lock_ = taken(autosave_->path());
}

void Project::autosave_to(const fs::path& file) {
    autosave_ = std::make_unique<FileSaver>(file);
    connect(autosave_.get(), &FileSaver::failed, this, [this](quint64, const Issue& issue) {
        autosave_issue_ = issue;
        set_issue(issue);
    });
    connect(autosave_.get(), &FileSaver::saved, this, &Project::end_autosave_issue);
}

/// One that comes again is told again.
void Project::end_autosave_issue() {
    const Issue ended = std::exchange(autosave_issue_, {});
    if (!ended.isEmpty() && issue_ == ended) set_issue(lock_.issue());
}

void Project::write_autosave(bool kept) {
    if (!is_modified()) return drop_autosave();
    begin_autosave();
    const Json json{{"path", path_.toStdString()},
                    {"saved", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()},
                    {"kept", kept},
                    {"project", to_json({})}};
    autosave_->save([folder = autosave_folder(), text = json.dump() + "\n"] {
        made_folder(folder);
        return text;
    });
}

bool Project::keep_for_next_start() {
    timer_->stop();
    ends_ = true;
    write_autosave(true);
    return !autosave_ || autosave_->flush();
}

void Project::leave_older_autosave() {
    if (!autosave_) return;
    fs::path older = autosave_->path();
    std::error_code code;
    fs::rename(autosave_->path(), older.replace_extension() += older_ending, code);
}

void Project::drop_autosave() {
    timer_->stop();
    if (!autosave_) return;
    const fs::path file = autosave_->path();
    autosave_->discard();
    autosave_.reset(); // ends what was being written
    std::error_code code;
    fs::remove(file, code);
    autosave_lock_.reset();
    end_autosave_issue();
}

QList<Project::Recovery> Project::recoverable() {
    QList<Recovery> out;
    std::error_code code;
    for (const auto& item : entries_of(autosave_folder(), code)) {
        if (item.path().extension() != ".json") continue;
        if (!taken(item.path())) continue; // its studio runs
        if (const auto recovery = described(item.path())) out << *recovery;
    }
    std::sort(out.begin(), out.end(), [](const Recovery& a, const Recovery& b) { return a.saved > b.saved; });
    return out;
}

void Project::recover(const Recovery& recovery) {
    fs::path file = to_path(recovery.autosave);
    std::unique_ptr<QLockFile> lock = taken(file);
    if (!lock) throw Error(file.string(), {}, "another studio has it", "choose another one");
    const Json json = parse_json(read_text(file, most_project_bytes), file.string());
    if (!json.is_object() || !json.contains("project"))
        throw Error(file.string(), {}, "is no autosave", "open the project itself");
    ProjectContent content = project_from_json(json["project"], file, {});
    ProjectLock project_lock;
    if (!recovery.path.isEmpty()) project_lock = ProjectLock::take(recovery.path, lock_);
    drop_autosave();
    if (recovery.older) { // from now on it is as new as any
        fs::path plain = file;
        plain.replace_extension().replace_extension(".json");
        std::error_code code;
        std::unique_ptr<QLockFile> own = taken(plain); // unless a newer one, or another studio's, is there
        if (own && !fs::exists(plain, code) && !code) {
            fs::rename(file, plain, code);
            if (!code) lock = std::move(own), file = plain;
        }
    }
    take_over(std::move(content.shots), std::move(content.request), std::move(content.extra));
    set_path(recovery.path, std::move(project_lock));
    dirty_ = true;
    autosave_lock_ = std::move(lock);
    autosave_to(file);
    note_modified();
    set_issue(lock_.issue());
    touch();
}

void Project::discard(const Recovery& recovery) {
    const fs::path file = to_path(recovery.autosave);
    if (!taken(file)) return;
    std::error_code code;
    fs::remove(file, code);
}

} // namespace denoir::app
