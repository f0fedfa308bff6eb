// SPDX-License-Identifier: GPL-3.0-or-later
// The layout Tune: sweeps.
#include <QAction>
#include <QFileInfo>
#include <QMenu>

#include <algorithm>

#include "app/base/folder.h"
#include "app/base/text.h"
#include "app/exports.h"
#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "engine/core/file.h"
#include "engine/session/sweep.h"
#include "engine/session/sweep_folder.h"
#include "ui/docks/parameters_panel.h"
#include "ui/docks/parameters_text.h"
#include "ui/docks/runs_panel.h"
#include "ui/tune/sweep_bar.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_table.h"
#include "ui/tune/sweep_view.h"
#include "ui/widgets/banner.h"
#include "ui/window/exports.h"
#include "ui/window/main_window.h"

namespace denoir::ui {

using Kind = app::SweepExport;

bool MainWindow::tunes() const { return layouts_ && layouts_->current() == Layout::tune; }

void MainWindow::leave_tune() {
    if (tunes()) layouts_->show(Layout::create);
}

void MainWindow::make_tune_actions() {
    const QString tune = tr("Tune");
    const auto add = [&](const char* id, const QString& text, const char* picture, auto act,
                         const QKeySequence& keys = {}) {
        const QList<QKeySequence> all = keys.isEmpty() ? QList<QKeySequence>() : QList{keys};
        QAction* action = actions_.add(QLatin1String(id), tune, text, all, QLatin1String(picture));
        connect(action, &QAction::triggered, this, [this, act] {
            layouts_->show(Layout::tune);
            act();
        });
    };
    auto& sweeps = studio_.core.sweeps();
    add("tune.axes", tr("Edit the &axes"), "edit", [this] { tune_->bar().focus_values(); });
    add("tune.swap", tr("S&wap rows and columns"), "swap", [this] { tune_->bar().swap(); });
    add("tune.take-axes", tr("Take the axes of the sweep sh&own"), "reset", [&sweeps] { sweeps.edit_shown(); });
    add("tune.missing", tr("&Render what is missing"), "resume", [&sweeps] { sweeps.retry_all(); });
    add("tune.clear", tr("&Leave out what still waits"), "close", [&sweeps] { sweeps.clear_waiting(); });
    add(
        "tune.take", tr("&Take the clip's values"), "sliders", [this] { tune_->take_current(false); }, Qt::Key_R);
    add(
        "tune.take-all", tr("Restore the clip's w&hole request"), "reset", [this] { tune_->take_current(true); },
        Qt::SHIFT | Qt::Key_R);
    add(
        "tune.compare", tr("&Compare the selected clips"), "compare", [this] { tune_->compare_selected(); }, Qt::Key_C);
    add(
        "tune.star", tr("S&tar the clip"), "star", [this] { tune_->star_current(); }, Qt::Key_S);
    add(
        "tune.reference", tr("&Measure against the selected clip"), "chart",
        [this] {
            if (const auto cell = tune_->grid().current()) tune_->measure_against(*cell);
        },
        Qt::Key_M);
    const std::tuple<const char*, QString, const char*, Kind> exports[] = {
        {"tune.export-video", tr("Export the grid as a &video …"), "export", Kind::video},
        {"tune.export-picture", tr("Export a contact &sheet …"), "image", Kind::picture},
        {"tune.export-report", tr("Export the sweep's re&port …"), "chart", Kind::report},
        {"tune.export-csv", tr("Export the figures as CS&V …"), "export", Kind::csv}};
    for (const auto& [id, text, picture, kind] : exports)
        add(id, text, picture, [this, kind = kind] { exports_->export_sweep(kind); });
}

void MainWindow::connect_tune() {
    auto& sweeps = studio_.core.sweeps();
    for (const char* id : {"tune.export-video", "tune.export-picture", "tune.export-report", "tune.export-csv"})
        tune_->export_menu().addAction(actions_.at(QLatin1String(id)));
    // What is done with a clip of the grid; in the rest of the window these keys are the timeline's.
    for (const char* id : {"tune.take", "tune.take-all", "tune.compare", "tune.star", "tune.reference"})
        actions_.keep_to(QLatin1String(id), tune_->grid());
    connect(tune_, &SweepView::said, this, &MainWindow::say);
    connect(tune_, &SweepView::open_run, this, [this](const QString& run) {
        layouts_->show(Layout::create);
        play_when_opened_ = true;
        show_run(run);
    });
    connect(tune_, &SweepView::compare_runs, this, &MainWindow::compare);
    // What can be done with a run from the menus is done with the clip that is selected.
    connect(tune_, &SweepView::current_run_changed, runs_, &RunsPanel::select);
    connect(&tune_->grid(), &SweepGrid::current_changed, this, [this] {
        if (const auto cell = tune_->grid().current()) sweep_table_->set_current(*cell);
    });
    connect(sweep_table_, &SweepTable::picked, &tune_->grid(),
            [this](std::size_t cell) { tune_->grid().set_current(cell); });
    connect(sweep_table_, &SweepTable::activated, &tune_->grid(), &SweepGrid::activate);
    connect(&sweeps, &app::SweepDocument::failed, this, [this](const app::Issue& issue) {
        banners_->show_banner(QStringLiteral("sweep"), Banners::Kind::error, issue.line(), {}, 30);
    });
    connect(&sweeps, &app::SweepDocument::started, this, [this] {
        banners_->remove(QStringLiteral("sweep"));
        if (tunes()) tune_->grid().setFocus();
    });
}

void MainWindow::start_sweep() {
    auto& sweeps = studio_.core.sweeps();
    if (sweeps.starting()) return;
    if (!sweeps.axes().issue().isEmpty()) return say(words(sweeps.axes().issue()));
    studio_.prompts.add(QString::fromStdString(studio_.document.asked().prompt));
    sweeps.start();
}

bool MainWindow::open_sweep(const QString& path) {
    const QFileInfo info(path);
    auto& sweeps = studio_.core.sweeps();
    const auto is_folder = [](const QString& folder) {
        return QFileInfo(app::file_in(folder, SweepFolder::record_name)).isFile();
    };
    if (info.isDir()) {
        if (!is_folder(path)) return false;
        layouts_->show(Layout::tune);
        sweeps.open(path);
        tune_->grid().setFocus(Qt::OtherFocusReason);
        return true;
    }
    if (!info.isFile() || info.suffix().toLower() != QLatin1String("json")) return false;
    try {
        const Json json = parse_json(read_text(app::to_path(path), 16 << 20), path.toStdString());
        if (!json.is_object() || !json.contains("axes")) return false;
        layouts_->show(Layout::tune);
        if (json.contains("cells")) {
            sweeps.open(info.absolutePath());
            tune_->grid().setFocus(Qt::OtherFocusReason);
            return true;
        }
        const Sweep sweep = sweep_from_json(json, {path.toStdString(), app::to_path(info.absolutePath())});
        Request request = sweep.request;
        make_paths_absolute(request);
        studio_.document.restore(request, tr("Open request"));
        sweeps.axes().set_all(app::SweepAxes::texts_of(sweep.axes), tr("open the axes of %1").arg(info.fileName()));
        say(tr("The axes of %1 are above, its request is in the parameters.").arg(info.fileName()));
    } catch (const Error& error) {
        if (error.file().empty()) return false;
        banners_->show_banner(QStringLiteral("open"), Banners::Kind::error, app::Issue::from(error).line(), {}, 20);
    }
    return true;
}

} // namespace denoir::ui
