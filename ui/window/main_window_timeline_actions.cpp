// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow with the actions for the cut.
#include "app/project/project.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/extension.h"
#include "ui/window/main_window.h"
#include "ui/window/retaking.h"
#include "ui/window/shot_adder.h"

namespace denoir::ui {

void MainWindow::make_timeline_actions() {
    const QString timeline = tr("Timeline");
    // While the timeline is hidden, these only show it, so that nothing is changed that is not seen.
    const auto add_cut = [&](const char* id, const QString& text, const QList<QKeySequence>& keys, const char* picture,
                             auto act) {
        return add_action(id, timeline, text, keys, picture, [this, act] {
            if (timeline_->isVisible() && studio_.project.count() == 0) return say_empty_cut();
            if (timeline_->isVisible()) return act();
            const QString key = actions_.keys(QStringLiteral("view.timeline"));
            say(key.isEmpty() ? tr("The timeline is not shown.")
                              : tr("The timeline is not shown. %1 goes to it.").arg(key));
        });
    };
    add_cut("timeline.split", tr("&Split at the playhead"), {QKeySequence(Qt::Key_S)}, "split",
            [this] { timeline_->split_at_playhead(); });
    add_cut("timeline.trim-in", tr("Trim the &beginning to the playhead"), {QKeySequence(Qt::SHIFT | Qt::Key_I)},
            "split", [this] { timeline_->trim_to_playhead(true); });
    add_cut("timeline.trim-out", tr("Trim the en&d to the playhead"), {QKeySequence(Qt::SHIFT | Qt::Key_O)}, "split",
            [this] { timeline_->trim_to_playhead(false); });
    add_cut("timeline.remove", tr("&Remove the shot, close the gap"), {QKeySequence(Qt::Key_X)}, "trash",
            [this] { timeline_->remove_selected(); });
    add_cut("timeline.extend", tr("&Extend the shot"), {QKeySequence(Qt::Key_E)}, "extend",
            [this] { extension_->begin(timeline_->meant()); });
    add_cut("timeline.retake", tr("Re&take the shot"), {QKeySequence(Qt::Key_R)}, "retake",
            [this] { retaking_->retake(timeline_->meant()); });
    add_cut("timeline.play", tr("&Play the cut"), {QKeySequence(Qt::SHIFT | Qt::Key_Space)}, "play",
            [this] { timeline_->set_playing(!timeline_->playing()); });
    add_action("timeline.add", timeline, tr("Add &videos or pictures …"), {}, "open",
               [this] { shot_adder_->ask_for_files(); });
    add_action("timeline.add-frames", timeline, tr("Add a &folder of frames …"), {}, "folder",
               [this] { shot_adder_->ask_for_folder(); });
    add_action("timeline.fit", timeline, tr("Show the whole cut"), {}, "fit", [this] {
        if (studio_.project.count() == 0) return say_empty_cut();
        timeline_->zoom_to_fit();
    });

    // These only work while the timeline has the focus; see connect_cut().
    const auto add_here = [&](const char* id, const QString& text, const QList<QKeySequence>& keys, const char* picture,
                              auto act) { add_cut(id, text, keys, picture, act)->setAutoRepeat(true); };
    add_here("timeline.delete", tr("Delete the selected shot"),
             {QKeySequence(Qt::Key_Delete), QKeySequence(Qt::Key_Backspace)}, "trash",
             [this] { timeline_->remove_selected(); });
    add_here("timeline.open", tr("Open what the shot shows"),
             {QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)}, "open",
             [this] { timeline_->open_selected(); });
    add_here("timeline.previous", tr("Shot before"), {QKeySequence(Qt::Key_Left)}, "previous-frame",
             [this] { timeline_->select_beside(-1); });
    add_here("timeline.next", tr("Shot after"), {QKeySequence(Qt::Key_Right)}, "next-frame",
             [this] { timeline_->select_beside(1); });
    add_here("timeline.move-back", tr("Move the shot to the left"), {QKeySequence(Qt::CTRL | Qt::Key_Left)}, "swap",
             [this] { timeline_->move_selected(-1); });
    add_here("timeline.move-on", tr("Move the shot to the right"), {QKeySequence(Qt::CTRL | Qt::Key_Right)}, "swap",
             [this] { timeline_->move_selected(1); });
    add_here("timeline.shorter", tr("The shot ends a frame earlier"), {QKeySequence(Qt::SHIFT | Qt::Key_Left)}, "crop",
             [this] { timeline_->lengthen_selected(-1); });
    add_here("timeline.longer", tr("The shot ends a frame later"), {QKeySequence(Qt::SHIFT | Qt::Key_Right)}, "extend",
             [this] { timeline_->lengthen_selected(1); });
    add_here("timeline.first", tr("To the beginning of the cut"), {QKeySequence(Qt::Key_Home)}, "up", [this] {
        timeline_->select(0);
        timeline_->set_playhead(0);
    });
    add_here("timeline.last", tr("To the end of the cut"), {QKeySequence(Qt::Key_End)}, "down", [this] {
        timeline_->select(studio_.project.count() - 1);
        timeline_->set_playhead(studio_.project.frames());
    });
    add_here("timeline.zoom-in", tr("Zoom in"), {QKeySequence(Qt::Key_Plus)}, "add", [this] { timeline_->zoom(1.25); });
    add_here("timeline.zoom-out", tr("Zoom out"), {QKeySequence(Qt::Key_Minus)}, "remove",
             [this] { timeline_->zoom(0.8); });
}

} // namespace denoir::ui
