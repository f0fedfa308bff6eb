// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/found.h"

#include <QFileInfo>

#include <utility>

#include "app/base/folder.h"
#include "app/base/issue.h"
#include "app/base/text.h"
#include "app/clips/clip_kind.h"
#include "app/project/project.h"
#include "app/project/project_json.h"
#include "app/runs/run_history.h"
#include "engine/compare/trace_compare.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/session/request_json.h"
#include "engine/session/sweep_folder.h"
#include "engine/weights/inspect.h"

namespace denoir::app {
namespace {

using Kind = Found::Kind;

constexpr std::size_t most_json = 16 << 20; // bytes

/// The source of a request in a file, whose relative paths begin at the file's folder.
RequestSource source_of(const QString& file) { return {file.toStdString(), to_path(QFileInfo(file).absolutePath())}; }

/// Reads a sweep's own file or one with axes. Returns false if it is neither. Throws Error if it is no JSON.
bool read_sweep(Found& found) {
    const RequestSource source = source_of(found.path);
    const Json json = parse_json(read_text(to_path(found.path), most_json), source.file);
    if (!json.is_object() || !json.contains("axes")) return false;
    if (json.contains("cells")) {
        found.kind = Kind::sweep;
        found.path = QFileInfo(found.path).absolutePath();
        return true;
    }
    Sweep sweep = sweep_from_json(json, source);
    make_paths_absolute(sweep.request);
    found.kind = Kind::axes;
    found.request = std::move(sweep.request);
    found.axes = std::move(sweep.axes);
    return true;
}

void read_json(Found& found) {
    if (read_sweep(found)) return;
    apply_request_file(found.request, to_path(found.path));
    make_paths_absolute(found.request);
    found.kind = Kind::request;
}

/// Reads a run. One whose record is damaged is still a run, as it can be shown beside another.
void read_run(Found& found) {
    found.kind = Kind::run;
    try {
        found.request = RunHistory::record(found.path).request;
    } catch (const Error& error) {
        found.refusal = Issue::from(error).line();
    }
}

/// Tells models, LoRAs and traces apart. Throws Error for a broken file, as its folder should not be watched for
/// models.
void read_weights(Found& found, const QFileInfo& info) {
    found.kind = Kind::models;
    if (info.isDir()) return;
    if (is_trace(to_path(found.path))) {
        found.kind = Kind::trace;
        return;
    }
    const bool lora = inspect(to_path(found.path)).variant == "lora";
    if (lora && info.suffix().toLower() == QLatin1String("safetensors")) found.kind = Kind::lora;
}

void read(Found& found, const QFileInfo& info) {
    if (Project::is_project(found.path)) {
        found.project = std::make_shared<ProjectContent>(read_project(found.path));
        found.kind = Kind::project;
        return;
    }
    if (info.isFile() && info.suffix().toLower() == QLatin1String("json")) return read_json(found);
    switch (clip_kind(found.path)) {
    case ClipKind::run:
        return read_run(found);
    case ClipKind::model:
        return read_weights(found, info);
    case ClipKind::sweep:
        found.kind = Kind::sweep;
        return;
    case ClipKind::still:
        found.kind = Kind::still;
        return;
    case ClipKind::video:
    case ClipKind::frames:
    case ClipKind::other:
        found.kind = Kind::clip;
        return;
    }
}

} // namespace

Found look_at(const QString& path) {
    Found found;
    try {
        const QFileInfo info(path);
        found.path = info.absoluteFilePath();
        // Without a slash at the end it has a name.
        while (found.path.size() > 1 && found.path.endsWith(QLatin1Char('/'))) found.path.chop(1);
        if (info.exists()) read(found, info);
    } catch (...) {
        found.kind = Kind::refused;
        found.refusal = Issue::from_current_exception().line();
    }
    return found;
}

bool is_clip(Found::Kind kind) { return kind == Kind::run || kind == Kind::still || kind == Kind::clip; }

} // namespace denoir::app
