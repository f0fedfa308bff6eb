// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDesktopServices>
#include <QMenuBar>
#include <QMessageBox>
#include <QToolButton>
#include <QUrl>

#include "app/base/settings.h"
#include "app/exports.h"
#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "ui/actions/command_palette.h"
#include "ui/actions/shortcut_editor.h"
#include "ui/docks/images_panel.h"
#include "ui/docks/models_panel.h"
#include "ui/docks/offer_runs.h"
#include "ui/docks/parameters_panel.h"
#include "ui/docks/prompt_panel.h"
#include "ui/docks/queue_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/layers/layers_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/steps_panel.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_view.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/raise_dialog.h"
#include "ui/window/disk_limit.h"
#include "ui/window/docks.h"
#include "ui/window/exports.h"
#include "ui/window/main_window.h"
#include "ui/window/project_files.h"
#include "ui/window/removal_undo.h"

namespace denoir::ui {

QAction* MainWindow::add_action(const char* id, const QString& group, const QString& text,
                                const QList<QKeySequence>& keys, const char* picture, std::function<void()> act) {
    QAction* action = actions_.add(QLatin1String(id), group, text, keys, QLatin1String(picture));
    connect(action, &QAction::triggered, this, std::move(act));
    return action;
}

/// In the order of the menus, which is that of the palette.
void MainWindow::make_actions() {
    make_file_actions();
    make_edit_actions();
    make_view_actions();
    make_run_actions();
    make_play_actions();
    make_compare_actions();
    make_tune_actions();
    make_timeline_actions();
    make_help_actions();
    for (const char* id : {"edit.undo", "edit.redo", "edit.prompt-before", "edit.prompt-after", "play.frame-back",
                           "play.frame-on", "play.ten-back", "play.ten-on", "compare.shift-back", "compare.shift-on"})
        actions_.at(QLatin1String(id))->setAutoRepeat(true);
}

void MainWindow::make_file_actions() {
    const QString file = tr("File");
    add_action("file.new", file, tr("&New project"), {QKeySequence::New}, "new", [this] { files_->start_new(); });
    add_action("file.open", file, tr("&Open …"), {QKeySequence::Open}, "open", [this] { files_->ask_for_file(); });
    add_action("file.save", file, tr("&Save project"), {QKeySequence::Save}, "save", [this] { files_->save(); });
    add_action("file.save-as", file, tr("Save project &as …"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, "save",
               [this] { files_->save_as(); });
    add_action("file.export", file, tr("&Export the cut …"), {QKeySequence(Qt::CTRL | Qt::Key_E)}, "export",
               [this] { studio_.project.shots().empty() ? say_empty_cut() : exports_->export_cut(); });
    add_action("file.models", file, tr("Watch a folder of &models …"), {}, "model", [this] { models_->add_folder(); });
    add_action("file.rebuild", file, tr("Rebuild the &history"), {}, "loop", [this] {
        studio_.history.rebuild();
        say(tr("The history is rebuilt from the folders of its runs"));
    });
    const auto choice = [&](const char* id, const QString& text, const char* picture, const QString& key,
                            bool (app::Settings::*get)() const, void (app::Settings::*set)(bool)) {
        auto* action = actions_.add(QLatin1String(id), file, text, {}, QLatin1String(picture));
        action->setCheckable(true);
        action->setChecked((studio_.settings.*get)());
        connect(action, &QAction::triggered, this, [this, set](bool on) { (studio_.settings.*set)(on); });
        auto& settings = studio_.settings; // an action goes after the window's own part
        connect(&settings, &app::Settings::changed, action, [&settings, action, key, get](const QString& changed) {
            if (changed == key) action->setChecked((settings.*get)());
        });
    };
    auto* limit = new DiskLimit(studio_, *banners_, *this);
    add_action("file.disk-limit", file, tr("&Disk space for runs …"), {}, "history", [limit] { limit->ask(); });
    choice("file.free-steps", tr("&Free the steps of old runs without asking"), "trash",
           QStringLiteral("may_drop_latents"), &app::Settings::may_drop_latents, &app::Settings::set_may_drop_latents);
    choice("file.notify", tr("&Tell the desktop when a run has ended"), "info", QStringLiteral("notifications"),
           &app::Settings::notifications, &app::Settings::set_notifications);
    add_action("file.quit", file, tr("&Quit"), {QKeySequence(Qt::CTRL | Qt::Key_Q)}, "close", [this] {
        if (!keeps_export() && !files_->loses_cut()) close();
    });
}

void MainWindow::make_edit_actions() {
    const QString edit = tr("Edit");
    QAction* undo = actions_.add(QStringLiteral("edit.undo"), edit, tr("&Undo"), {QKeySequence(Qt::CTRL | Qt::Key_Z)},
                                 QStringLiteral("undo"));
    QAction* redo = actions_.add(QStringLiteral("edit.redo"), edit, tr("&Redo"),
                                 {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
                                 QStringLiteral("redo"));
    new RemovalUndo(studio_, *undo, *redo, this);
    add_action("edit.prompt", edit, tr("Write the &prompt"), {QKeySequence(Qt::CTRL | Qt::Key_L)}, "prompt", [this] {
        docks_->at("prompt-dock").show();
        prompt_->focus_prompt();
    });
    add_action("edit.prompt-before", edit, tr("Prompt used &before"), {QKeySequence(Qt::ALT | Qt::Key_Up)}, "up",
               [this] { prompt_->previous_prompt(); });
    add_action("edit.prompt-after", edit, tr("Prompt used a&fter"), {QKeySequence(Qt::ALT | Qt::Key_Down)}, "down",
               [this] { prompt_->next_prompt(); });
    add_action("edit.negative-default", edit, tr("Take the model's negative prompt"), {}, "prompt",
               [this] { prompt_->use_default_negative(); });
    add_action("edit.start-image", edit, tr("Choose the start &image …"), {QKeySequence(Qt::CTRL | Qt::Key_I)}, "image",
               [this] { images_->choose_start(); });
    add_action("edit.last-image", edit, tr("Choose the &end image …"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_I)},
               "image", [this] { images_->choose_last(); });
    add_action("edit.paste-image", edit, tr("Paste as start image"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V)},
               "paste", [this] { images_->paste_start(); });
    add_action("edit.camera", edit, tr("Start image from the &camera …"), {}, "camera",
               [this] { images_->camera_start(); });
    add_action("edit.swap-images", edit, tr("Swap start and end image"), {}, "swap", [this] { images_->swap(); });
    add_action("edit.reset", edit, tr("All parameters to their &defaults"), {}, "reset",
               [this] { parameters_->reset_all(); });
    add_action("edit.rename", edit, tr("Re&name the run or shot"), {QKeySequence(Qt::Key_F2)}, "edit", [this] {
        if (timeline_has_focus())
            timeline_->rename_selected();
        else
            runs_->rename();
    });
}

void MainWindow::make_view_actions() {
    const QString view = tr("View");
    auto* layouts = new QActionGroup(this);
    const std::tuple<Layout, const char*, QString, Qt::Key, const char*> arrangements[] = {
        {Layout::create, "view.create", tr("&Create"), Qt::Key_1, "layout"},
        {Layout::compare, "view.compare", tr("Co&mpare"), Qt::Key_2, "compare"},
        {Layout::tune, "view.tune", tr("&Tune"), Qt::Key_3, "sliders"}};
    for (const auto& [each, id, text, key, picture] : arrangements) {
        auto* action = add_action(id, view, text, {QKeySequence(Qt::CTRL | key)}, picture,
                                  [this, each = each] { layouts_->show(each); });
        action->setCheckable(true);
        layouts->addAction(action);
    }
    add_action("view.palette", view, tr("&Find any action"), {QKeySequence(Qt::CTRL | Qt::Key_K)}, "palette",
               [this] { palette_->open(); });
    add_action("view.search", view, tr("&Search runs"), {QKeySequence::Find}, "search", [this] {
        docks_->at("runs-dock").show();
        runs_->focus_search();
    });
    // Out of a text field, where letters and Space are text.
    add_action("view.picture", view, tr("Go to the picture"), {QKeySequence(Qt::Key_F6)}, "image", [this] {
        (tunes() ? static_cast<QWidget*>(&tune_->grid()) : preview_)->setFocus(Qt::ShortcutFocusReason);
    });
    add_action("view.timeline", view, tr("Go to the timeline"), {QKeySequence(Qt::SHIFT | Qt::Key_F6)}, "timeline",
               [this] {
                   docks_->at("timeline-dock").show();
                   timeline_->setFocus(Qt::ShortcutFocusReason);
               });
    add_action("view.reset-layout", view, tr("Reset the docks"), {}, "layout", [this] { layouts_->reset_current(); });
    add_action("view.full-screen", view, tr("Full screen"), {QKeySequence(Qt::Key_F11)}, "fit",
               [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    auto* themes = new QActionGroup(this);
    const std::tuple<const char*, QString, Scheme> schemes[] = {
        {"view.theme-system", tr("Theme of the desktop"), Scheme::system},
        {"view.theme-light", tr("Light theme"), Scheme::light},
        {"view.theme-dark", tr("Dark theme"), Scheme::dark}};
    for (const auto& [id, text, scheme] : schemes) {
        auto* action = add_action(id, view, text, {}, "theme", [this, scheme = scheme] {
            studio_.theme.set_scheme(scheme);
            studio_.settings.set_theme(scheme_name(scheme));
        });
        action->setCheckable(true);
        action->setChecked(studio_.theme.scheme() == scheme);
        themes->addAction(action);
    }
}

void MainWindow::make_run_actions() {
    const QString run = tr("Run");
    add_action("run.generate", run, tr("&Generate"),
               {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)}, "generate",
               [this] { generate(false); });
    add_action(
        "run.generate-next", run, tr("Generate &next in line"),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Enter)},
        "generate", [this] { generate(true); });
    add_action("run.cancel", run, tr("&Stop"), {QKeySequence(Qt::Key_Escape)}, "stop", [this] {
        if (studio_.queue.running() != 0 || studio_.worker.busy()) say(tr("stopping …"));
        if (studio_.worker.busy()) // what is at work, not what waits behind it
            studio_.worker.cancel(studio_.worker.current());
        else if (studio_.queue.running() != 0)
            studio_.queue.cancel_current();
        else if (exports_->running())
            exports_->cancel();
        else if (layer_comparison_.busy())
            layer_comparison_.cancel();
        else if (timeline_->reader().busy())
            timeline_->reader().cancel();
        else
            exports_->stop_drafts();
    });
    auto* pause = add_action("run.pause", run, tr("&Pause the queue"), {}, "pause",
                             [this] { studio_.queue.set_paused(!studio_.queue.paused()); });
    pause->setCheckable(true);
    connect(&studio_.queue, &app::RunQueue::paused_changed, pause, &QAction::setChecked);
    add_action("run.undo-clear", run, tr("Bring back cleared queue entries"), {}, "undo",
               [this] { queue_->undo_clear(); });
    add_action("run.watch", run, tr("&Watch the run at work"), {}, "eye", [this] {
        watching_ = true;
        show_live();
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
    add_action("run.to-timeline", run, tr("&Add to the timeline"), {QKeySequence(Qt::Key_T)}, "timeline", [this] {
        const QStringList runs = runs_->selected();
        const auto* shown = preview_->info(app::Side::a);
        const QWidget* focus = QApplication::focusWidget();
        // What is looked at: in the list its selection, else the picture, which may be a file's or the run at work.
        const bool in_list = focus && runs_->isAncestorOf(focus);
        if (tunes() && !in_list) {
            const QStringList clips = tune_->selected_runs();
            return clips.isEmpty() ? say(tr("Select a clip that has a video first.")) : add_to_timeline(clips);
        }
        if (!in_list && steps_->shows_live() && steps_->live().running())
            return add_to_timeline({steps_->live().run()}); // says that there is no video yet
        const bool file = shown && shown->run.isEmpty() && !shown->path.isEmpty();
        if (file && (runs.isEmpty() || !in_list)) return timeline_->add_files({shown->path});
        if (runs.isEmpty() && shown_run_.isEmpty())
            return say(tr("Show a run, a video or a picture first, or select runs in the list."));
        add_to_timeline(runs.isEmpty() ? QStringList{shown_run_} : runs);
    });
}

void MainWindow::make_play_actions() {
    const QString play = tr("Play");
    add_action("play.toggle", play, tr("&Play or pause"), {QKeySequence(Qt::Key_Space)}, "play",
               [this] { play_or_pause(); });
    add_action("play.backwards", play, tr("Play backwards"), {QKeySequence(Qt::Key_J)}, "previous-frame",
               [this] { shuttle(-1); });
    add_action("play.stop", play, tr("Pause"), {QKeySequence(Qt::Key_K)}, "pause", [this] {
        preview_->player().pause();
        tune_->player().pause();
        timeline_->set_playing(false);
    });
    add_action("play.forwards", play, tr("Play forwards"), {QKeySequence(Qt::Key_L)}, "next-frame",
               [this] { shuttle(1); });
    add_action("play.frame-back", play, tr("Previous frame"), {QKeySequence(Qt::Key_Comma)}, "previous-frame",
               [this] { step_frames(-1); });
    add_action("play.frame-on", play, tr("Next frame"), {QKeySequence(Qt::Key_Period)}, "next-frame",
               [this] { step_frames(1); });
    add_action("play.ten-back", play, tr("Ten frames back"),
               {QKeySequence(Qt::SHIFT | Qt::Key_Comma), QKeySequence(Qt::Key_Less), QKeySequence(Qt::Key_Semicolon)},
               "previous-frame", [this] { step_frames(-10); });
    add_action("play.ten-on", play, tr("Ten frames forward"),
               {QKeySequence(Qt::SHIFT | Qt::Key_Period), QKeySequence(Qt::Key_Greater), QKeySequence(Qt::Key_Colon)},
               "next-frame", [this] { step_frames(10); });
    auto* loop = add_action("play.loop", play, tr("&Loop"), {}, "loop", [this] {
        preview_->player().set_loop(!preview_->player().loop());
        tune_->player().set_loop(preview_->player().loop());
    });
    loop->setCheckable(true);
    loop->setChecked(preview_->player().loop());
    connect(&preview_->player(), &app::Player::loop_changed, loop, &QAction::setChecked);
    add_action("play.fit", play, tr("&Fit the picture"), {QKeySequence(Qt::Key_F)}, "fit",
               [this] { tunes() ? tune_->grid().zoom_to_fit() : preview_->canvas().zoom_to_fit(); });
    add_action("play.values", play, tr("Pixel &values"), {QKeySequence(Qt::Key_I)}, "eye", [this] {
        if (timeline_has_focus()) return timeline_->trim_to_playhead(true);
        if (tunes()) return say_only_in_preview();
        preview_->canvas().set_shows_values(!preview_->canvas().shows_values());
    });
    add_action("play.true-size", play, tr("&True size"), {QKeySequence(Qt::Key_1)}, "one-to-one",
               [this] { tunes() ? say_only_in_preview() : preview_->canvas().zoom_to(1); });
}

void MainWindow::say_only_in_preview() {
    say(tr("The preview is not part of this layout: Enter shows the selected clip in it."));
}

void MainWindow::make_compare_actions() {
    const QString comparing = tr("Compare");
    add_action("compare.selected", comparing, tr("&Compare the selected runs"),
               {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)}, "compare", [this] {
                   const QStringList runs = runs_->selected();
                   if (runs.size() == 2)
                       compare(runs[0], runs[1]);
                   else if (runs.size() == 1 && runs[0] != shown_run_)
                       compare(shown_run_, runs[0]);
                   else
                       say(tr("Select two runs in the list first (Ctrl and click)."));
               });
    const auto with = [this](const QString& path) { compare({}, path); };
    add_action("compare.with-file", comparing, tr("Compare what is shown with a &file …"), {}, "open",
               [this, with] { ask_for_clip(this, ClipKind::file, with); });
    add_action("compare.with-folder", comparing, tr("Compare what is shown with a folder of f&rames …"), {}, "folder",
               [this, with] { ask_for_clip(this, ClipKind::folder, with); });
    add_action("compare.layers", comparing, tr("Compare &layer by layer"),
               {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L)}, "sliders", [this] { show_layers(); });
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
    // What needs two clips says so where there is one.
    const auto with_both = [this](auto act) {
        return [this, act] {
            if (!preview_->info(app::Side::a) || !preview_->info(app::Side::b))
                return say(tr("Choose an A and a B first."));
            act();
        };
    };
    const auto mode = [this, with_both](CompareMode wanted) {
        return with_both([this, wanted] { preview_->toggle_mode(wanted); });
    };
    add_action("compare.side-by-side", comparing, tr("&Side by side"), {QKeySequence(Qt::Key_Q)}, "compare",
               mode(CompareMode::side_by_side));
    add_action("compare.wipe", comparing, tr("&Wipe"), {QKeySequence(Qt::Key_W)}, "split", mode(CompareMode::wipe));
    add_action("compare.difference", comparing, tr("&Difference"), {QKeySequence(Qt::Key_D)}, "chart",
               mode(CompareMode::difference));
    add_action("compare.onion", comparing, tr("&Onion"), {QKeySequence(Qt::Key_O)}, "eye",
               [this, onion = mode(CompareMode::onion)] {
                   timeline_has_focus() ? timeline_->trim_to_playhead(false) : onion();
               });
    add_action("compare.flicker", comparing, tr("F&licker"), {}, "swap", mode(CompareMode::flicker));
    add_action("compare.flip", comparing, tr("&Flip A and B"), {QKeySequence(Qt::Key_0)}, "swap",
               with_both([this] { preview_->flip(); }));
    add_action("compare.swap", comparing, tr("S&wap A and B"), {}, "swap", [this] { preview_->swap(); });
    for (const auto& [id, text, key, by] :
         {std::tuple{"compare.shift-back", tr("B one frame earlier"), Qt::Key_Left, -1},
          {"compare.shift-on", tr("B one frame later"), Qt::Key_Right, 1}})
        add_action(id, comparing, text, {QKeySequence(Qt::ALT | key)}, by < 0 ? "previous-frame" : "next-frame",
                   with_both([this, by = by] { preview_->player().set_offset(preview_->player().offset() + by); }));
    auto* by_number =
        add_action("compare.by-number", comparing, tr("Pair frames by their &number, not by time"), {}, "sliders",
                   [this] { preview_->player().set_by_number(!preview_->player().by_number()); });
    by_number->setCheckable(true);
    connect(&preview_->player(), &app::Player::by_number_changed, by_number, &QAction::setChecked);
    add_action("compare.worst", comparing, tr("Go to the w&orst frame"), {QKeySequence(Qt::SHIFT | Qt::Key_W)}, "chart",
               with_both([this] {
                   if (preview_->comparison().worst() < 0) return say(tr("No frame that was measured differs."));
                   preview_->go_to_worst();
               }));
    using Kind = app::ComparisonExport;
    for (const auto& [id, text, picture, kind] :
         {std::tuple{"compare.export-video", tr("Export side by side …"), "export", Kind::side_by_side},
          {"compare.export-difference", tr("Export the difference as a video …"), "export", Kind::difference},
          {"compare.export-report", tr("Export the &report …"), "chart", Kind::report},
          {"compare.export-csv", tr("Export the figures as CS&V …"), "export", Kind::csv}})
        add_action(id, comparing, text, {}, picture, [this, kind = kind] { exports_->export_comparison(kind); });
    add_action("compare.end", comparing, tr("&End the comparison"), {}, "close", [this] {
        preview_->clear(app::Side::b);
        clip_opened(app::Side::b, {}, {});
        preview_->set_mode(CompareMode::single);
    });
}

void MainWindow::make_timeline_actions() {
    const QString timeline = tr("Timeline");
    // Nothing is cut that is not seen.
    const auto add_cut = [&](const char* id, const QString& text, const QList<QKeySequence>& keys, const char* picture,
                             auto act) {
        return add_action(id, timeline, text, keys, picture, [this, act] {
            if (timeline_->isVisible() && studio_.project.count() == 0) return say_empty_cut();
            if (timeline_->isVisible()) return act();
            say(tr("The timeline is not shown. %1 goes to it.")
                    .arg(actions_.at(QStringLiteral("view.timeline"))->shortcut().toString(QKeySequence::NativeText)));
        });
    };
    add_cut("timeline.split", tr("&Split at the playhead"), {QKeySequence(Qt::Key_S)}, "split",
            [this] { timeline_->split_at_playhead(); });
    add_cut("timeline.trim-in", tr("The shot &begins at the playhead"), {QKeySequence(Qt::Key_ParenLeft)}, "split",
            [this] { timeline_->trim_to_playhead(true); });
    add_cut("timeline.trim-out", tr("The shot en&ds at the playhead"), {QKeySequence(Qt::Key_ParenRight)}, "split",
            [this] { timeline_->trim_to_playhead(false); });
    add_cut("timeline.remove", tr("&Remove the shot, close the gap"), {QKeySequence(Qt::Key_X)}, "trash",
            [this] { timeline_->remove_selected(); });
    add_cut("timeline.extend", tr("&Extend the shot"), {QKeySequence(Qt::Key_E)}, "extend",
            [this] { extend(timeline_->meant()); });
    add_cut("timeline.retake", tr("Re&take the shot"), {QKeySequence(Qt::Key_R)}, "retake",
            [this] { retake(timeline_->meant()); });
    add_cut("timeline.play", tr("&Play the cut"), {QKeySequence(Qt::SHIFT | Qt::Key_Space)}, "play",
            [this] { timeline_->set_playing(!timeline_->playing()); });
    add_action("timeline.add", timeline, tr("Add &videos or pictures …"), {}, "open", [this] { ask_for_shots(false); });
    add_action("timeline.add-frames", timeline, tr("Add a &folder of frames …"), {}, "folder",
               [this] { ask_for_shots(true); });
    add_action("timeline.fit", timeline, tr("Show the whole cut"), {}, "fit", [this] { timeline_->zoom_to_fit(); });
}

void MainWindow::make_help_actions() {
    const QString help = tr("Help");
    add_action("help.shortcuts", help, tr("&Keyboard shortcuts …"), {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
               "keyboard", [this] {
                   auto* editor = findChild<ShortcutEditor*>();
                   if (!editor) editor = new ShortcutEditor(actions_, this);
                   editor->show();
                   editor->raise();
               });
    add_action("help.log", help, tr("&Log: what was done and what went wrong"), {}, "log", [this] { show_log(); });
    add_action("help.about", help, tr("&About Denoir"), {}, "info", [this] {
        if (raise_dialog(*this, tr("About Denoir"))) return;
        auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Denoir"),
                                    tr("<b>Denoir %1</b><p>A studio for generated video. The models run in this "
                                       "program, on this machine; nothing leaves it.</p>"
                                       "<p>Free software: studio GPL-3.0-or-later, engine Apache-2.0.</p>")
                                        .arg(QApplication::applicationVersion()),
                                    QMessageBox::Close, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->setModal(false);
        box->show();
    });
}

void MainWindow::make_menus() {
    const auto fill = [this](QMenu* menu, std::initializer_list<const char*> ids) {
        for (const char* id : ids)
            if (*id == '-')
                menu->addSeparator();
            else
                menu->addAction(actions_.at(QLatin1String(id)));
    };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    fill(file, {"file.new", "file.open"});
    QMenu* recent = file->addMenu(tr("Open &recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { files_->fill_recent(*recent); });
    fill(file, {"file.save", "file.save-as", "-", "file.export", "-", "file.models", "file.rebuild", "-",
                "file.disk-limit", "file.free-steps", "file.notify", "-", "file.quit"});
    fill(menuBar()->addMenu(tr("&Edit")),
         {"edit.undo", "edit.redo", "-", "edit.prompt", "edit.prompt-before", "edit.prompt-after",
          "edit.negative-default", "-", "edit.start-image", "edit.last-image", "edit.paste-image", "edit.camera",
          "edit.swap-images", "-", "edit.reset"});
    QMenu* view = menuBar()->addMenu(tr("&View"));
    fill(view, {"view.create", "view.compare", "view.tune", "-", "view.palette", "view.search", "view.picture",
                "view.timeline", "-"});
    docks_->fill_menu(*view->addMenu(tr("&Docks")), actions_);
    fill(view,
         {"view.reset-layout", "view.full-screen", "-", "view.theme-system", "view.theme-light", "view.theme-dark"});
    fill(menuBar()->addMenu(tr("&Run")),
         {"run.generate", "run.generate-next", "run.cancel", "run.pause", "run.undo-clear", "-", "run.watch",
          "run.branch", "run.resume", "-", "run.restore", "run.star", "run.verify", "run.reveal", "run.to-timeline",
          "-", "run.delete", "run.undo-delete"});
    fill(menuBar()->addMenu(tr("&Play")),
         {"play.toggle", "play.backwards", "play.stop", "play.forwards", "-", "play.frame-back", "play.frame-on",
          "play.ten-back", "play.ten-on", "-", "play.loop", "play.fit", "play.true-size", "play.values"});
    fill(menuBar()->addMenu(tr("&Compare")), {"compare.selected",
                                              "compare.with-file",
                                              "compare.with-folder",
                                              "compare.layers",
                                              "compare.traces",
                                              "-",
                                              "compare.side-by-side",
                                              "compare.wipe",
                                              "compare.difference",
                                              "compare.onion",
                                              "compare.flicker",
                                              "-",
                                              "compare.flip",
                                              "compare.swap",
                                              "compare.by-number",
                                              "compare.worst",
                                              "-",
                                              "compare.first-error",
                                              "-",
                                              "compare.export-video",
                                              "compare.export-difference",
                                              "compare.export-report",
                                              "compare.export-csv",
                                              "compare.export-layers",
                                              "-",
                                              "compare.end"});
    fill(menuBar()->addMenu(tr("T&une")),
         {"tune.axes", "tune.swap", "tune.take-axes", "-", "tune.missing", "tune.clear", "-", "tune.take",
          "tune.take-all", "tune.compare", "tune.star", "tune.reference", "-", "tune.export-video",
          "tune.export-picture", "tune.export-report", "tune.export-csv"});
    fill(menuBar()->addMenu(tr("&Timeline")),
         {"timeline.play", "-", "timeline.add", "timeline.add-frames", "-", "timeline.split", "timeline.trim-in",
          "timeline.trim-out", "timeline.remove", "timeline.extend", "timeline.retake", "edit.rename", "-",
          "timeline.fit", "file.export"});
    fill(menuBar()->addMenu(tr("&Help")), {"view.palette", "help.shortcuts", "help.log", "-", "help.about"});
    auto* find = new QToolButton(menuBar());
    QAction* palette_action = actions_.at(QStringLiteral("view.palette"));
    find->setText(tr("%1: find any action").arg(palette_action->shortcut().toString(QKeySequence::NativeText)));
    find->setAutoRaise(true);
    find->setFocusPolicy(Qt::NoFocus);
    find->setAccessibleName(tr("Find any action"));
    connect(find, &QToolButton::clicked, palette_action, &QAction::trigger);
    menuBar()->setCornerWidget(find);
}

bool MainWindow::timeline_has_focus() const {
    const QWidget* focus = QApplication::focusWidget();
    return focus && (focus == timeline_ || timeline_->isAncestorOf(focus));
}

void MainWindow::play_or_pause() {
    if (timeline_has_focus() || timeline_->playing())
        timeline_->set_playing(!timeline_->playing());
    else if (tunes())
        tune_->player().toggle();
    else {
        if (preview_->player().playing()) play_when_opened_ = false; // whoever pauses now wants the next one still, too
        preview_->player().toggle();
    }
}

void MainWindow::shuttle(int direction) {
    if (timeline_has_focus() || timeline_->playing())
        timeline_->shuttle(direction);
    else if (tunes())
        tune_->player().shuttle(direction);
    else
        preview_->player().shuttle(direction);
}

void MainWindow::step_frames(int frames) {
    if (timeline_has_focus() || timeline_->playing()) {
        timeline_->set_playing(false);
        timeline_->set_playhead(timeline_->playhead() + frames);
    } else if (tunes()) {
        tune_->player().step(frames);
    } else {
        preview_->player().step(frames);
    }
}

} // namespace denoir::ui
