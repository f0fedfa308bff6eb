// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QLineEdit>
#include <QStatusBar>
#include <QTabBar>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/clips/frame_cache.h"
#include "app/clips/thumbnails.h"
#include "app/project/project.h"
#include "app/request/model_catalogue.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "app/sweep/sweep_document.h"
#include "engine/core/error.h"
#include "ui/actions/command_palette.h"
#include "ui/docks/images_panel.h"
#include "ui/docks/log_panel.h"
#include "ui/docks/models_panel.h"
#include "ui/docks/parameters_panel.h"
#include "ui/docks/prompt_panel.h"
#include "ui/docks/queue_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/layers/layers_panel.h"
#include "ui/preview/metrics_view.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/steps_panel.h"
#include "ui/theme/icons.h"
#include "ui/timeline/timeline_view.h"
#include "ui/tune/sweep_bar.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_table.h"
#include "ui/tune/sweep_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/choice_accessible.h"
#include "ui/widgets/dock.h"
#include "ui/window/compare_bar.h"
#include "ui/window/docks.h"
#include "ui/window/exports.h"
#include "ui/window/project_files.h"

namespace denoir::ui {

namespace {
const QString window_geometry = QStringLiteral("window/geometry");

/// In the data folder; empty where there is none.
QString own_file(const char* name) {
    try {
        return app::to_qstring(app::Settings::runs_folder().parent_path() / name);
    } catch (const Error&) {
        return {}; // the settings say what is wrong with the data folder
    }
}

} // namespace

MainWindow::MainWindow(Studio& studio, QWidget* parent)
    : QMainWindow(parent),
      studio_(studio),
      actions_(*this, own_file("shortcuts.json")),
      layer_comparison_(studio.worker),
      remembered_(studio.document, studio.settings, app::to_path(own_file("request.json"))) {
    install_choice_accessibility();
    setObjectName(QStringLiteral("main-window"));
    setWindowIcon(QIcon(QStringLiteral(":/denoir/icons/denoir.svg")));
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::TopRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    resize(1280, 800);

    auto* middle = new QWidget(this);
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    banners_ = new Banners(middle);
    compare_bar_ = new CompareBar(studio_, middle);
    compare_bar_->hide();
    preview_ = new PreviewView(studio_.frames, middle);
    preview_->setObjectName(QStringLiteral("preview"));
    preview_->set_empty_text(
        tr("Write what is to be seen, then press Generate.\nA video, picture or run dropped here is shown."));
    column->addWidget(banners_);
    column->addWidget(compare_bar_);
    column->addWidget(preview_, 1);
    setCentralWidget(middle);

    files_ = new ProjectFiles(studio_, remembered_, *banners_, *this);
    make_actions();
    tune_ = new SweepView(studio_, *actions_.at(QStringLiteral("run.generate")), middle);
    tune_->hide();
    column->addWidget(tune_, 1);
    make_docks();
    make_menus();
    palette_ = new CommandPalette(actions_, this);
    status_ = new StatusLine(studio_, this);
    connect(&actions_, &ActionTable::shortcuts_changed, this, &MainWindow::name_keys);
    name_keys();
    actions_.name_all_keys();
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(status_, 1);
    exports_ = new Exports(studio_, actions_, *preview_, *banners_, *status_, *this);
    layouts_ = std::make_unique<Layouts>(
        *this, studio_.settings,
        [this](Layout layout) {
            tune_->hide(); // beside the docks of another layout it would make the window grow
            docks_->arrange(layout);
        },
        [this](Layout layout) -> QWidget* {
            if (layout != Layout::tune) return preview_;
            if (studio_.core.sweeps().shown()) return &tune_->grid();
            const QList<AxisChip*> axes = tune_->bar().chips();
            return axes.isEmpty() ? nullptr : &axes.constFirst()->values();
        });
    connect(layouts_.get(), &Layouts::shown, this, &MainWindow::layout_shown);
    connect_parts();
    connect_runs();
    connect_tune();
    update_title();
}

MainWindow::~MainWindow() {
    hide();
    // What is in them borrows members of the window.
    delete takeCentralWidget();
    for (auto* dock : findChildren<QDockWidget*>()) delete dock;
}

void MainWindow::make_docks() {
    prompt_ = new PromptPanel(studio_);
    images_ = new ImagesPanel(studio_);
    parameters_ = new ParametersPanel(studio_, *actions_.at(QStringLiteral("run.generate")));
    runs_ = new RunsPanel(studio_);
    queue_ = new QueuePanel(studio_);
    models_ = new ModelsPanel(studio_);
    timeline_ = new TimelineView(studio_.project, studio_.thumbnails);
    metrics_ = new MetricsView(preview_->comparison());
    differences_ = new DifferencesPanel;
    steps_ = new StepsPanel(studio_.drafts);
    timeline_->setObjectName(QStringLiteral("timeline"));
    metrics_->setObjectName(QStringLiteral("metrics"));
    layers_panel_ = new LayersPanel(layer_comparison_, studio_.settings);
    layers_panel_->setObjectName(QStringLiteral("layers"));
    sweep_table_ = new SweepTable(studio_);
    log_ = new LogPanel(studio_);
    docks_ = new Docks(*this);
    docks_->add("prompt-dock", tr("Prompt"), prompt_);
    docks_->add("images-dock", tr("Images"), images_);
    docks_->add("parameters-dock", tr("Parameters"), parameters_);
    docks_->add("runs-dock", tr("Runs"), runs_);
    docks_->add("queue-dock", tr("Queue"), queue_);
    docks_->add("models-dock", tr("Models"), models_);
    docks_->add("steps-dock", tr("Steps"), steps_);
    docks_->add("timeline-dock", tr("Timeline"), timeline_);
    docks_->add("metrics-dock", tr("Metrics"), metrics_);
    docks_->add("layers-dock", tr("Layers"), layers_panel_);
    docks_->add("differences-dock", tr("Differences"), differences_);
    docks_->add("sweep-dock", tr("Differs only in"), sweep_table_);
    docks_->add("log-dock", tr("Log"), log_);
}

void MainWindow::name_keys() {
    status_->set_cancel_keys(actions_.keys(QStringLiteral("run.cancel")));
    timeline_->set_add_keys(actions_.keys(QStringLiteral("run.to-timeline")));
    // In the timeline the keys of two other actions cut.
    const std::tuple<const char*, const char*, QString> trims[] = {
        {"timeline.trim-in", "play.values", tr("The shot &begins at the playhead")},
        {"timeline.trim-out", "compare.onion", tr("The shot en&ds at the playhead")}};
    for (const auto& [id, other, text] : trims) {
        const QString keys = actions_.keys(QLatin1String(other));
        QAction* action = actions_.at(QLatin1String(id));
        action->setText(keys.isEmpty() ? text : tr("%1 (there: %2)").arg(text, keys));
        action->setToolTip(tip_of(*action));
    }
}

void MainWindow::layout_shown(Layout layout) {
    const bool compares = layout == Layout::compare, sweeps = layout == Layout::tune;
    actions_.at(QStringLiteral("view.") + layout_name(layout))->setChecked(true);
    // One button to press, and one picture to look at.
    actions_.at(QStringLiteral("run.generate"))->setText(sweeps ? tr("&Sweep") : tr("&Generate"));
    parameters_->set_generates(!sweeps);
    if (sweeps) {
        preview_->player().pause();
        timeline_->set_playing(false);
    }
    preview_->setVisible(!sweeps);
    tune_->setVisible(sweeps);
    tune_->set_shown(sweeps);
    watching_ = !sweeps && (watching_ || !studio_.worker.busy());
    compare_bar_->setVisible(compares);
    steps_->set_compares(compares);
    if (!compares) {
        b_of_compare_ = preview_->info(app::Side::b) ? preview_->info(app::Side::b)->path : QString();
        preview_->set_mode(CompareMode::single);
        preview_->clear(app::Side::b);
        clip_opened(app::Side::b, {}, {});
    } else if (!b_of_compare_.isEmpty() && !preview_->info(app::Side::b)) {
        preview_->show_clip(app::Side::b, std::exchange(b_of_compare_, {}));
        preview_->set_mode(CompareMode::wipe);
    } else if (!shown_b_.isEmpty() && preview_->mode() == CompareMode::single) {
        preview_->set_mode(CompareMode::wipe);
    }
    // Qt leaves the tabs of docks that were parted behind, empty, over whatever stands there now, and draws a line
    // beside those it uses again, whatever the style sheet says.
    QTimer::singleShot(0, this, [this] {
        for (QTabBar* tabs : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
            tabs->setDrawBase(false);
            if (tabs->count() < 2) tabs->hide();
        }
    });
}

void MainWindow::connect_parts() {
    connect(images_, &ImagesPanel::said, this, &MainWindow::say);
    connect(runs_, &RunsPanel::said, this, &MainWindow::say);
    connect(queue_, &QueuePanel::said, this, &MainWindow::say);
    connect(layers_panel_, &LayersPanel::said, this, &MainWindow::say);
    connect(parameters_, &ParametersPanel::add_models_asked, models_, &ModelsPanel::add_model);
    connect(models_, &ModelsPanel::taken, this, [this](const QString& name) {
        say(tr("%1 is the model now; undo brings back the one before.").arg(name));
    });
    connect(banners_, &Banners::shown, this, [this](Banners::Kind kind, const QString& text) {
        if (for_picture_) return;
        using Level = app::Journal::Level;
        studio_.core.journal.add(kind == Banners::Kind::error     ? Level::error
                                 : kind == Banners::Kind::warning ? Level::warning
                                                                  : Level::info,
                                 text);
    });
    connect(files_, &ProjectFiles::said, this, &MainWindow::say);
    connect(files_, &ProjectFiles::file_chosen, this, &MainWindow::open_path);
    connect(files_, &ProjectFiles::opened, this, [this] {
        docks_->at("timeline-dock").show();
        timeline_->show_playhead();
    });
    connect(exports_, &Exports::said, this, &MainWindow::say);
    connect(exports_, &Exports::open_requested, this, &MainWindow::open_path);
    connect(exports_, &Exports::shot_missing, this, [this](int row) {
        docks_->at("timeline-dock").show();
        timeline_->select(row);
    });
    connect(queue_, &QueuePanel::details_asked, this, &MainWindow::show_log);
    connect(queue_, &QueuePanel::editing_changed, this, &MainWindow::begin_editing);
    connect(queue_, &QueuePanel::open_run, this, [this](const QString& run) {
        leave_tune();
        show_run(run);
    });
    connect(compare_bar_, &CompareBar::swap_asked, preview_, &PreviewView::swap);
    connect(preview_, &PreviewView::swapped, this, [this] {
        for (const app::Side side : {app::Side::a, app::Side::b}) {
            const auto* info = preview_->info(side);
            clip_opened(side, info ? info->name : QString(), info ? info->run : QString());
        }
    });
    // Two runs of one prompt and seed have one name: what differs stands behind it.
    connect(differences_, &DifferencesPanel::told_apart, this, [this](const QString& a, const QString& b) {
        for (const auto& [side, detail] : {std::pair{app::Side::a, a}, {app::Side::b, b}}) {
            compare_bar_->set_detail(side, detail);
            const auto* info = preview_->info(side);
            preview_->set_label(side,
                                info && !detail.isEmpty() ? info->name + QStringLiteral(" · ") + detail : QString());
        }
    });
    connect(metrics_, &MetricsView::frame_requested, &preview_->player(), &app::Player::go_to);
    connect(&preview_->player(), &app::Player::frame_changed, metrics_, &MetricsView::set_frame);
    connect(preview_, &PreviewView::picture_dropped, this, &MainWindow::ask_start_or_end);
    connect(preview_, &PreviewView::other_dropped, this, &MainWindow::open_path);
    connect(preview_, &PreviewView::several_dropped, this, &MainWindow::take_dropped);
    connect(preview_, &PreviewView::opened_by_hand, this, &MainWindow::look_away);
    connect(preview_, &PreviewView::request_found, this, &MainWindow::offer_request);
    connect(preview_, &PreviewView::clip_failed, this, [this](app::Side, const app::Issue& issue) {
        banners_->show_banner(QStringLiteral("clip"), Banners::Kind::error, issue.line(), {}, 20);
    });
    const auto clip_of = [this](const QString& video, const QString& run) {
        const auto* info = preview_->info(app::Side::a);
        return run.isEmpty() || (info && info->path == video) ? video : run;
    };
    timeline_->set_settled([this] { return preview_->is_settled(app::Side::a); });
    connect(timeline_, &TimelineView::frame_expected, this,
            [this, clip_of](const QString& video, const QString& run, int frame) {
                preview_->expect_frame(app::Side::a, clip_of(video, run), frame);
            });
    connect(timeline_, &TimelineView::show_frame, this,
            [this, clip_of](const QString& video, const QString& run, int frame) {
                look_away();
                play_when_opened_ = false; // not what it was said of
                preview_->show_overlay({}, {});
                preview_->show_frame(app::Side::a, clip_of(video, run), frame);
            });
    // Who plays the clip by itself has seen enough of the cut.
    connect(&preview_->player(), &app::Player::speed_changed, this, [this](double speed) {
        if (speed != 0) timeline_->set_playing(false);
    });
    connect(timeline_, &TimelineView::open_requested, this,
            [this](const QString& run, const QString& video) { run.isEmpty() ? show_file(video) : open_path(run); });
    connect(&studio_.project.undo(), &QUndoStack::indexChanged, this, &MainWindow::check_undone);
    connect(&studio_.project, &app::Project::loaded, this, [this] {
        begin_editing(0);
        end_extension();
    });
    connect_shots();
    connect(timeline_, &TimelineView::extend_requested, this, &MainWindow::extend);
    connect(timeline_, &TimelineView::retake_requested, this, &MainWindow::retake);
    connect(timeline_, &TimelineView::issue_found, this, [this](const app::Issue& issue) { say(issue.line()); });
    connect(timeline_, &TimelineView::nothing_to_cut, this, &MainWindow::say_empty_cut);
    connect(timeline_, &TimelineView::inside_asked, this,
            [this] { say(tr("Put the playhead inside a shot first: at its edge there is nothing to split.")); });
    connect(timeline_, &TimelineView::files_added, this, &MainWindow::shots_added);
    connect(&studio_.document, &app::RequestDocument::resolved_changed, timeline_, [this] {
        if (const double fps = studio_.document.value(QStringLiteral("fps")).toDouble(); fps > 0)
            timeline_->set_usual_rate(fps);
    });
    connect(&studio_.project, &app::Project::path_changed, this, &MainWindow::update_title);
    connect(&studio_.project, &app::Project::modified_changed, this, &MainWindow::update_title);
    connect(&studio_.document, &app::RequestDocument::changed, this, [this](const QStringList& keys) {
        if (keys.contains(QStringLiteral("start"))) tell_branch();
        check_extension();
    });
    const auto generate_now = [this] {
        if (studio_.document.pending() || studio_.core.inputs.busy()) return;
        for (const bool next : std::exchange(generate_when_resolved_, {})) generate(next);
    };
    connect(&studio_.document, &app::RequestDocument::resolved_changed, this, generate_now);
    connect(&studio_.core.inputs, &app::Preparations::finished, this, generate_now);
    connect(&studio_.core.inputs, &app::Preparations::failed, this, [this](const app::Issue& issue) {
        generate_when_resolved_.clear(); // not without what it was asked for with
        say(issue.line());
    });
}

void MainWindow::restore_place() {
    const QByteArray geometry = studio_.settings.value(window_geometry).toByteArray();
    if (!geometry.isEmpty()) restoreGeometry(geometry);
}

void MainWindow::update_title() {
    const auto& project = studio_.project;
    setWindowTitle(project.path().isEmpty() && studio_.project.shots().empty()
                       ? QStringLiteral("Denoir")
                       : QStringLiteral("%1[*] – Denoir").arg(project.title()));
    setWindowModified(project.is_modified() && !project.shots().empty());
}

void MainWindow::say(const QString& text) {
    status_->say(text);
    if (!for_picture_) studio_.core.journal.add(app::Journal::Level::info, text);
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ActivationChange) {
        studio_.core.set_in_front(isActiveWindow());
        if (isActiveWindow()) studio_.project.look_at_media(); // files may have come and gone meanwhile
    }
    QMainWindow::changeEvent(event);
}

bool MainWindow::keeps_export() {
    const bool exports = exports_->running();
    if (!exports && !exports_->keeps_draft()) return false;
    constexpr int seconds = 20;
    banners_->show_banner(QStringLiteral("quit"), Banners::Kind::warning,
                          exports ? tr("An export is being written. Quitting stops it, and nothing of it is kept.")
                                  : tr("A draft is being written. Quitting stops it, and nothing of it is kept."),
                          {{tr("Stop it and quit"),
                            [this] {
                                if (!files_->loses_cut()) close();
                            }}},
                          seconds);
    return true;
}

/// By hand on the window's frame; who ends the program from outside is not asked.
void MainWindow::closeEvent(QCloseEvent* event) {
    if (for_picture_) return event->accept();
    if (event->spontaneous() && (keeps_export() || files_->loses_cut())) return event->ignore();
    layouts_->remember();
    studio_.settings.set_value(window_geometry, saveGeometry());
    studio_.core.results.place_held();
    remembered_.save();
    studio_.project.keep_for_next_start(); // nothing is asked, nothing is lost
    // The run at work stops after its current block and can go on from its last whole step.
    studio_.worker.cancel_all();
    event->accept();
}

} // namespace denoir::ui
