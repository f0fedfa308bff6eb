// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_trash.h"

#include <QDateTime>
#include <algorithm>
#include <string>

#include "app/base/text.h"
#include "engine/core/file.h"
#include "engine/core/own_folders.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

/// The time of removal in a name in the trash, in milliseconds; -1 if the name has none.
qint64 trashed_at(const QString& name) {
    bool good = false;
    const qint64 time = name.section(QLatin1Char('-'), 0, 0).toLongLong(&good);
    return good && name.contains(QLatin1Char('-')) ? time : -1;
}

/// The name of the run folder, from its name in the trash.
QString own_name(const QString& name) { return name.section(QLatin1Char('-'), 1); }

bool names_one_of(const QStringList& runs, const QString& name) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const QString& run) { return run.section(QLatin1Char('/'), -1) == own_name(name); });
}

} // namespace

/// The last one is that of older versions, which is only emptied; the first one is in use.
std::vector<fs::path> RunTrash::folders() const {
    std::vector<fs::path> folders{data_folder() / "trash"};
    if (!runs_.empty()) folders.insert(folders.begin(), runs_ / ".trash");
    return folders;
}

std::vector<fs::path> RunTrash::content() const {
    std::error_code code;
    std::vector<fs::path> all;
    for (const fs::path& folder : folders())
        for (const auto& entry : entries_of(folder, code)) all.push_back(entry.path());
    return all;
}

void RunTrash::begin() {
    std::error_code code;
    fs::create_directories(folders().front(), code);
    removal_ = std::max(QDateTime::currentMSecsSinceEpoch(), removal_ + 1);
}

fs::path RunTrash::put(const fs::path& entry, std::error_code& code) {
    const fs::path place = folders().front() / (std::to_string(removal_) + "-" + entry.filename().string());
    fs::rename(entry, place, code);
    return place;
}

std::vector<RunTrash::Removed> RunTrash::restorable() const {
    std::error_code code;
    std::vector<Removed> all;
    for (const fs::path& item : content()) {
        const QString name = to_qstring(item.filename());
        const qint64 time = trashed_at(name);
        const fs::path entry = runs_ / to_path(own_name(name));
        if (time >= 0 && !fs::exists(fs::symlink_status(entry, code))) all.push_back({item, entry, time});
    }
    return all;
}

QStringList RunTrash::restore() {
    const std::vector<Removed> all = restorable();
    const auto newest = std::ranges::max_element(all, {}, &Removed::time);
    QStringList back;
    for (const auto& [item, entry, time] : all) {
        if (time != newest->time) continue;
        std::error_code code;
        fs::rename(item, entry, code);
        if (!code) back << to_qstring(entry);
    }
    return back;
}

std::vector<fs::path> RunTrash::older_than(int days, const QStringList& but) const {
    const qint64 limit = QDateTime::currentMSecsSinceEpoch() - qint64(days) * 24 * 3600 * 1000;
    std::vector<fs::path> old;
    for (const fs::path& item : content()) {
        const QString name = to_qstring(item.filename());
        const qint64 time = trashed_at(name);
        if (time >= 0 && time <= limit && !names_one_of(but, name)) old.push_back(item);
    }
    return old;
}

} // namespace denoir::app
