// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that connects its parts with each other.
#include <QMenu>

#include <algorithm>

#include "app/base/background.h"
#include "app/base/engine_text.h"
#include "app/base/folder.h"
#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "app/sweep/sweep_document.h"
#include "engine/pipeline/run_layout.h"
#include "ui/compare/compare_bar.h"
#include "ui/compare/differences_panel.h"
#include "ui/docks/images_panel.h"
#include "ui/docks/models_panel.h"
#include "ui/docks/parameters_panel.h"
#include "ui/docks/prompt_panel.h"
#include "ui/docks/queue_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/layers/layers_panel.h"
#include "ui/preview/metrics_view.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/steps_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_table.h"
#include "ui/tune/sweep_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/dock.h"
#include "ui/window/branching.h"
#include "ui/window/docks.h"
#include "ui/window/entry_editing.h"
#include "ui/window/exports.h"
#include "ui/window/extension.h"
#include "ui/window/generation.h"
#include "ui/window/lost_runs.h"
#include "ui/window/main_window.h"
#include "ui/window/media_locator.h"
#include "ui/window/opener.h"
#include "ui/window/playback.h"
#include "ui/window/project_files.h"
#include "ui/window/retaking.h"
#include "ui/window/run_news.h"
#include "ui/window/shot_adder.h"
#include "ui/window/verifications.h"
#include "ui/window/viewer.h"

namespace denoir::ui {

using app::Side;

namespace {

/// The key of the banner for a clip that cannot be shown.
QString clip_banner(const QString& file) { return QStringLiteral("clip %1").arg(file); }

} // namespace

void MainWindow::connect_parts() {
    connect_words();
    connect_project();
    connect_opener();
    connect_preview();
    connect_sides();
    connect_runs();
    connect_generation();
    connect_cut();
    connect_tune();
}

void MainWindow::connect_words() {
    const auto says = [this](auto*... part) {
        (connect(part, &std::remove_pointer_t<decltype(part)>::said, this, &MainWindow::say), ...);
    };
    says(prompt_, images_, parameters_, runs_, queue_, timeline_, layers_panel_, steps_, tune_, playback_);
    says(files_, exports_, viewer_, opener_, branching_, extension_, retaking_, shot_adder_, generation_, locator_);
    connect(models_, &ModelsPanel::taken, this, [this](const QString& name) {
        say(tr("%1 is the model now; undo brings back the one before.").arg(name));
    });
    connect(&studio_.worker, &app::EngineWorker::warned, this,
            [this](app::JobId, const QString& text) { say(app::engine_text(text)); });
    connect(&studio_.core, &app::Studio::issue, this, [this](const app::Issue& issue) { say(issue.line()); });
    connect(banners_, &Banners::shown, this, [this](Banners::Kind kind, const QString& text) {
        if (for_picture_) return;
        using Level = app::Journal::Level;
        studio_.core.journal.add(kind == Banners::Kind::error     ? Level::error
                                 : kind == Banners::Kind::warning ? Level::warning
                                                                  : Level::info,
                                 text);
    });
}

void MainWindow::connect_project() {
    connect(files_, &ProjectFiles::file_chosen, this, &MainWindow::open_path);
    connect(files_, &ProjectFiles::opened, this, [this] {
        reveal_dock("timeline-dock");
        timeline_->show_playhead();
    });
    connect(files_, &ProjectFiles::begun_anew, this, [this] {
        viewer_->clear();
        if (!tunes()) runs_->select(viewer_->seen());
    });
    connect(files_, &ProjectFiles::begun, &studio_.core, &app::Studio::empty_trash);
    connect(exports_, &Exports::open_requested, this, &MainWindow::open_path);
    connect(exports_, &Exports::empty_cut, this, &MainWindow::say_empty_cut);
    connect(exports_, &Exports::shot_missing, this, [this](int row) {
        reveal_dock("timeline-dock");
        timeline_->select(row);
    });
    connect(&studio_.project, &app::Project::path_changed, this, &MainWindow::update_title);
    connect(&studio_.project, &app::Project::modified_changed, this, &MainWindow::update_title);
    connect(&studio_.project, &app::Project::changed, this, &MainWindow::update_title); // there may be shots or none
}

void MainWindow::connect_opener() {
    connect(opener_, &Opener::project_chosen, files_,
            [this](const QString& path, const std::shared_ptr<const app::ProjectContent>& content) {
                files_->open(path, *content);
            });
    connect(files_, &ProjectFiles::refused, opener_, &Opener::refuse);
    connect(opener_, &Opener::run_chosen, viewer_, &Viewer::open_run);
    connect(opener_, &Opener::clip_chosen, viewer_, &Viewer::show_file);
    connect(opener_, &Opener::pair_chosen, viewer_, &Viewer::compare);
    connect(opener_, &Opener::shots_chosen, shot_adder_, &ShotAdder::add);
    connect(opener_, &Opener::start_chosen, this, [this](const QString& picture) {
        images_->take(ImagesPanel::Side::start, {picture, {}});
    });
    connect(opener_, &Opener::end_chosen, this, [this](const QString& picture) {
        images_->take(ImagesPanel::Side::last, {picture, {}});
    });
    connect(opener_, &Opener::traces_chosen, this, [this](const QStringList& files) {
        show_layers();
        layers_panel_->take_files(files);
    });
    connect(opener_, &Opener::loras_chosen, this, [this](const QStringList& files) {
        parameters_->take_loras(files);
        reveal_dock("parameters-dock");
        say(tr("%n LoRA(s) put into the parameters.", nullptr, int(files.size())));
    });
    connect(opener_, &Opener::models_chosen, this, [this](const QString& path) {
        models_->take(path);
        reveal_dock("models-dock");
    });
    connect(opener_, &Opener::sweep_found, this, [this] { layouts_->show(Layout::tune); });
    connect(opener_, &Opener::sweep_opened, this, [this] { tune_->grid().setFocus(Qt::OtherFocusReason); });
}

void MainWindow::connect_preview() {
    connect(preview_, &PreviewView::files_dropped, this,
            [this](const QStringList& files, Side side, const QPoint& where) {
                opener_->take_dropped_on(side, files, where);
            });
    connect(opener_, &Opener::side_chosen, this,
            [this](Side side, const QString& clip) { preview_->show_clip(side, clip, true); });
    connect(preview_, &PreviewView::request_found, opener_, &Opener::offer_request);
    connect(viewer_, &Viewer::failed, this, [this](Side side, const app::Issue& issue) {
        // A clip that is being opened was asked for before the user could read this, so it does not remove the banner.
        if (!preview_->is_opening(side)) unseen_[side] << issue.file;
        app::run_then(
            this, [issue] { return app::RunHistory::titled(issue).line(); }, // reads the title in a run's folder
            [this, file = issue.file](const QString& line) {
                banners_->show_banner(clip_banner(file), Banners::Kind::error, line, {}, 20);
            });
        clip_failed();
    });
    connect(preview_, &PreviewView::opened_by_hand, this, &MainWindow::forget_unseen);
    connect(preview_, &PreviewView::clip_opened, this, [this](Side side) {
        if (side == Side::b) forget_unseen(side); // B is always opened by the user
    });
    app::Player& player = preview_->player();
    connect(metrics_, &MetricsView::frame_requested, preview_, &PreviewView::go_to_frame_of_a);
    connect(metrics_, &MetricsView::worst_requested, preview_, &PreviewView::go_to_worst);
    connect(&player, &app::Player::frame_changed, metrics_,
            [this, &player] { metrics_->set_frame(std::max(0, player.frame_of(app::Side::a))); });
    runs_->set_seen([this] { return viewer_->seen(); });
    const auto chosen = [this] {
        // A selected pair that was compared is of no further use, unless a menu is open on it.
        return runs_->is_choosing() && (runs_->has_open_menu() || runs_->selected() != compared_);
    };
    connect(viewer_, &Viewer::live_shown, this, [this, chosen] {
        awaits_first_ = false;
        open_dock("steps-dock");
        if (!tunes() && !chosen()) runs_->select(viewer_->seen());
    });
    connect(viewer_, &Viewer::run_shown, this, [this, chosen](const QString& run, bool by_hand) {
        mark_sides(); // its video and its row may come later
        if (by_hand || !chosen()) runs_->select(run);
        if (by_hand) forget_unseen(Side::a);
    });
}

/// Removes the banners of a side, as the user has read them and asked for something else.
void MainWindow::forget_unseen(Side side) {
    const QStringList gone = unseen_.take(side), other = unseen_.value(side == Side::a ? Side::b : Side::a);
    for (const QString& file : gone)
        if (!other.contains(file)) banners_->remove(clip_banner(file));
}

/// A run is A where it is compared with something, which may be a file.
void MainWindow::mark_sides() {
    runs_->set_sides(viewer_->holds_pair() ? viewer_->run(Side::a) : QString(), viewer_->run(Side::b));
}

void MainWindow::connect_sides() {
    connect(viewer_, &Viewer::side_changed, this, [this](Side side, const QString& name, const QString& run) {
        if (side == Side::a) awaits_first_ = false;
        compare_bar_->set_name(side, name);
        steps_->set_run(side, run);
        const auto source = [this](Side each) {
            const auto* info = preview_->info(each);
            const QString its_run = viewer_->run(each);
            return DifferencesPanel::Source{info || !its_run.isEmpty(), its_run,
                                            info && its_run.isEmpty() ? info->request : QString()};
        };
        differences_->set_sources(source(Side::a), source(Side::b));
        layers_panel_->set_runs(viewer_->run(Side::a), viewer_->run(Side::b));
        mark_sides();
        const bool no_video = !viewer_->run(Side::a).isEmpty() && !preview_->info(Side::a);
        metrics_->set_empty_text(no_video ? tr("A has no video yet: its frames can be measured once it is rendered.")
                                          : QString());
    });
    connect(compare_bar_, &CompareBar::swap_asked, preview_, &PreviewView::swap);
    connect(compare_bar_, &CompareBar::chosen, this, [this](Side side, const QString& path) {
        side == Side::a ? viewer_->compare(path, {}) : viewer_->compare({}, path);
    });
    // Two runs with the same prompt and seed have the same name, so what differs is shown after it.
    connect(differences_, &DifferencesPanel::told_apart, this, [this](const QString& a, const QString& b) {
        for (const auto& [side, detail] : {std::pair{Side::a, a}, {Side::b, b}}) {
            compare_bar_->set_detail(side, detail);
            preview_->set_detail(side, detail);
        }
    });
}

void MainWindow::connect_runs() {
    const auto resume = [this](const QString& run) {
        viewer_->watch();
        studio_.queue.add_resume(run);
    };
    connect(queue_, &QueuePanel::details_asked, this, &MainWindow::show_log);
    connect(queue_, &QueuePanel::open_run, viewer_, &Viewer::open_run);
    connect(runs_, &RunsPanel::open_run, viewer_, &Viewer::open_run);
    connect(runs_, &RunsPanel::compare_runs, this, [this](const QString& a, const QString& b) {
        compare_pair({a.isEmpty() ? viewer_->run(Side::a) : a, b});
    });
    connect(runs_, &RunsPanel::compare_layers, this, [this](const QString& a, const QString& b) {
        compare_pair({a, b});
        show_layers();
    });
    connect(runs_, &RunsPanel::add_to_timeline, shot_adder_, &ShotAdder::add);
    connect(queue_, &QueuePanel::resume_run, this, resume);
    connect(runs_, &RunsPanel::resume_run, this, resume);
    connect(runs_, &RunsPanel::details_asked, news_, &RunNews::tell_failure);
    QAction* resume_action = actions_.at(QStringLiteral("run.resume"));
    connect(runs_, &RunsPanel::resumable_changed, resume_action, &QAction::setEnabled);
    resume_action->setEnabled(runs_->resumable());
    connect(&studio_.history, &app::RunHistory::removed, this, [this](const QStringList& runs, const QString& next) {
        viewer_->forget(runs, next);
        QStringList words{tr("%n run(s) deleted.", nullptr, int(runs.size()))};
        const int shots = studio_.project.shots_of(runs);
        if (shots > 0) words << tr("%n shot(s) of this cut use what was deleted.", nullptr, shots);
        banners_->show_banner(QStringLiteral("deleted"), shots > 0 ? Banners::Kind::warning : Banners::Kind::info,
                              words.join(QLatin1Char(' ')), {{tr("Undo"), [this] { runs_->undo_remove(); }}}, 30);
    });
    connect(&studio_.history, &app::RunHistory::restored, this, [this](const QStringList& runs) {
        banners_->remove(QStringLiteral("deleted"));
        for (const QString& run : runs)
            for (const QString& file : {run, app::file_in(run, run_file::video)}) banners_->remove(clip_banner(file));
        viewer_->bring_back(runs);
    });
    new LostRuns(studio_.history, *viewer_, *preview_, *opener_, *banners_, this);
    auto* verifications = new Verifications(studio_.worker, studio_.history, *banners_, *status_, this);
    connect(runs_, &RunsPanel::verifying, verifications, &Verifications::add);
    connect(news_, &RunNews::run_failed, this, [this] { reveal_dock("queue-dock"); });
    connect(news_, &RunNews::resume_asked, this, resume);
    connect(steps_, &StepsPanel::resume_requested, this, resume);
    connect(news_, &RunNews::log_asked, this, &MainWindow::show_log);
    connect(steps_, &StepsPanel::keep_requested, exports_, &Exports::keep_draft);
}

void MainWindow::connect_generation() {
    const auto show_parameters = [this] { open_dock("parameters-dock"); };
    parameters_->set_told_elsewhere([this](const QString& key) {
        const bool image = key == QLatin1String("image") || key == QLatin1String("last_image");
        return image ? images_->isVisible() : key == QLatin1String("prompt") && prompt_->isVisible();
    });
    for (const char* dock : {"images-dock", "prompt-dock"})
        connect(&docks_->at(dock), &QDockWidget::visibilityChanged, parameters_, &ParametersPanel::refresh_estimate);
    connect(parameters_, &ParametersPanel::add_models_asked, models_, &ModelsPanel::add_model);
    connect(generation_, &Generation::refused, this, show_parameters);
    connect(generation_, &Generation::begun, this, [this] {
        viewer_->watch(!tunes());
        if (layouts_->current() == Layout::create) reveal_dock("steps-dock"); // a low window has it behind the timeline
    });
    connect(queue_, &QueuePanel::editing_changed, editing_, &EntryEditing::begin);
    connect(steps_, &StepsPanel::branch_requested, branching_, &Branching::branch);
    connect(branching_, &Branching::prepared, this, show_parameters);
}

void MainWindow::connect_cut() {
    // Elsewhere these keys have other meanings.
    for (const char* id : {"timeline.delete", "timeline.open", "timeline.previous", "timeline.next",
                           "timeline.move-back", "timeline.move-on", "timeline.shorter", "timeline.longer",
                           "timeline.first", "timeline.last", "timeline.zoom-in", "timeline.zoom-out"})
        actions_.keep_to(QLatin1String(id), *timeline_);
    timeline_->set_settled([this] { return preview_->is_settled(Side::a); });
    connect(timeline_, &TimelineView::frame_expected, viewer_, &Viewer::expect_cut_frame);
    connect(timeline_, &TimelineView::show_frame, viewer_, &Viewer::show_cut_frame);
    connect(timeline_, &TimelineView::open_requested, this, [this](const QString& run, const QString& video) {
        run.isEmpty() ? viewer_->show_file(video) : open_path(run);
    });
    connect(timeline_, &TimelineView::extend_requested, extension_, &Extension::begin);
    connect(timeline_, &TimelineView::retake_requested, retaking_, &Retaking::retake);
    connect(timeline_, &TimelineView::locate_requested, locator_, &MediaLocator::locate);
    connect(retaking_, &Retaking::begun, this, [this] {
        viewer_->watch();
        extension_->end(); // another run is made from the shot instead
    });
    connect(shot_adder_, &ShotAdder::added_in_create, this, [this] { reveal_dock("timeline-dock"); });
    connect(timeline_, &TimelineView::issue_found, this, [this](const app::Issue& issue) {
        app::run_then(
            this, [issue] { return app::RunHistory::titled(issue).line(); },
            [this](const QString& line) { say(line); });
    });
    connect(timeline_, &TimelineView::nothing_to_cut, this, &MainWindow::say_empty_cut);
    connect(extension_, &Extension::empty_cut, this, &MainWindow::say_empty_cut);
    connect(retaking_, &Retaking::empty_cut, this, &MainWindow::say_empty_cut);
    const auto say_gone = [this] { say(tr("The shot is not there any more.")); };
    connect(extension_, &Extension::shot_gone, this, say_gone);
    connect(retaking_, &Retaking::shot_gone, this, say_gone);
    connect(&studio_.document, &app::RequestDocument::resolved_changed, timeline_, [this] {
        if (const double fps = studio_.document.value(QStringLiteral("fps")).toDouble(); fps > 0)
            timeline_->set_usual_rate(fps);
    });
}

void MainWindow::connect_tune() {
    auto& sweeps = studio_.core.sweeps();
    for (const char* id : {"tune.export-video", "tune.export-picture", "tune.export-report", "tune.export-csv"})
        tune_->export_menu().addAction(actions_.at(QLatin1String(id)));
    // These keys act on a clip while the grid has the focus. Elsewhere in the window they are the timeline's.
    for (const char* id : {"tune.take", "tune.take-all", "tune.compare", "tune.star", "tune.reference"})
        actions_.keep_to(QLatin1String(id), tune_->grid());
    connect(tune_, &SweepView::open_run, this, [this](const QString& run) {
        playback_->play_next(); // as it was playing in the grid
        viewer_->open_run(run);
    });
    connect(tune_, &SweepView::compare_runs, viewer_, &Viewer::compare);
    // While the grid is shown, the menus' actions for runs apply to its selected clip.
    connect(tune_, &SweepView::current_run_changed, this, [this](const QString& run) {
        if (tunes()) runs_->select(run);
    });
    const auto follow_grid = [this] {
        if (const auto cell = tune_->grid().current()) sweep_table_->set_current(*cell);
    };
    connect(&tune_->grid(), &SweepGrid::current_changed, this, follow_grid);
    connect(&sweeps, &app::SweepDocument::shown_changed, this, follow_grid); // the table already has the new rows
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

} // namespace denoir::ui
