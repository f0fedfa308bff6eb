// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/opener.h"

#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QTimer>

#include <algorithm>
#include <utility>

#include "app/base/background.h"
#include "app/base/issue.h"
#include "app/base/text.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/sweep/sweep_document.h"
#include "engine/core/error.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/request_json.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/menu_heading.h"

namespace denoir::ui {

using app::Found;

namespace {

constexpr int said_after_ms = 500; // looking takes longer than that only on a slow disk

QStringList paths_of(const std::vector<Found>& found) {
    QStringList paths;
    for (const Found& each : found) paths << each.path;
    return paths;
}

} // namespace

Opener::Opener(app::RequestDocument& document, app::SweepDocument& sweeps, Banners& banners, QWidget& window)
    : QObject(&window), document_(document), sweeps_(sweeps), banners_(banners), window_(window) {
    pool_.setMaxThreadCount(1); // so that files are opened in the order of the calls
}

void Opener::refuse(const QString& why) {
    if (refused_) return refused_->append(why);
    banners_.show_banner(QStringLiteral("open"), Banners::Kind::error, why, {}, 20);
}

template <class Work, class Use> void Opener::ask(const QString& name, Work work, Use use) {
    tell_if_slow(++asked_, name);
    app::run_then(
        this, std::move(work),
        [this, use = std::move(use)](const auto& found) {
            ++answered_;
            use(found);
        },
        &pool_);
}

void Opener::tell_if_slow(int number, const QString& name) {
    QTimer::singleShot(said_after_ms, this, [this, number, name] {
        if (answered_ < number) emit said(tr("Looking at %1 …").arg(name));
    });
}

void Opener::look(const QStringList& paths, std::function<void(const std::vector<Found>&)> use) {
    if (paths.isEmpty()) return;
    const auto look_at_all = [paths, end = end_.get_token()] {
        std::vector<Found> found;
        for (const QString& path : paths)
            if (!end.stop_requested()) found.push_back(app::look_at(path));
        return found;
    };
    ask(QDir(paths.constFirst()).dirName(), look_at_all, std::move(use));
}

void Opener::open(const QString& path) {
    look({path}, [this](const std::vector<Found>& found) { take_each(found); });
}

void Opener::open_all(const QStringList& paths, bool compares, std::function<void()> otherwise) {
    look(paths, [this, compares, otherwise = std::move(otherwise)](const std::vector<Found>& found) {
        const auto shows = [](const Found& each) { return app::is_clip(each.kind); };
        const auto is_shown = [&](const Found& each) { return shows(each) && each.refusal.isEmpty(); };
        if (otherwise && std::none_of(found.begin(), found.end(), is_shown)) otherwise();
        if (compares && found.size() == 2 && std::all_of(found.begin(), found.end(), shows))
            return emit pair_chosen(found[0].path, found[1].path);
        take_each(found);
    });
}

void Opener::take_dropped(const QStringList& files, const QPoint& where) {
    look(files, [this, where](const std::vector<Found>& found) {
        if (found.size() == 1 && found[0].kind == Found::Kind::still) return ask_what_it_is(found[0].path, where);
        take_together(found);
    });
}

void Opener::take_dropped_on(app::Side side, const QStringList& files, const QPoint& where) {
    look(files, [this, side, where](const std::vector<Found>& found) {
        const auto is_still = [](const Found& each) { return each.kind == Found::Kind::still; };
        if (found.size() == 2 && app::is_clip(found[0].kind) && app::is_clip(found[1].kind) && !is_still(found[0])) {
            emit side_chosen(app::Side::a, found[0].path);
            emit side_chosen(app::Side::b, found[1].path);
        } else if (found.size() != 1) {
            take_together(found);
        } else if (is_still(found[0])) {
            ask_what_it_is(found[0].path, where);
        } else if (!app::is_clip(found[0].kind) || (found[0].kind == Found::Kind::run && side == app::Side::a)) {
            take_each(found);
        } else {
            emit side_chosen(side, found[0].path);
        }
    });
}

void Opener::take_each(const std::vector<Found>& found) {
    refused_.emplace();
    for (const Found& each : found) take(each);
    const QStringList refused = std::exchange(refused_, {}).value_or(QStringList());
    if (refused.size() == 1) refuse(refused[0]);
    if (refused.size() > 1)
        refuse(tr("%n file(s) could not be opened: %1", nullptr, int(refused.size()))
                   .arg(refused.join(QStringLiteral("  ·  "))));
}

void Opener::take(const Found& found) {
    if (!found.refusal.isEmpty()) return refuse(found.refusal);
    switch (found.kind) {
    case Found::Kind::nothing:
        return refuse(tr("%1: there is no such file or folder").arg(found.path));
    case Found::Kind::refused:
        return; // the reason has been said
    case Found::Kind::project:
        return emit project_chosen(found.path, found.project);
    case Found::Kind::request:
        return take_request(found);
    case Found::Kind::axes:
        return take_axes(found);
    case Found::Kind::sweep:
        return show_sweep(found.path);
    case Found::Kind::run:
        emit run_chosen(found.path);
        return offer_request(app::to_qstring(to_json(found.request).dump()), found.path);
    case Found::Kind::trace:
        return emit traces_chosen({found.path});
    case Found::Kind::lora:
        return emit loras_chosen({found.path});
    case Found::Kind::models:
        return watch(found.path);
    case Found::Kind::still:
    case Found::Kind::clip:
        return emit clip_chosen(found.path);
    }
}

/// Restores the request of a file, which may be a branch.
void Opener::restore(const Request& request) {
    if (request.start)
        document_.restore_branch(request, tr("Open request"));
    else
        document_.restore(request, tr("Open request"));
}

void Opener::take_request(const Found& found) {
    restore(found.request);
    emit said(tr("The request of %1 is in the parameters.").arg(QFileInfo(found.path).fileName()));
}

void Opener::take_axes(const Found& found) {
    const QString name = QFileInfo(found.path).fileName();
    emit sweep_found();
    restore(found.request);
    sweeps_.axes().set_all(app::SweepAxes::texts_of(found.axes), tr("open the axes of %1").arg(name));
    emit said(tr("The axes of %1 are above, its request is in the parameters.").arg(name));
}

void Opener::show_sweep(const QString& folder) {
    emit sweep_found();
    sweeps_.open(folder);
    emit sweep_opened();
}

void Opener::watch(const QString& models) {
    const QFileInfo info(models);
    emit models_chosen(models);
    emit said(tr("%1 is watched for models.").arg(info.isDir() ? models : info.absolutePath()));
}

void Opener::offer_request(const QString& request, const QString& path) {
    const QString file = QFileInfo(path).fileName();
    // A run is named by its title, as nobody has chosen the name of its folder. Empty if nothing is to be offered.
    const auto name_of_it = [path, file] {
        if (!is_run_folder(app::to_path(path))) return file;
        if (app::RunHistory::is_own_folder(path)) return QString();
        return tr("“%1”").arg(app::shortened(app::RunHistory::title(path), 60));
    };
    ask(file, name_of_it, [this, request, path](const QString& name) {
        if (!name.isEmpty()) show_offer(request, path, name);
    });
}

void Opener::show_offer(const QString& request, const QString& path, const QString& name) {
    banners_.show_banner(QStringLiteral("request"), Banners::Kind::info,
                         tr("%1 was made by Denoir and carries its request.").arg(name),
                         {{tr("Restore it"), [this, request, path] { restore_made(request, path); }}}, 60);
}

void Opener::restore_made(const QString& request, const QString& path) {
    try {
        const RequestSource source{path.toStdString(), app::to_path(QFileInfo(path).absolutePath())};
        document_.restore_made(request_from_json(parse_json(request.toStdString(), source.file), source),
                               tr("Restore request"));
    } catch (const Error& error) {
        emit said(app::Issue::from(error).line());
    }
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

void Opener::take_together(const std::vector<Found>& found) {
    std::vector<Found> clips, others;
    QStringList traces, loras;
    for (const Found& each : found) {
        if (each.kind == Found::Kind::trace)
            traces << each.path;
        else if (each.kind == Found::Kind::lora)
            loras << each.path;
        else
            (app::is_clip(each.kind) ? clips : others).push_back(each);
    }
    take_each(others);
    if (!traces.isEmpty()) emit traces_chosen(traces);
    if (!loras.isEmpty()) emit loras_chosen(loras);
    take_clips(clips);
}

void Opener::take_clips(const std::vector<Found>& clips) {
    const auto is_still = [](const Found& each) { return each.kind == Found::Kind::still; };
    if (clips.size() == 2 && std::all_of(clips.begin(), clips.end(), is_still)) {
        emit start_chosen(clips[0].path);
        emit end_chosen(clips[1].path);
        emit said(tr("%1 is the start image, %2 the end image.")
                      .arg(QFileInfo(clips[0].path).fileName(), QFileInfo(clips[1].path).fileName()));
    } else if (clips.size() == 2) {
        emit pair_chosen(clips[0].path, clips[1].path);
    } else if (clips.size() > 2) {
        emit shots_chosen(paths_of(clips));
    } else {
        take_each(clips);
    }
}

} // namespace denoir::ui
