// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QLineEdit>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

#include <filesystem>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "app/sweep/sweep_document.h"
#include "engine/core/error.h"
#include "engine/core/own_folders.h"
#include "engine/session/model_lookup.h"
#include "ui/actions/command_palette.h"
#include "ui/compare/compare_bar.h"
#include "ui/compare/differences_panel.h"
#include "ui/docks/images_panel.h"
#include "ui/docks/log_panel.h"
#include "ui/docks/models_panel.h"
#include "ui/docks/parameters_panel.h"
#include "ui/docks/prompt_panel.h"
#include "ui/docks/queue_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/docks/samples.h"
#include "ui/layers/layer_map.h"
#include "ui/layers/layers_panel.h"
#include "ui/preview/metrics_view.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/steps_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/tune/sweep_bar.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_table.h"
#include "ui/tune/sweep_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/choice_accessible.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/drop.h"
#include "ui/widgets/make_layout.h"
#include "ui/window/branching.h"
#include "ui/window/docks.h"
#include "ui/window/entry_editing.h"
#include "ui/window/exports.h"
#include "ui/window/extension.h"
#include "ui/window/generation.h"
#include "ui/window/media_locator.h"
#include "ui/window/opener.h"
#include "ui/window/place.h"
#include "ui/window/playback.h"
#include "ui/window/project_files.h"
#include "ui/window/retaking.h"
#include "ui/window/run_news.h"
#include "ui/window/shot_adder.h"
#include "ui/window/tab_order.h"
#include "ui/window/viewer.h"

namespace denoir::ui {

namespace {

/// The path of a file in the data folder; empty if there is no data folder.
QString own_file(const char* name) {
    try {
        return app::to_qstring(data_folder() / name);
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

    make_middle();
    make_docks();
    make_menus();
    palette_ = new CommandPalette(actions_, *banners_, this);
    status_ = new StatusLine(studio_, this);
    connect(&actions_, &ActionTable::shortcuts_changed, this, &MainWindow::name_keys);
    name_keys();
    actions_.name_all_keys();
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(status_, 1);
    make_layouts();
    make_parts();
    connect_parts();
    add_other_words();
    actions_.settle();
    update_title();
}

void MainWindow::make_middle() {
    auto* middle = new QWidget(this);
    auto* column = make_layout<QVBoxLayout>(middle, 0);
    banners_ = new Banners(middle);
    compare_bar_ = new CompareBar(studio_, middle);
    compare_bar_->hide();
    preview_ = new PreviewView(studio_.frames, middle);
    preview_->setObjectName(QStringLiteral("preview"));
    preview_->set_empty_text(
        tr("Describe the video, then press Generate.\nA video, picture or run dropped here is shown."));
    column->addWidget(banners_);
    column->addWidget(compare_bar_);
    column->addWidget(preview_, 1);
    setCentralWidget(middle);

    files_ = new ProjectFiles(studio_, remembered_, *banners_, *this);
    make_actions();
    tune_ = new SweepView(studio_, *actions_.at(QStringLiteral("run.generate")), middle);
    tune_->hide();
    column->addWidget(tune_, 1);
}

void MainWindow::make_layouts() {
    layouts_ = std::make_unique<Layouts>(
        *this, studio_.settings,
        [this](Layout layout) {
            // Hidden first, as beside the docks of another layout they would make the window grow.
            tune_->hide();
            steps_->set_compares(false);
            docks_->arrange(layout);
        },
        [this](Layout layout) -> QWidget* {
            if (layout != Layout::tune) return preview_;
            if (studio_.core.sweeps().shown()) return &tune_->grid();
            const QList<AxisChip*> axes = tune_->bar().chips();
            return axes.isEmpty() ? nullptr : &axes.constFirst()->values();
        });
    connect(layouts_.get(), &Layouts::shown, this, &MainWindow::layout_shown);
    connect(docks_, &Docks::closed_with_focus, layouts_.get(), &Layouts::focus_middle);
    place_ = new Place(*this, *layouts_, studio_.settings, this);
}

void MainWindow::make_parts() {
    auto& queue = studio_.queue;
    auto& document = studio_.document;
    auto& project = studio_.project;
    auto& inputs = studio_.core.inputs;
    exports_ = new Exports(studio_, actions_, *preview_, *banners_, *status_, *this);
    playback_ = new Playback(*preview_, *tune_, *timeline_, *layouts_, this);
    viewer_ = new Viewer(*preview_, *steps_, *playback_, *layouts_, queue, studio_.worker, this);
    opener_ = new Opener(document, studio_.core.sweeps(), *banners_, *this);
    news_ = new RunNews(queue, studio_.history, studio_.settings, *banners_, *status_, *log_, this);
    editing_ = new EntryEditing(queue, project, *banners_, this);
    branching_ = new Branching(document, inputs, *banners_, this);
    extension_ = new Extension(project, document, inputs, *images_, *banners_, this);
    retaking_ = new Retaking(project, document, queue, inputs, *banners_, this);
    shot_adder_ =
        new ShotAdder(*timeline_, studio_.core.results, *layouts_, *banners_, *status_, studio_.settings, *this);
    locator_ = new MediaLocator(*timeline_, studio_.settings, *this);
    generation_ = new Generation({document, queue, studio_.prompts, inputs, studio_.core.sweeps()}, *parameters_,
                                 *editing_, *extension_, this);
}

MainWindow::~MainWindow() {
    hide();
    // These are deleted first, as their content borrows members of the window.
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
    differences_->set_compare_keys(actions_.keys(QStringLiteral("compare.selected")));
    // In the timeline, the keys of two other actions trim.
    const std::tuple<const char*, const char*, QString> trims[] = {
        {"timeline.trim-in", "play.values", tr("Trim the &beginning to the playhead")},
        {"timeline.trim-out", "compare.onion", tr("Trim the en&d to the playhead")}};
    for (const auto& [id, other, text] : trims) {
        const QString keys = actions_.keys(QLatin1String(other));
        QAction* action = actions_.at(QLatin1String(id));
        action->setText(keys.isEmpty() ? text : tr("%1 (in the timeline: %2)").arg(text, keys));
        action->setToolTip(tip_of(*action));
    }
}

void MainWindow::layout_shown(Layout layout) {
    const bool compares = layout == Layout::compare, sweeps = layout == Layout::tune;
    actions_.at(QStringLiteral("view.") + layout_name(layout))->setChecked(true);
    // Each layout has a single button to press and a single picture to look at.
    actions_.at(QStringLiteral("run.generate"))->setText(sweeps ? tr("&Sweep") : tr("&Generate"));
    parameters_->set_generates(!sweeps);
    preview_->setVisible(!sweeps);
    tune_->setVisible(sweeps);
    tune_->set_shown(sweeps);
    compare_bar_->setVisible(compares);
    steps_->set_compares(compares);
    viewer_->layout_shown(layout);
    // Menus act on what is seen: in Tune the selected clip, elsewhere the run in the preview.
    if (sweeps)
        select_clip();
    else if (last_layout_ == Layout::tune)
        runs_->select(viewer_->seen());
    else if (last_layout_ == Layout::compare && layout != Layout::compare)
        select_seen();
    last_layout_ = layout;
    QTimer::singleShot(0, docks_, &Docks::tidy_tabs);
}

/// Selects the run that is seen, unless a pair is selected, which may be compared again.
void MainWindow::select_seen() {
    const QString seen = viewer_->seen();
    if (runs_->selected().size() < 2 && runs_->lists(seen)) runs_->select(seen);
}

bool MainWindow::tunes() const { return layouts_ && layouts_->current() == Layout::tune; }

void MainWindow::select_clip() {
    const QStringList clips = tune_->selected_runs();
    if (!clips.isEmpty()) runs_->select(clips.constFirst());
}

void MainWindow::begin(Layout layout, const QStringList& files) {
    layouts_->begin(layout);
    remembered_.restore(first_prompt());
    if (files.isEmpty()) show_newest();
    studio_.history.refresh();
    files_->offer_recovery(files);
    news_->offer_to_resume();
    studio_.core.start();
    if (const app::Issue issue = app::Settings::folder_issue(); !issue.isEmpty())
        banners_->show_banner(QStringLiteral("data-folder"), Banners::Kind::error, issue.line());
    news_->tell_state();
    prompt_->focus_prompt();
    place_->keep();
    if (!files.isEmpty()) playback_->play_next(); // for the first clip among them
    awaits_first_ = !files.isEmpty();
    opener_->open_all(files, layouts_->current() == Layout::compare, [this] { show_newest(); });
}

void MainWindow::begin_for_picture(Layout layout) {
    for_picture_ = true;
    remembered_.keep_nothing();
    files_->keep_nothing();
    studio_.core.sweeps().begin_for_picture();
    layouts_->begin(layout);
    remembered_.restore(first_prompt());
    show_newest();
}

/// If the file named at the start cannot be shown, shows what would have been shown without it.
void MainWindow::clip_failed() {
    if (preview_->info(app::Side::a) || preview_->is_opening(app::Side::a)) return;
    if (!std::exchange(awaits_first_, false)) return;
    unseen_.clear(); // so that the message stays, as nobody has read it yet
    show_newest();
}

/// Plays the newest run, or the sample that comes with the program.
void MainWindow::show_newest() {
    if (const QString newest = studio_.history.newest_done(); !newest.isEmpty()) {
        playback_->play_next();
        return viewer_->show_run(newest);
    }
    const auto sample = resources_folder() / "samples" / "first.mp4";
    std::error_code none;
    if (!std::filesystem::is_regular_file(sample, none)) return;
    playback_->play_next();
    preview_->show_clip(app::Side::a, app::to_qstring(sample));
}

void MainWindow::open_path(const QString& path) { opener_->open(path); }

void MainWindow::open_paths(const QStringList& paths) {
    opener_->open_all(paths, layouts_->current() == Layout::compare);
}

void MainWindow::open_dock(const char* id) {
    layouts_->on_its_own([&] { docks_->at(id).show(); });
}

void MainWindow::reveal_dock(const char* id) {
    layouts_->on_its_own([&] { docks_->reveal(id); });
}

void MainWindow::show_layers() {
    if (layouts_->current() != Layout::compare && !docks_->at("layers-dock").isVisible())
        layouts_->show(Layout::compare);
    docks_->reveal("layers-dock", 0.4);
    layers_panel_->take_focus();
}

void MainWindow::show_log(quint64 entry) {
    docks_->reveal("log-dock", 0.2);
    log_->show_entry(entry);
    if (entry == 0) log_->focus_search();
}

void MainWindow::say_empty_cut() {
    const QString keys = actions_.keys(QStringLiteral("run.to-timeline"));
    say(keys.isEmpty()
            ? tr("The cut is empty. Put what is shown on it first, or drop a video or picture on the timeline.")
            : tr("The cut is empty. Put what is shown on it first (%1), or drop a video or picture on the timeline.")
                  .arg(keys));
}

void MainWindow::restore_place() { place_->restore(); }

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

/// Docks move and their content changes, so the order is determined when it is needed.
bool MainWindow::focusNextPrevChild(bool next) {
    order_tabs(*this);
    return QMainWindow::focusNextPrevChild(next);
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ActivationChange) {
        studio_.core.set_in_front(isActiveWindow());
        if (isActiveWindow()) studio_.project.look_at_media(); // files may have come and gone meanwhile
    }
    QMainWindow::changeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!dropped_files(*event->mimeData()).isEmpty()) take_copy(*event);
}

void MainWindow::dropEvent(QDropEvent* event) {
    take_copy(*event);
    opener_->take_dropped(dropped_files(*event->mimeData()), mapToGlobal(event->position().toPoint()));
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
                                exports_->stop_all(); // at once, as quitting may have to wait for a slow disk
                                quit();
                            }}},
                          seconds);
    return true;
}

/// Until everything is on the disk, which may be slow, the window can still be used.
void MainWindow::quit() {
    files_->end([this] { close(); });
}

/// Asks only if the user closes the window by its frame, not if the program is ended from outside.
void MainWindow::closeEvent(QCloseEvent* event) {
    if (for_picture_) return event->accept();
    if (event->spontaneous()) {
        if (!keeps_export()) quit();
        return event->ignore();
    }
    place_->remember();
    studio_.core.results.place_held();
    remembered_.save();
    files_->closing();
    // The run at work stops after its current block and can be resumed from its last complete step.
    studio_.worker.cancel_all();
    event->accept();
}

} // namespace denoir::ui
