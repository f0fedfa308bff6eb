// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/cut_player.h"

#include <algorithm>
#include <cmath>

#include "app/clips/transport.h"
#include "app/project/project.h"

namespace denoir::app {

CutPlayer::CutPlayer(const Project& project, QObject* parent) : QObject(parent), project_(project) {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(8);
    connect(&timer_, &QTimer::timeout, this, &CutPlayer::advance);
}

void CutPlayer::go_to(int frame) {
    move(frame);
    if (playing()) restart_clock();
}

void CutPlayer::move(int frame) {
    frame = std::clamp(frame, 0, project_.frames());
    if (frame == frame_) return;
    frame_ = frame;
    emit moved(frame_);
}

void CutPlayer::follow_cut() {
    if (frame_ > project_.frames()) move(project_.frames());
    if (project_.count() == 0) pause();
    if (playing()) restart_clock();
}

void CutPlayer::pause() {
    if (!playing()) return;
    timer_.stop();
    emit playing_changed(false);
    emit frame_expected({}, {}, 0);
}

void CutPlayer::shuttle(int direction) { play(shuttled(speed(), direction)); }

void CutPlayer::play(double speed) {
    if (project_.frames() == 0) return emit empty();
    if (speed < 0 && frame_ <= 0) return;
    if (!playing() && speed > 0 && frame_ >= project_.frames() - 1) move(0);
    speed_ = speed;
    restart_clock();
    if (playing()) return;
    timer_.start();
    emit playing_changed(true);
    look_ahead();
}

void CutPlayer::restart_clock() {
    constexpr double hair = 1e-6;
    // Backwards the clock starts at the frame's end, so that the frame is shown for its full time as well.
    start_ = speed_ < 0 ? seconds_at(std::min(frame_ + 1, project_.frames())) - hair
                        : seconds_at(std::min(frame_, project_.frames() - 1)) + hair;
    clock_.start();
}

double CutPlayer::seconds_at(int frame) const {
    double seconds = 0;
    for (const Shot& shot : project_.shots()) {
        if (frame < shot.frames()) return seconds + frame / shot.current().fps;
        seconds += shot.seconds();
        frame -= shot.frames();
    }
    return seconds;
}

double CutPlayer::frame_at(double seconds) const {
    double frame = 0;
    for (const Shot& shot : project_.shots()) {
        if (seconds < shot.seconds()) return frame + seconds * shot.current().fps;
        seconds -= shot.seconds();
        frame += shot.frames();
    }
    return frame;
}

/// Moves the playhead to the time of the clock.
void CutPlayer::advance() {
    if (settled_ && !settled_()) return restart_clock();
    const double seconds = start_ + speed_ * double(clock_.nsecsElapsed()) * 1e-9;
    const int last = std::max(0, project_.frames() - 1);
    const bool over = seconds < 0 || seconds >= project_.seconds();
    move(over ? (seconds < 0 ? 0 : last) : int(frame_at(seconds)));
    over ? pause() : look_ahead();
}

void CutPlayer::look_ahead() {
    constexpr double in_good_time = 2; // seconds; a long clip must be indexed before any of its frames can be shown
    const bool on = speed_ > 0;
    const int row = project_.place(frame_).row, next = row + (on ? 1 : -1);
    if (row < 0 || next < 0 || next >= project_.count()) return;
    const double boundary = seconds_at(project_.start_of(on ? next : row));
    if (std::abs(boundary - seconds_at(frame_)) > in_good_time * std::abs(speed_)) return;
    const Shot& shot = project_.shot(next);
    const Take& take = shot.current();
    emit frame_expected(take.video, take.run, take.picture(on ? shot.in : shot.out - 1));
}

} // namespace denoir::app
