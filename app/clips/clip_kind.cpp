// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/clip_kind.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

#include "app/base/folder.h"
#include "app/base/text.h"
#include "engine/core/error.h"
#include "engine/media/frames.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/sweep_folder.h"

namespace denoir::app {
namespace {

constexpr int most_looked_at = 200; ///< folders in a folder

/// Whether a folder holds weights, or a file that describes a model.
bool holds_model(const QString& folder) {
    static const QStringList names{QStringLiteral("*.safetensors"), QStringLiteral("*.pth"), QStringLiteral("*.gguf"),
                                   QStringLiteral("config.json"), QStringLiteral("model_index.json")};
    return !QDir(folder).entryList(names, QDir::Files).isEmpty();
}

bool holds_pictures(const QString& folder) {
    const QStringList files = QDir(folder).entryList(QDir::Files);
    return std::any_of(files.begin(), files.end(), [](const QString& name) { return is_frame_name(to_path(name)); });
}

ClipKind kind_of_folder(const QString& folder) {
    const auto holds = [&](const char* file) { return QFileInfo(file_in(folder, file)).isFile(); };
    if (holds(SweepFolder::record_name)) return ClipKind::sweep;
    if (holds(run_file::record)) return ClipKind::run;
    if (holds_model(folder)) return ClipKind::model;
    if (holds_pictures(folder)) return ClipKind::frames;
    const QFileInfoList below = QDir(folder).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot).mid(0, most_looked_at);
    const bool of_models =
        std::any_of(below.begin(), below.end(), [](const QFileInfo& each) { return holds_model(each.filePath()); });
    return of_models ? ClipKind::model : ClipKind::frames;
}

bool is_still(const std::filesystem::path& path) {
    try {
        return image_info(path).format != "GIF";
    } catch (const Error&) { // damaged, or only its beginning is that of a picture
    }
    try {
        return is_picture(path);
    } catch (const Error&) {
        return false;
    }
}

} // namespace

ClipKind kind_by_name(const QString& path) {
    const QString ending = QFileInfo(path).suffix().toLower(); // does not ask the disk
    for (const char* weights : {"safetensors", "gguf", "pth"})
        if (ending == QLatin1String(weights)) return ClipKind::model;
    for (const char* other : {"denoir", "json"})
        if (ending == QLatin1String(other)) return ClipKind::other;
    return ending != QLatin1String("gif") && is_frame_name(to_path(path)) ? ClipKind::still : ClipKind::video;
}

ClipKind clip_kind(const QString& path) {
    const QFileInfo info(path);
    if (info.isDir()) return kind_of_folder(path);
    if (!info.isFile()) return ClipKind::other;
    const ClipKind named = kind_by_name(path);
    if (named == ClipKind::model || named == ClipKind::other) return named;
    return is_still(to_path(path)) ? ClipKind::still : ClipKind::video;
}

bool is_clip(ClipKind kind) {
    return kind == ClipKind::run || kind == ClipKind::video || kind == ClipKind::still || kind == ClipKind::frames;
}

} // namespace denoir::app
