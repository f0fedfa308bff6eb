// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow with the actions for runs, playing, comparisons and sweeps.
#include <QAction>
#include <QApplication>

#include <utility>

#include "app/exports.h"
#include "app/project/project.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "ui/docks/offer_runs.h"
#include "ui/docks/queue_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/layers/layers_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/steps_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/tune/sweep_bar.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_view.h"
#include "ui/window/branching.h"
#include "ui/window/exports.h"
#include "ui/window/extension.h"
#include "ui/window/generation.h"
#include "ui/window/main_window.h"
#include "ui/window/playback.h"
#include "ui/window/shot_adder.h"
#include "ui/window/viewer.h"

namespace denoir::ui {

void MainWindow::make_run_actions() {
    const QString run = tr("Run");
    add_action("run.generate", run, tr("&Generate"),
               {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)}, "generate",
               [this] { generate(false); });
    add_action(
        "run.generate-next", run, tr("Generate &next in line"),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Enter)},
        "generate", [this] { generate(true); });
    add_action("run.cancel", run, tr("&Stop"), {QKeySequence(Qt::Key_Escape)}, "stop", [this] { stop_work(); });
    auto* pause = add_action("run.pause", run, tr("&Pause the queue"), {}, "pause",
                             [this] { studio_.queue.set_paused(!studio_.queue.paused()); });
    pause->setCheckable(true);
    connect(&studio_.queue, &app::RunQueue::paused_changed, pause, &QAction::setChecked);
    add_action("run.undo-clear", run, tr("Bring back cleared queue entries"), {}, "undo",
               [this] { queue_->undo_clear(); });
    add_action("run.watch", run, tr("&Watch the run at work"), {}, "eye", [this] {
        if (studio_.queue.running() == 0 && steps_->live().steps() == 0) return say(tr("No run is at work."));
        viewer_->watch();
        viewer_->show_live();
    });
    add_action("run.branch", run, tr("&Branch from the step shown"), {QKeySequence(Qt::Key_B)}, "branch",
               [this] { steps_->branch(); });
    add_action("run.resume", run, tr("Res&ume the selected run"), {}, "resume", [this] { runs_->resume(); });
    add_action("run.restore", run, tr("&Restore the run's parameters"), {}, "reset",
               [this] { runs_->restore_parameters(); });
    add_action("run.star", run, tr("S&tar"), {QKeySequence(Qt::CTRL | Qt::Key_D)}, "star",
               [this] { runs_->toggle_star(); });
    add_action("run.verify", run, tr("&Verify: render again and compare"), {}, "verify", [this] { runs_->verify(); });
    add_action("run.reveal", run, tr("Reveal in &folder"), {}, "folder", [this] { runs_->reveal(); });
    add_action("run.delete", run, tr("&Delete the selected runs"), {}, "trash", [this] { runs_->remove_selected(); });
    add_action("run.undo-delete", run, tr("Bring back &deleted runs"), {}, "undo", [this] { runs_->undo_remove(); });
    add_action("run.to-timeline", run, tr("&Add to the timeline"), {QKeySequence(Qt::Key_T)}, "timeline",
               [this] { add_what_is_meant(); });
}

/// In the layout Tune, Generate makes a sweep of the axes, unless a run is to be next in line.
void MainWindow::generate(bool next) { tunes() && !next ? generation_->sweep() : generation_->generate(next); }

/// Stops one thing at a time, the most visible one, and nothing that still waits. If nothing is at work, gives up what
/// the next run was to begin with (an extension, a branch) or what was to be generated.
void MainWindow::stop_work() {
    if (studio_.queue.running() != 0 || studio_.worker.busy()) say(tr("stopping …"));
    if (studio_.worker.busy())
        studio_.worker.cancel(studio_.worker.current());
    else if (studio_.queue.running() != 0)
        studio_.queue.cancel_current();
    else if (exports_->running())
        exports_->cancel();
    else if (layer_comparison_.busy())
        layer_comparison_.cancel();
    else if (timeline_->reader().busy())
        timeline_->reader().cancel();
    else if (exports_->stop_drafts())
        return;
    else if (extension_->active())
        extension_->decline();
    else if (branching_->active())
        branching_->end();
    else if (generation_->give_up() || studio_.core.sweeps().stop_starting())
        say(tr("Called off: nothing is generated."));
    else if (!studio_.core.inputs.busy())
        say(tr("There is nothing to stop."));
}

/// Adds to the timeline what the user means: the selection while the list of runs has the focus; in the layout Tune the
/// selected clips; otherwise what the preview shows. Several selected runs are only meant if the preview shows one of
/// them, as they may have stayed selected after other work.
void MainWindow::add_what_is_meant() {
    const QStringList runs = runs_->selected();
    const auto* shown = preview_->info(app::Side::a);
    const QWidget* focus = QApplication::focusWidget();
    const bool in_list = focus && runs_->isAncestorOf(focus);
    if (tunes() && !in_list) {
        const QStringList clips = tune_->selected_runs();
        return clips.isEmpty() ? say(tr("Select a clip that has a video first.")) : shot_adder_->add(clips);
    }
    if (!in_list && steps_->shows_live() && steps_->live().running())
        return shot_adder_->add({steps_->live().run()}); // which says that there is no video yet
    const bool file = shown && shown->run.isEmpty() && !shown->path.isEmpty();
    if (file && (runs.isEmpty() || !in_list)) return shot_adder_->add({shown->path});
    const QString run = viewer_->run(app::Side::a);
    if (runs.isEmpty() && run.isEmpty())
        return say(tr("Show a run, a video or a picture first, or select runs in the list."));
    const bool others = runs.size() > 1 && !in_list && !run.isEmpty() && !runs.contains(run);
    shot_adder_->add(runs.isEmpty() || others ? QStringList{run} : runs);
}

void MainWindow::make_play_actions() {
    const QString play = tr("Play");
    add_action("play.toggle", play, tr("&Play or pause"), {QKeySequence(Qt::Key_Space)}, "play",
               [this] { playback_->toggle(); });
    add_action("play.backwards", play, tr("Play backwards"), {QKeySequence(Qt::Key_J)}, "previous-frame",
               [this] { playback_->shuttle(-1); });
    add_action("play.stop", play, tr("Pause"), {QKeySequence(Qt::Key_K)}, "pause", [this] { playback_->pause(); });
    add_action("play.forwards", play, tr("Play forwards"), {QKeySequence(Qt::Key_L)}, "next-frame",
               [this] { playback_->shuttle(1); });
    add_action("play.frame-back", play, tr("Previous frame"), {QKeySequence(Qt::Key_Comma)}, "previous-frame",
               [this] { playback_->step(-1); });
    add_action("play.frame-on", play, tr("Next frame"), {QKeySequence(Qt::Key_Period)}, "next-frame",
               [this] { playback_->step(1); });
    // Only one sequence each: if Shift makes another character of a key, Qt recognises "Shift+." all the same. With
    // that character as a second sequence both would match, and Qt would do nothing.
    add_action("play.ten-back", play, tr("Ten frames back"), {QKeySequence(Qt::SHIFT | Qt::Key_Comma)},
               "previous-frame", [this] { playback_->step(-10); });
    add_action("play.ten-on", play, tr("Ten frames forward"), {QKeySequence(Qt::SHIFT | Qt::Key_Period)}, "next-frame",
               [this] { playback_->step(10); });
    auto* loop = add_action("play.loop", play, tr("&Loop"), {}, "loop", [this] { playback_->toggle_loop(); });
    loop->setCheckable(true);
    loop->setChecked(preview_->player().loop());
    connect(&preview_->player(), &app::Player::loop_changed, loop, &QAction::setChecked);
    const auto with_picture = [this](auto act) {
        return [this, act] {
            if (tunes()) return say(tr("The preview is not part of this layout: Enter shows the selected clip in it."));
            if (preview_->canvas().picture_rect().isEmpty()) return say(tr("There is no picture yet."));
            act(preview_->canvas());
        };
    };
    add_action("play.fit", play, tr("&Fit the picture"), {QKeySequence(Qt::Key_F)}, "fit",
               [this, fit = with_picture([](Canvas& canvas) { canvas.zoom_to_fit(); })] {
                   tunes() ? tune_->grid().zoom_to_fit() : fit();
               });
    const auto values = with_picture([](Canvas& canvas) { canvas.set_shows_values(!canvas.shows_values()); });
    add_action("play.values", play, tr("Pixel &values"), {QKeySequence(Qt::Key_I)}, "eye",
               [this, values] { playback_->cut_has_focus() ? timeline_->trim_to_playhead(true) : values(); });
    add_action("play.true-size", play, tr("&True size"), {QKeySequence(Qt::Key_1)}, "one-to-one",
               with_picture([](Canvas& canvas) { canvas.zoom_to(1); }));
}

void MainWindow::compare_pair(const QStringList& runs) {
    compared_ = runs;
    viewer_->compare(runs[0], runs[1]);
}

void MainWindow::show_compare() {
    layouts_->show(Layout::compare);
    const QStringList runs = runs_->selected();
    if (runs.size() == 2 && runs != compared_) compare_pair(runs);
}

void MainWindow::make_compare_actions() {
    make_pair_actions();
    make_layer_actions();
    make_mode_actions();
    make_pairing_actions();
    make_comparison_exports();
}

void MainWindow::make_pair_actions() {
    const QString comparing = tr("Compare");
    add_action("compare.selected", comparing, tr("&Compare the selected runs"),
               {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)}, "compare", [this] {
                   const QString select = tr("Select two runs in the list first.");
                   const QStringList runs = runs_->selected();
                   if (runs.size() == 2)
                       compare_pair(runs);
                   else if (runs.size() == 1 && runs[0] != viewer_->run(app::Side::a))
                       viewer_->compare(viewer_->run(app::Side::a), runs[0]);
                   else
                       return say(select);
                   status_->take_back(select);
               });
    const auto with = [this](const QString& path) { viewer_->compare({}, path); };
    add_action("compare.with-file", comparing, tr("Compare what is shown with a &file …"), {}, "open",
               [this, with] { ask_for_clip(this, studio_.settings, AskFor::file, with); });
    add_action("compare.with-folder", comparing, tr("Compare what is shown with a folder of f&rames …"), {}, "folder",
               [this, with] { ask_for_clip(this, studio_.settings, AskFor::folder, with); });
}

void MainWindow::make_layer_actions() {
    const QString comparing = tr("Compare");
    add_action("compare.layers", comparing, tr("Compare &layer by layer"),
               {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L)}, "sliders", [this] {
                   const QStringList runs = runs_->selected();
                   if (runs.size() == 2 && runs != compared_) compare_pair(runs); // like show_compare()
                   show_layers();
               });
    add_action("compare.trace", comparing, tr("Trace &both runs"), {}, "sliders", [this] {
        show_layers();
        layers_panel_->trace_runs();
    });
    add_action("compare.traces", comparing, tr("Compare two &traces …"), {}, "open", [this] {
        show_layers();
        layers_panel_->open_files();
    });
    add_action("compare.first-error", comparing, tr("Go to the first layer that makes an error"), {}, "warning",
               [this] {
                   show_layers();
                   if (!layers_panel_->go_to_first()) say(tr("No layer makes an error of its own."));
               });
    add_action("compare.export-layers", comparing, tr("Export the comparison of layers …"), {}, "export",
               [this] { layers_panel_->export_result(); });
}

std::function<void()> MainWindow::with_both(std::function<void()> act) {
    return [this, act = std::move(act)] {
        if (!preview_->info(app::Side::a) || !preview_->info(app::Side::b))
            return say(tr("Choose an A and a B first."));
        act();
    };
}

void MainWindow::make_mode_actions() {
    const QString comparing = tr("Compare");
    const auto mode = [this](CompareMode wanted) {
        return with_both([this, wanted] { preview_->toggle_mode(wanted); });
    };
    add_action("compare.side-by-side", comparing, tr("&Side by side"), {QKeySequence(Qt::Key_Q)}, "compare",
               mode(CompareMode::side_by_side));
    add_action("compare.wipe", comparing, tr("&Wipe"), {QKeySequence(Qt::Key_W)}, "split", mode(CompareMode::wipe));
    add_action("compare.difference", comparing, tr("&Difference"), {QKeySequence(Qt::Key_D)}, "chart",
               mode(CompareMode::difference));
    add_action("compare.onion", comparing, tr("&Onion"), {QKeySequence(Qt::Key_O)}, "eye",
               [this, onion = mode(CompareMode::onion)] {
                   playback_->cut_has_focus() ? timeline_->trim_to_playhead(false) : onion();
               });
    add_action("compare.flicker", comparing, tr("F&licker"), {}, "swap", mode(CompareMode::flicker));
    add_action("compare.flip", comparing, tr("&Flip A and B"), {QKeySequence(Qt::Key_0)}, "swap",
               with_both([this] { preview_->flip(); }));
}

void MainWindow::make_pairing_actions() {
    const QString comparing = tr("Compare");
    add_action("compare.swap", comparing, tr("S&wap A and B"), {}, "swap", [this] { preview_->swap(); });
    for (const auto& [id, text, key, by] :
         {std::tuple{"compare.shift-back", tr("B one frame earlier"), Qt::Key_Left, -1},
          {"compare.shift-on", tr("B one frame later"), Qt::Key_Right, 1}})
        add_action(id, comparing, text, {QKeySequence(Qt::ALT | key)}, by < 0 ? "previous-frame" : "next-frame",
                   with_both([this, by = by] { preview_->player().set_offset(preview_->player().offset() + by); }));
    for (const auto& [id, text, key, way] :
         {std::tuple{"compare.edge-left", tr("Wipe to the left; onion: less of B"), Qt::Key_BracketLeft, -1},
          {"compare.edge-right", tr("Wipe to the right; onion: more of B"), Qt::Key_BracketRight, 1}})
        add_action(id, comparing, text, {QKeySequence(key)}, "split", with_both([this, way = way] {
                       const CompareMode now = preview_->mode();
                       if (now != CompareMode::wipe && now != CompareMode::onion)
                           return say(tr("Choose wipe or onion first: nothing else has an edge to move."));
                       preview_->nudge(way);
                   }));
    auto* by_number =
        add_action("compare.by-number", comparing, tr("Pair frames by their &number, not by time"), {}, "sliders",
                   [this] { preview_->player().set_by_number(!preview_->player().by_number()); });
    by_number->setCheckable(true);
    connect(&preview_->player(), &app::Player::by_number_changed, by_number, &QAction::setChecked);
    add_action("compare.worst", comparing, tr("Go to the w&orst frame"), {QKeySequence(Qt::SHIFT | Qt::Key_W)}, "chart",
               with_both([this] {
                   const app::Comparison& comparison = preview_->comparison();
                   if (!comparison.issue().isEmpty()) return say(comparison.issue().line());
                   if (comparison.worst() < 0 && (comparison.complete() || !comparison.active()))
                       return say(tr("No frame that was measured differs."));
                   preview_->go_to_worst();
               }));
}

void MainWindow::make_comparison_exports() {
    const QString comparing = tr("Compare");
    using Kind = app::ComparisonExport;
    for (const auto& [id, text, picture, kind] :
         {std::tuple{"compare.export-video", tr("Export side by side …"), "export", Kind::side_by_side},
          {"compare.export-difference", tr("Export the difference as a video …"), "export", Kind::difference},
          {"compare.export-report", tr("Export the &report …"), "chart", Kind::report},
          {"compare.export-csv", tr("Export the figures as CS&V …"), "export", Kind::csv}})
        add_action(id, comparing, text, {}, picture, [this, kind = kind] { exports_->export_comparison(kind); });
    add_action("compare.end", comparing, tr("&End the comparison"), {}, "close", [this] {
        if (!viewer_->compares()) return say(tr("Nothing is compared."));
        viewer_->end_comparison();
    });
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
    // Says `why` if there is nothing to do.
    const auto unless = [this](bool nothing, const QString& why, const auto& act) { nothing ? say(why) : act(); };
    add("tune.swap", tr("S&wap rows and columns"), "swap", [this, unless] {
        unless(tune_->bar().chips().size() < 2, tr("There are no two axes to swap."), [this] { tune_->bar().swap(); });
    });
    add("tune.take-axes", tr("Take the axes of the sweep sh&own"), "reset",
        [&sweeps, unless] { unless(!sweeps.shown(), tr("No sweep is shown."), [&sweeps] { sweeps.edit_shown(); }); });
    add("tune.missing", tr("&Render what is missing"), "resume", [this, &sweeps, unless] {
        const auto progress = sweeps.progress();
        if (!sweeps.shown()) return say(tr("No sweep is shown."));
        unless(progress.missing + progress.failed == 0, tr("No clip is missing."), [&sweeps] { sweeps.retry_all(); });
    });
    add("tune.clear", tr("&Leave out what still waits"), "close", [this, &sweeps] {
        const int before = studio_.queue.rowCount();
        sweeps.clear_waiting();
        if (studio_.queue.rowCount() < before) return;
        say(sweeps.progress().open == 0 ? tr("No clip waits.") : tr("No other clip is waiting."));
    });
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
        "tune.reference", tr("&Measure against the selected clip"), "chart", [this] { tune_->measure_current(); },
        Qt::Key_M);
    const std::tuple<const char*, QString, const char*, app::SweepExport> exports[] = {
        {"tune.export-video", tr("Export the grid as a &video …"), "export", app::SweepExport::video},
        {"tune.export-picture", tr("Export a contact &sheet …"), "image", app::SweepExport::picture},
        {"tune.export-report", tr("Export the sweep's re&port …"), "chart", app::SweepExport::report},
        {"tune.export-csv", tr("Export the figures as CS&V …"), "export", app::SweepExport::csv}};
    for (const auto& [id, text, picture, kind] : exports)
        add(id, text, picture, [this, kind = kind] { exports_->export_sweep(kind); });
}

} // namespace denoir::ui
