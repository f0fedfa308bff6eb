// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/transport.h"

#include <algorithm>
#include <cmath>

namespace denoir::app {

double shuttled(double speed, int direction) {
    const double forward = speed * direction;
    if (forward >= 1) return direction * std::min(8.0, forward * 2);
    if (forward <= -2) return speed / 2;
    return direction;
}

Transport::Transport(QObject* parent) : QObject(parent) {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(4); // much shorter than a frame's time, so that frames change when they are due
    connect(&timer_, &QTimer::timeout, this, &Transport::tick);
}

double Transport::seconds() const { return frames() > 0 ? seconds_at(frame_) : 0; }

void Transport::start_clock(double seconds) {
    clock_start_ = seconds;
    clock_.start();
}

void Transport::settle(int frame, bool plays_on) {
    frame_ = frame;
    if (!plays_on) set_speed(0);
    start_clock(seconds());
    want(frame_);
    emit clips_changed();
    emit frame_changed(frame_);
}

void Transport::show(int frame) {
    if (frame == frame_) return;
    frame_ = frame;
    want(frame_);
    emit frame_changed(frame_);
}

void Transport::tick() {
    if (frames() < 2 || speed_ == 0) return;
    const double now = clock_start_ + speed_ * static_cast<double>(clock_.nsecsElapsed()) * 1e-9;
    const bool round = now >= duration() || now < 0;
    const int last = frames() - 1;
    if (round && !loop_) {
        show(speed_ > 0 ? last : 0);
        return set_speed(0);
    }
    const int due = !round ? frame_at(now) : speed_ > 0 ? 0 : last;
    if (due != frame_ && !ready(due)) { // shows frames one by one as they become ready, and sets the clock to them
        const int next = (frame_ + (speed_ > 0 ? 1 : last)) % frames();
        if (!ready(next)) return want(next);
        show(next);
        return start_clock(seconds());
    }
    show(due);
    // Backwards it starts at the end, so that the last frame is shown for its full time as well.
    if (round) start_clock(speed_ > 0 ? 0 : std::max(0.0, duration() - 1e-4));
}

void Transport::set_speed(double speed) {
    if (speed == speed_) return;
    speed_ = speed;
    start_clock(seconds());
    if (speed_ != 0)
        timer_.start();
    else
        timer_.stop();
    want(frame_); // the direction may have changed
    emit speed_changed(speed_);
}

void Transport::play() {
    if (frames() < 2) return;
    if (!loop_ && frame_ == frames() - 1) show(0);
    set_speed(1);
}

void Transport::pause() { set_speed(0); }

void Transport::toggle() { playing() ? pause() : play(); }

void Transport::go_to(int frame) {
    if (frames() == 0) return;
    show(std::clamp(frame, 0, frames() - 1));
    start_clock(seconds());
}

void Transport::step(int by) {
    pause();
    if (frames() == 0) return;
    const int to = frame_ + by;
    go_to(loop_ && std::abs(by) == 1 ? (to + frames()) % frames() : to);
}

void Transport::shuttle(int direction) {
    if (frames() < 2) return;
    set_speed(shuttled(speed_, direction));
}

void Transport::set_loop(bool loop) {
    if (loop == loop_) return;
    loop_ = loop;
    emit loop_changed(loop);
}

} // namespace denoir::app
