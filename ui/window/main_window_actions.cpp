// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow with the table of actions, and those for files, editing, the view and help.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QMessageBox>

#include "app/base/settings.h"
#include "app/project/project.h"
#include "app/runs/run_history.h"
#include "ui/actions/command_palette.h"
#include "ui/actions/shortcut_editor.h"
#include "ui/docks/images_panel.h"
#include "ui/docks/models_panel.h"
#include "ui/docks/parameters_panel.h"
#include "ui/docks/prompt_panel.h"
#include "ui/docks/queue_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_view.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_view.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/raise_dialog.h"
#include "ui/window/disk_limit.h"
#include "ui/window/docks.h"
#include "ui/window/exports.h"
#include "ui/window/main_window.h"
#include "ui/window/playback.h"
#include "ui/window/project_files.h"
#include "ui/window/removal_undo.h"

namespace denoir::ui {

QAction* MainWindow::add_action(const char* id, const QString& group, const QString& text,
                                const QList<QKeySequence>& keys, const char* picture, std::function<void()> act) {
    QAction* action = actions_.add(QLatin1String(id), group, text, keys, QLatin1String(picture));
    connect(action, &QAction::triggered, this, std::move(act));
    return action;
}

/// Makes them in the order of the menus, which is also the palette's.
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
                           "play.frame-on", "play.ten-back", "play.ten-on", "compare.shift-back", "compare.shift-on",
                           "compare.edge-left", "compare.edge-right"})
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
        auto& settings = studio_.settings; // not `this`, as actions outlive the members of the window
        action->setChecked((settings.*get)());
        connect(action, &QAction::triggered, this, [&settings, set](bool on) { (settings.*set)(on); });
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
        if (!keeps_export()) quit();
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
    add_action("edit.negative-default", edit, tr("Use the model's negative prompt"), {}, "prompt",
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
        if (playback_->cut_has_focus()) return timeline_->rename_selected();
        docks_->reveal("runs-dock");
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
        auto* action = add_action(id, view, text, {QKeySequence(Qt::CTRL | key)}, picture, [this, each = each] {
            each == Layout::compare ? show_compare() : layouts_->show(each);
        });
        action->setCheckable(true);
        layouts->addAction(action);
    }
    add_action("view.palette", view, tr("&Find any action"), {QKeySequence(Qt::CTRL | Qt::Key_K)}, "palette",
               [this] { palette_->open(); });
    add_action("view.search", view, tr("&Search runs"), {QKeySequence::Find}, "search", [this] {
        docks_->at("runs-dock").show();
        runs_->focus_search();
    });
    // A way out of text fields, in which letters and Space cannot be used as keys.
    add_action("view.picture", view, tr("Go to the picture"), {QKeySequence(Qt::Key_F6)}, "image", [this] {
        (tunes() ? static_cast<QWidget*>(&tune_->grid()) : preview_)->setFocus(Qt::ShortcutFocusReason);
    });
    add_action("view.timeline", view, tr("Go to the timeline"), {QKeySequence(Qt::SHIFT | Qt::Key_F6)}, "timeline",
               [this] {
                   docks_->reveal("timeline-dock");
                   timeline_->setFocus(Qt::ShortcutFocusReason);
               });
    add_action("view.parameters", view, tr("Go to the parameters"), {QKeySequence(Qt::Key_F7)}, "sliders", [this] {
        docks_->reveal("parameters-dock");
        parameters_->go_to(*parameters_->fields().constFirst());
    });
    add_action("view.queue", view, tr("Go to the queue"), {QKeySequence(Qt::SHIFT | Qt::Key_F7)}, "queue", [this] {
        docks_->reveal("queue-dock");
        queue_->take_focus();
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

} // namespace denoir::ui
