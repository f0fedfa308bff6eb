// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/opener.h"

#include <QFileInfo>
#include <QMenu>

#include <algorithm>
#include <utility>

#include "app/base/folder.h"
#include "app/base/issue.h"
#include "app/base/text.h"
#include "app/clips/clip_kind.h"
#include "app/compare/layer_comparison.h"
#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/sweep/sweep_document.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/request_json.h"
#include "engine/session/sweep.h"
#include "engine/session/sweep_folder.h"
#include "engine/weights/inspect.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/menu_heading.h"

namespace denoir::ui {

namespace {

constexpr std::size_t most_json = 16 << 20; // bytes

bool is_json(const QFileInfo& info) { return info.isFile() && info.suffix().toLower() == QLatin1String("json"); }
bool is_still(const QString& file) { return app::clip_kind(file) == app::ClipKind::still; }

/// Of one file; a damaged one is none.
bool is_lora(const QFileInfo& info) {
    if (!info.isFile() || info.suffix().toLower() != QLatin1String("safetensors")) return false;
    try {
        return inspect(app::to_path(info.filePath())).variant == "lora";
    } catch (const Error&) {
        return false;
    }
}

/// A file of weights that holds a trace.
bool is_trace(const QFileInfo& info, app::ClipKind kind) {
    return info.isFile() && kind == app::ClipKind::model && app::LayerComparison::is_trace(info.filePath());
}

/// Beside the file that names it.
RequestSource source_of(const QString& file) {
    return {file.toStdString(), app::to_path(QFileInfo(file).absolutePath())};
}

} // namespace

Opener::Opener(app::RequestDocument& document, app::SweepDocument& sweeps, Banners& banners, QWidget& window)
    : QObject(&window), document_(document), sweeps_(sweeps), banners_(banners), window_(window) {}

void Opener::refuse(const QString& why) {
    if (refused_) return refused_->append(why);
    banners_.show_banner(QStringLiteral("open"), Banners::Kind::error, why, {}, 20);
}

void Opener::open_all(const QStringList& paths, bool compares) {
    const auto shows = [](const QString& path) { return app::is_clip(app::clip_kind(path)); };
    if (compares && paths.size() == 2 && std::all_of(paths.begin(), paths.end(), shows))
        return emit pair_chosen(QFileInfo(paths[0]).absoluteFilePath(), QFileInfo(paths[1]).absoluteFilePath());
    open_each(paths);
}

void Opener::open_each(const QStringList& paths) {
    refused_.emplace();
    for (const QString& path : paths) open(path);
    const QStringList refused = std::exchange(refused_, {}).value();
    if (refused.size() == 1) refuse(refused[0]);
    if (refused.size() > 1)
        refuse(tr("%n file(s) could not be opened: %1", nullptr, int(refused.size()))
                   .arg(refused.join(QStringLiteral("  ·  "))));
}

void Opener::open(const QString& path) {
    const QFileInfo info(path);
    if (!info.exists()) return refuse(tr("%1: there is no such file or folder").arg(path));
    const QString full = info.absoluteFilePath();
    if (open_sweep(full)) return;
    if (info.isFile() && (info.suffix() == QLatin1String("denoir") || app::Project::is_project(full)))
        return emit project_chosen(full);
    if (is_json(info)) return open_request(full);
    const app::ClipKind kind = app::clip_kind(full);
    if (kind == app::ClipKind::run) {
        try {
            const Request made = app::RunHistory::record(full).request;
            emit run_chosen(full);
            offer_request(app::to_qstring(to_json(made).dump()), full);
        } catch (const Error& error) {
            refuse(app::Issue::from(error).line());
        }
        return;
    }
    if (is_trace(info, kind)) return emit traces_chosen({full});
    if (is_lora(info)) return emit loras_chosen({full});
    if (kind != app::ClipKind::model) return emit clip_chosen(full);
    try {
        if (info.isFile()) (void)inspect(app::to_path(full)); // a broken one is no reason to watch its folder
    } catch (const Error& error) {
        return refuse(app::Issue::from(error).line());
    }
    emit models_chosen(full);
    emit said(tr("%1 is watched for models.").arg(info.isDir() ? full : info.absolutePath()));
}

/// What a file says, a branch too.
void Opener::take(Request request) {
    make_paths_absolute(request);
    if (request.start)
        document_.restore_branch(request, tr("Open request"));
    else
        document_.restore(request, tr("Open request"));
}

void Opener::open_request(const QString& path) {
    try {
        Request request;
        apply_request_file(request, app::to_path(path));
        take(std::move(request));
        emit said(tr("The request of %1 is in the parameters.").arg(QFileInfo(path).fileName()));
    } catch (const Error& error) {
        refuse(app::Issue::from(error).line());
    }
}

bool Opener::open_sweep(const QString& path) {
    const QFileInfo info(path);
    if (is_json(info)) return open_sweep_file(path);
    if (!info.isDir() || !QFileInfo(app::file_in(path, SweepFolder::record_name)).isFile()) return false;
    emit sweep_found();
    show_sweep(path);
    return true;
}

void Opener::show_sweep(const QString& folder) {
    sweeps_.open(folder);
    emit sweep_opened();
}

bool Opener::open_sweep_file(const QString& path) {
    const QFileInfo info(path);
    try {
        const RequestSource source = source_of(path);
        const Json json = parse_json(read_text(app::to_path(path), most_json), source.file);
        if (!json.is_object() || !json.contains("axes")) return false;
        emit sweep_found();
        if (json.contains("cells")) {
            show_sweep(info.absolutePath());
            return true;
        }
        const Sweep sweep = sweep_from_json(json, source);
        take(sweep.request);
        sweeps_.axes().set_all(app::SweepAxes::texts_of(sweep.axes), tr("open the axes of %1").arg(info.fileName()));
        emit said(tr("The axes of %1 are above, its request is in the parameters.").arg(info.fileName()));
    } catch (const Error& error) {
        if (error.file().empty()) return false;
        refuse(app::Issue::from(error).line());
    }
    return true;
}

void Opener::offer_request(const QString& request, const QString& path) {
    const bool run = is_run_folder(app::to_path(path));
    if (run && app::RunHistory::is_own_folder(path)) return; // the list of runs restores it
    const auto restore = [this, request, path] {
        try {
            const RequestSource source = source_of(path);
            document_.restore_made(request_from_json(parse_json(request.toStdString(), source.file), source),
                                   tr("Restore request"));
        } catch (const Error& error) {
            emit said(app::Issue::from(error).line());
        }
    };
    // Folders of runs have names that nobody gave them.
    const QString name =
        run ? tr("“%1”").arg(app::shortened(app::RunHistory::title(path), 60)) : QFileInfo(path).fileName();
    banners_.show_banner(QStringLiteral("request"), Banners::Kind::info,
                         tr("%1 was made by Denoir and carries its request.").arg(name), {{tr("Restore it"), restore}},
                         60);
}

void Opener::ask_what_it_is(const QString& picture, const QPoint& where) {
    QMenu menu(&window_);
    add_heading(menu, QFileInfo(picture).fileName());
    menu.addSeparator();
    menu.addAction(tr("Start image"), this, [this, picture] { emit start_chosen(picture); });
    menu.addAction(tr("End image"), this, [this, picture] { emit end_chosen(picture); });
    menu.addAction(tr("A shot of the cut"), this, [this, picture] { emit shots_chosen({picture}); });
    menu.addAction(tr("Only look at it"), this, [this, picture] { emit clip_chosen(picture); });
    menu.exec(where);
}

void Opener::take_dropped(const QStringList& files, const QPoint& where) {
    if (files.size() == 1 && is_still(files[0])) return ask_what_it_is(files[0], where);
    open_together(files);
}

void Opener::open_together(const QStringList& files) {
    QStringList traces, loras, clips, others;
    for (const QString& file : files) {
        const QFileInfo info(file);
        const app::ClipKind kind = app::clip_kind(file);
        if (is_trace(info, kind))
            traces.append(info.absoluteFilePath());
        else if (kind == app::ClipKind::model && is_lora(info))
            loras.append(info.absoluteFilePath());
        else if (app::is_clip(kind))
            clips.append(file);
        else
            others.append(file);
    }
    open_each(others);
    if (!traces.isEmpty()) emit traces_chosen(traces);
    if (!loras.isEmpty()) emit loras_chosen(loras);
    open_clips(clips);
}

void Opener::open_clips(const QStringList& clips) {
    if (clips.size() == 2 && std::all_of(clips.begin(), clips.end(), is_still)) {
        emit start_chosen(clips[0]);
        emit end_chosen(clips[1]);
        emit said(tr("%1 is the start image, %2 the end image.")
                      .arg(QFileInfo(clips[0]).fileName(), QFileInfo(clips[1]).fileName()));
    } else if (clips.size() == 2) {
        emit pair_chosen(clips[0], clips[1]);
    } else if (clips.size() > 2) {
        emit shots_chosen(clips);
    } else if (clips.size() == 1) {
        open(clips[0]);
    }
}

} // namespace denoir::ui
