// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/playback.h"

#include <QApplication>

#include <utility>

#include "app/clips/grid_player.h"
#include "ui/preview/preview_view.h"
#include "ui/timeline/timeline_view.h"
#include "ui/tune/sweep_view.h"
#include "ui/window/layouts.h"

namespace denoir::ui {

Playback::Playback(PreviewView& preview, SweepView& sweep, TimelineView& cut, const Layouts& layouts, QObject* parent)
    : QObject(parent), preview_(preview), sweep_(sweep), cut_(cut), layouts_(layouts) {
    // Playing a clip pauses the cut.
    connect(&preview_.player(), &app::Player::speed_changed, this, [this](double speed) {
        if (speed != 0) pause_cut();
    });
}

bool Playback::cut_has_focus() const {
    const QWidget* focus = QApplication::focusWidget();
    return focus && (focus == &cut_ || cut_.isAncestorOf(focus));
}

bool Playback::means_cut() const { return cut_has_focus() || cut_.playing(); }

app::Transport* Playback::transport() const {
    if (layouts_.current() == Layout::tune) return &sweep_.player();
    return preview_.covered() ? nullptr : &preview_.player();
}

app::Transport* Playback::playable() {
    app::Transport* player = transport();
    if (!player && preview_.uncover()) player = transport();
    if (player && player->frames() > 1) return player;
    emit said(tr("Nothing that plays is shown."));
    return nullptr;
}

void Playback::toggle() {
    if (means_cut()) return cut_.set_playing(!cut_.playing());
    app::Transport* player = playable();
    if (!player) return;
    if (player == &preview_.player() && player->playing())
        plays_next_ = false; // after a pause the next clip does not play by itself either
    player->toggle();
}

void Playback::pause() {
    preview_.player().pause();
    sweep_.player().pause();
    pause_cut();
}

void Playback::pause_cut() { cut_.set_playing(false); }

void Playback::shuttle(int direction) {
    if (means_cut()) return cut_.shuttle(direction);
    if (app::Transport* player = playable()) player->shuttle(direction);
}

void Playback::step(int frames) {
    if (means_cut()) {
        pause_cut();
        return cut_.set_playhead(cut_.playhead() + frames);
    }
    if (app::Transport* player = playable()) player->step(frames);
}

void Playback::toggle_loop() {
    preview_.player().set_loop(!preview_.player().loop());
    sweep_.player().set_loop(preview_.player().loop());
}

void Playback::clip_opened() {
    if (std::exchange(plays_next_, false)) preview_.player().play();
}

} // namespace denoir::ui
