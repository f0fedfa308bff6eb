// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/autosave.h"

#include <QFileInfo>
#include <QLockFile>
#include <algorithm>
#include <utility>

#include "app/base/text.h"
#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/core/json_fields.h"
#include "engine/core/own_folders.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

fs::path autosave_folder() { return data_place() / "autosave"; }

/// Marks an autosave that lacks later changes. The mark is part of the name, as a full disk still allows renaming.
constexpr const char* older_ending = ".older.json";

QString lock_name(const fs::path& autosave) { return to_qstring(autosave) + QStringLiteral(".lock"); }

std::shared_ptr<QLockFile> taken(const fs::path& autosave) {
    auto lock = std::make_shared<QLockFile>(lock_name(autosave));
    lock->setStaleLockTime(0);
    return lock->tryLock(0) ? std::move(lock) : nullptr;
}

/// The description of an autosave; empty if the file is none.
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

struct Autosave::File {
    fs::path path;
    std::shared_ptr<QLockFile> lock; ///< null if it is not taken yet
};

void Autosave::write(const State& state) {
    if (!file_) file_ = std::make_shared<File>(autosave_folder() / (new_id().toStdString() + ".json"), nullptr);
    disk_.take_back(newest_);
    newest_ = disk_.put([file = file_, state] { write_to(*file, state); },
                        [this, file = file_](const Issue& issue) {
                            if (file != file_) return; // dropped meanwhile
                            good_ = issue.isEmpty();
                            good_ ? emit saved() : emit failed(issue);
                        });
}

void Autosave::write_to(File& file, const State& state) {
    made_folder(file.path.parent_path());
    // The folder may have been removed with the lock in it.
    if (file.lock && !QFileInfo::exists(file.lock->fileName())) file.lock.reset();
    if (!file.lock) file.lock = taken(file.path);
    const Json json{{"path", state.path.toStdString()},
                    {"saved", state.saved.toString(Qt::ISODate).toStdString()},
                    {"kept", state.kept},
                    {"project", to_json(*state.content, {})}};
    write_file(file.path, json.dump() + "\n");
}

void Autosave::drop() {
    if (!file_) return;
    disk_.take_back(std::exchange(newest_, 0));
    disk_.put([file = std::exchange(file_, nullptr)] {
        std::error_code code;
        fs::remove(file->path, code);
        if (file->lock) file->lock->unlock();
    });
    good_ = true;
}

void Autosave::take_over(const Project::Recovery& recovery, const RecoveredProject& recovered) {
    drop();
    file_ = std::make_shared<File>(to_path(recovery.autosave), recovered.lock);
    if (!recovery.older) return;
    disk_.put([file = file_] {
        fs::path plain = file->path;
        plain.replace_extension().replace_extension(".json");
        std::error_code code;
        const auto own = taken(plain); // a newer autosave, or that of another studio, must not be replaced
        if (!own || fs::exists(plain, code) || code) return;
        fs::rename(file->path, plain, code);
        if (code) return;
        file->lock->unlock();
        file->lock = own, file->path = plain;
    });
}

void Autosave::leave_older() {
    if (!file_) return;
    disk_.put([file = file_] {
        fs::path older = file->path;
        std::error_code code;
        fs::rename(file->path, older.replace_extension() += older_ending, code);
    });
}

void Autosave::when_done(const std::function<void(bool)>& then) {
    newest_ = 0; // somebody waits for this write, so a newer one must not take it back
    disk_.put([] {}, [this, then](const Issue&) { then(good_); });
}

bool Autosave::finish() {
    disk_.finish();
    return good_;
}

QList<Project::Recovery> Project::recoverable() {
    QList<Recovery> out;
    std::error_code code;
    for (const auto& item : entries_of(autosave_folder(), code)) {
        if (item.path().extension() != ".json") continue;
        if (!taken(item.path())) continue; // its studio is still running
        if (const auto recovery = described(item.path())) out << *recovery;
    }
    std::sort(out.begin(), out.end(), [](const Recovery& a, const Recovery& b) { return a.saved > b.saved; });
    return out;
}

RecoveredProject Project::read_recovery(const Recovery& recovery) {
    const fs::path file = to_path(recovery.autosave);
    auto lock = taken(file);
    if (!lock) throw Error(file.string(), {}, "another studio has it", "choose another one");
    const Json json = parse_json(read_text(file, most_project_bytes), file.string());
    if (!json.is_object() || !json.contains("project"))
        throw Error(file.string(), {}, "is no autosave", "open the project itself");
    return {project_from_json(json["project"], file, {}), std::move(lock)};
}

void Project::discard(const Recovery& recovery) {
    const fs::path file = to_path(recovery.autosave);
    if (!taken(file)) return;
    std::error_code code;
    fs::remove(file, code);
}

} // namespace denoir::app
