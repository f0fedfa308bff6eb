// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QUrl>

#include <algorithm>
#include <utility>

#include "app/base/text.h"
#include "app/clips/clip_kind.h"
#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "engine/core/error.h"
#include "engine/session/request_json.h"
#include "engine/weights/inspect.h"
#include "ui/docks/images_panel.h"
#include "ui/docks/models_panel.h"
#include "ui/docks/parameters_panel.h"
#include "ui/layers/layers_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/drop.h"
#include "ui/window/docks.h"
#include "ui/window/main_window.h"
#include "ui/window/project_files.h"

namespace denoir::ui {

namespace {

/// Of one file; a damaged one is none.
bool is_lora(const QFileInfo& info) {
    if (!info.isFile() || info.suffix().toLower() != QLatin1String("safetensors")) return false;
    try {
        return inspect(app::to_path(info.filePath())).variant == "lora";
    } catch (const Error&) {
        return false;
    }
}

} // namespace

void MainWindow::open_paths(const QStringList& paths) {
    // Two things to look at, in the layout for two: A and B.
    if (paths.size() == 2 && layouts_->current() == Layout::compare && is_clip(app::clip_kind(paths[0])) &&
        is_clip(app::clip_kind(paths[1])))
        return compare(QFileInfo(paths[0]).absoluteFilePath(), QFileInfo(paths[1]).absoluteFilePath());
    for (const QString& path : paths) open_path(path);
}

void MainWindow::open_path(const QString& path) {
    const QFileInfo info(path);
    if (!info.exists())
        return banners_->show_banner(QStringLiteral("open"), Banners::Kind::error,
                                     tr("%1: there is no such file or folder").arg(path), {}, 20);
    const QString full = info.absoluteFilePath();
    if (open_sweep(full)) return;
    if (info.isFile() && (info.suffix() == QLatin1String("denoir") || app::Project::is_project(full)))
        return files_->open(full);
    if (info.isFile() && info.suffix().toLower() == QLatin1String("json")) {
        try {
            Request request;
            apply_request_file(request, app::to_path(full));
            make_paths_absolute(request);
            studio_.document.restore(request, tr("Open request"));
            say(tr("The request of %1 is in the parameters.").arg(info.fileName()));
        } catch (const Error& error) {
            banners_->show_banner(QStringLiteral("open"), Banners::Kind::error, app::Issue::from(error).line(), {}, 20);
        }
        return;
    }
    const app::ClipKind kind = app::clip_kind(full);
    if (kind == app::ClipKind::run) {
        try {
            app::RunHistory::record(full);
        } catch (const Error& error) {
            return banners_->show_banner(QStringLiteral("open"), Banners::Kind::error, app::Issue::from(error).line(),
                                         {}, 20);
        }
        leave_tune();
        return show_run(full);
    }
    const bool model = kind == app::ClipKind::model;
    if (info.isFile() && model && app::LayerComparison::is_trace(full)) {
        show_layers();
        return layers_panel_->take_files({full});
    }
    if (is_lora(info)) return take_loras({full});
    if (model) {
        models_->take(full);
        docks_->reveal("models-dock");
        return say(tr("%1 is watched for models.").arg(info.isDir() ? full : info.absolutePath()));
    }
    show_file(full);
}

void MainWindow::take_loras(const QStringList& files) {
    parameters_->take_loras(files);
    docks_->reveal("parameters-dock");
    say(tr("%n LoRA(s) put into the parameters.", nullptr, int(files.size())));
}

void MainWindow::show_file(const QString& path) {
    leave_tune();
    timeline_->set_playing(false);
    look_away();
    preview_->show_overlay({}, {});
    preview_->show_clip(app::Side::a, path, true);
}

void MainWindow::offer_request(const QString& request, const QString& path) {
    banners_->show_banner(
        QStringLiteral("request"), Banners::Kind::info,
        tr("%1 was made by Denoir and carries its request.").arg(QFileInfo(path).fileName()),
        {{tr("Restore it"),
          [this, request, path] {
              try {
                  const RequestSource source{path.toStdString(), app::to_path(QFileInfo(path).absolutePath())};
                  studio_.document.restore_made(
                      request_from_json(parse_json(request.toStdString(), source.file), source), tr("Restore request"));
              } catch (const Error& error) {
                  say(app::Issue::from(error).line());
              }
          }}},
        60);
}

void MainWindow::ask_start_or_end(const QString& picture, const QPoint& where) {
    QMenu menu(this);
    menu.addSection(QFileInfo(picture).fileName());
    menu.addAction(tr("Start image"), this, [this, picture] {
        images_->take(ImagesPanel::Side::start, {picture, {}});
    });
    menu.addAction(tr("End image"), this, [this, picture] { images_->take(ImagesPanel::Side::last, {picture, {}}); });
    menu.addAction(tr("A shot of the cut"), this, [this, picture] { timeline_->add_files({picture}); });
    menu.addAction(tr("Only look at it"), this, [this, picture] { show_file(picture); });
    menu.exec(where);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) return take_copy(*event);
}

void MainWindow::dropEvent(QDropEvent* event) {
    take_copy(*event);
    const QStringList files = dropped_files(*event->mimeData());
    if (files.size() == 1 && app::clip_kind(files[0]) == app::ClipKind::still)
        return ask_start_or_end(files[0], mapToGlobal(event->position().toPoint()));
    take_dropped(files);
}

/// Traces are compared, LoRAs put into the request; two pictures are the ends of a clip, two clips are compared, more
/// of them are shots. None is left out.
void MainWindow::take_dropped(const QStringList& files) {
    QStringList traces, loras, clips;
    for (const QString& file : files) {
        const QFileInfo info(file);
        const app::ClipKind kind = app::clip_kind(file);
        const bool weights = info.isFile() && kind == app::ClipKind::model;
        if (weights && app::LayerComparison::is_trace(info.filePath()))
            traces.append(info.absoluteFilePath());
        else if (weights && is_lora(info))
            loras.append(info.absoluteFilePath());
        else if (is_clip(kind))
            clips.append(file);
        else
            open_path(file);
    }
    if (!traces.isEmpty()) {
        show_layers();
        layers_panel_->take_files(traces);
    }
    if (!loras.isEmpty()) take_loras(loras);
    const auto can_be_an_end = [](const QString& file) { return app::clip_kind(file) == app::ClipKind::still; };
    if (clips.size() == 2 && std::all_of(clips.begin(), clips.end(), can_be_an_end)) {
        images_->take(ImagesPanel::Side::start, {clips[0], {}});
        images_->take(ImagesPanel::Side::last, {clips[1], {}});
        say(tr("%1 is the start image, %2 the end image.")
                .arg(QFileInfo(clips[0]).fileName(), QFileInfo(clips[1]).fileName()));
    } else if (clips.size() == 2) {
        compare(clips[0], clips[1]);
    } else if (clips.size() > 2) {
        timeline_->add_files(clips);
    } else if (clips.size() == 1) {
        open_path(clips[0]);
    }
}

} // namespace denoir::ui
