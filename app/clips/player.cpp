// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/player.h"

#include <algorithm>
#include <cmath>

namespace denoir::app {

Player::Player(QObject* parent) : QObject(parent) {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(4); // several looks within one frame's time: frames change when they are due
    connect(&timer_, &QTimer::timeout, this, &Player::tick);
}

void Player::set_clip(Side side, Clip* clip, int frame) {
    Clip*& slot = side == Side::a ? a_ : b_;
    if (slot) disconnect(slot, nullptr, this, nullptr);
    slot = clip;
    if (frame >= 0) frame_ = frame; // before anything is decoded
    const auto settle = [this] {
        pair();
        if (frame_ >= frames()) frame_ = std::max(0, frames() - 1);
        if (frames() <= 1) set_speed(0);
        restart_clock();
        want();
        emit clips_changed();
        emit frame_changed(frame_);
    };
    if (clip) {
        connect(clip, &Clip::opened, this, settle);
        connect(clip, &Clip::failed, this, settle);
    }
    settle();
}

Clip* Player::leader() const {
    for (Clip* clip : {a_, b_})
        if (clip && clip->state() == Clip::State::ready) return clip;
    return nullptr;
}

int Player::frames() const { return leader() ? leader()->info().frames : 0; }
double Player::seconds() const { return frames() ? leader()->info().times[static_cast<std::size_t>(frame_)] : 0; }

int Player::partner(const Clip& clip, int frame) const {
    const std::int64_t met = &clip == b_ && leader() == a_ ? pairing_.partner(frame) : frame;
    return int(std::clamp<std::int64_t>(met, 0, clip.info().frames - 1));
}

void Player::pair() {
    pairing_ = {0, 0, FrameMatch::index, offset_};
    if (!a_ || !b_) return;
    const ClipInfo &a = a_->info(), &b = b_->info();
    // As many frames of another rate are most likely the same ones, written by another program.
    if (by_number_ || !rates_differ(a.stated_fps, b.stated_fps) || a.frames == b.frames) return;
    const bool evenly = come_evenly(a.times, a.stated_fps) && come_evenly(b.times, b.stated_fps);
    pairing_ =
        evenly ? Pairing(a.stated_fps, b.stated_fps, FrameMatch::time, offset_) : Pairing(a.times, b.times, offset_);
}

int Player::frame_of(Side side) const {
    const Clip* c = clip(side);
    return c && c->state() == Clip::State::ready ? partner(*c, frame_) : -1;
}

bool Player::ready(int frame) const {
    for (const Clip* clip : {a_, b_})
        if (clip && clip->state() == Clip::State::ready && !clip->is_settled(partner(*clip, frame))) return false;
    return true;
}

void Player::want() {
    const int direction = speed_ < 0 ? -1 : 1;
    for (Clip* clip : {a_, b_})
        if (clip && clip->state() == Clip::State::ready) clip->want(partner(*clip, frame_), direction);
}

void Player::restart_clock() {
    clock_start_ = seconds();
    clock_.start();
}

void Player::show(int frame) {
    if (frame == frame_) return;
    frame_ = frame;
    want();
    emit frame_changed(frame_);
}

void Player::tick() {
    Clip* const clip = leader();
    if (!clip || speed_ == 0) return;
    const ClipInfo& info = clip->info();
    double now = clock_start_ + speed_ * static_cast<double>(clock_.nsecsElapsed()) * 1e-9;
    if (now >= info.duration || now < 0) {
        const int end = speed_ > 0 ? info.frames - 1 : 0;
        if (!loop_) {
            show(end);
            set_speed(0);
            return;
        }
        // The last frame has its full time before the first one follows.
        now = speed_ > 0 ? 0 : std::max(0.0, info.duration - 1e-4);
        clock_start_ = now;
        clock_.start();
    }
    const int due = info.frame_at(now);
    if (due == frame_) return;
    if (ready(due)) {
        show(due);
        return;
    }
    // Not decoded yet: frames go on one by one as they come, and the clock with them.
    const int next = (frame_ + (speed_ > 0 ? 1 : info.frames - 1)) % info.frames;
    if (ready(next)) {
        show(next);
        restart_clock();
        return;
    }
    for (Clip* c : {a_, b_})
        if (c && c->state() == Clip::State::ready) c->want(partner(*c, next), speed_ < 0 ? -1 : 1);
}

void Player::set_speed(double speed) {
    if (speed == speed_) return;
    const bool turned = (speed < 0) != (speed_ < 0);
    speed_ = speed;
    restart_clock();
    if (speed_ != 0)
        timer_.start();
    else
        timer_.stop();
    if (turned) want();
    emit speed_changed(speed_);
}

void Player::play() {
    if (frames() < 2) return;
    if (!loop_ && frame_ == frames() - 1) show(0);
    set_speed(1);
}

void Player::pause() { set_speed(0); }

void Player::toggle() {
    if (playing())
        pause();
    else
        play();
}

void Player::go_to(int frame) {
    if (frames() == 0) return;
    show(std::clamp(frame, 0, frames() - 1));
    restart_clock();
}

void Player::step(int by) {
    pause();
    if (frames() == 0) return;
    const int to = frame_ + by;
    go_to(loop_ && std::abs(by) == 1 ? (to + frames()) % frames() : to);
}

void Player::shuttle(int direction) {
    if (frames() < 2) return;
    const double forward = speed_ * direction;
    if (forward >= 1)
        set_speed(direction * std::min(8.0, forward * 2));
    else if (forward <= -2)
        set_speed(speed_ / 2); // the other way: slower first
    else
        set_speed(direction);
}

void Player::set_loop(bool loop) {
    if (loop == loop_) return;
    loop_ = loop;
    emit loop_changed(loop);
}

void Player::set_by_number(bool on) {
    if (on == by_number_) return;
    by_number_ = on;
    pair();
    want();
    emit by_number_changed(on);
    emit frame_changed(frame_);
}

void Player::set_offset(int frames) {
    if (frames == offset_) return;
    offset_ = frames;
    pair();
    want();
    emit offset_changed(frames);
    emit frame_changed(frame_);
}

} // namespace denoir::app
