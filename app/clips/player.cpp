// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/player.h"

#include <algorithm>
#include <utility>

namespace denoir::app {

namespace {

bool is_ready(const Clip* clip) { return clip && clip->state() == Clip::State::ready; }

} // namespace

Player::Player(QObject* parent) : Transport(parent) {}

void Player::set_clip(Side side, Clip* clip, int frame) {
    const Side other = side == Side::a ? Side::b : Side::a;
    const int of_other = frame_of(other);
    Clip*& slot = side == Side::a ? a_ : b_;
    if (slot) disconnect(slot, nullptr, this, nullptr);
    slot = clip;
    b_came_first_ = false;
    pair();
    if (clip) {
        // Until now the other clip led, and its frame stays.
        const auto changed = [this, clip] {
            pair();
            clip_changed(kept(clip == a_ ? Side::b : Side::a, this->frame()));
        };
        connect(clip, &Clip::opened, this, changed);
        connect(clip, &Clip::failed, this, changed);
    }
    clip_changed(frame >= 0 ? frame : kept(other, of_other));
}

void Player::swap(int offset) {
    b_came_first_ = leader() && leader() == a_; // the same clip goes on leading
    std::swap(a_, b_);
    const bool shifted = std::exchange(offset_, offset) != offset;
    pair();
    clip_changed(frame());
    if (shifted) emit offset_changed(offset_);
}

int Player::kept(Side side, int frame) const {
    const int now = std::clamp(this->frame(), 0, std::max(0, frames() - 1));
    return !is_ready(clip(side)) || partner(*clip(side), now) == frame ? now : frame_where(side, frame);
}

void Player::clip_changed(int frame) { settle(std::clamp(frame, 0, std::max(0, frames() - 1)), frames() > 1); }

Clip* Player::leader() const {
    if (b_leads()) return b_;
    return is_ready(a_) ? a_ : nullptr;
}

/// Whether B is the leader, as it must be if A is shorter or a picture.
bool Player::b_leads() const {
    if (!is_ready(a_) || !is_ready(b_)) return is_ready(b_);
    const auto longer = [this](const ClipInfo& one, const ClipInfo& other) {
        return pairing_.by_time() ? one.duration >= other.duration + 1 / other.stated_fps : one.frames > other.frames;
    };
    return longer(b_->info(), a_->info()) || (b_came_first_ && !longer(a_->info(), b_->info()));
}

int Player::frames() const { return leader() ? leader()->info().frames : 0; }
double Player::seconds_at(int frame) const { return leader()->info().times[static_cast<std::size_t>(frame)]; }
int Player::frame_at(double seconds) const { return leader()->info().frame_at(seconds); }
double Player::duration() const { return leader()->info().duration; }

int Player::partner(const Clip& clip, int frame) const {
    const std::int64_t last = clip.info().frames - 1;
    std::int64_t met = frame;
    if (&clip == b_ && leader() == a_) met = pairing_.partner(frame);
    if (&clip == a_ && leader() == b_) met = back_.partner(frame - offset_);
    return int(std::clamp<std::int64_t>(met, 0, last));
}

void Player::pair() {
    pairing_ = {0, 0, FrameMatch::index, offset_};
    back_ = {};
    if (!a_ || !b_) return;
    const ClipInfo &a = a_->info(), &b = b_->info();
    // Clips with the same number of frames at other rates are most likely the same, written by other programs.
    if (by_number_ || !rates_differ(a.stated_fps, b.stated_fps) || a.frames == b.frames) return;
    const bool evenly = come_evenly(a.times, a.stated_fps) && come_evenly(b.times, b.stated_fps);
    const auto by_time = [evenly](const ClipInfo& from, const ClipInfo& to, int offset) {
        return evenly ? Pairing(from.stated_fps, to.stated_fps, FrameMatch::time, offset)
                      : Pairing(from.times, to.times, offset);
    };
    pairing_ = by_time(a, b, offset_);
    back_ = by_time(b, a, 0);
}

int Player::frame_of(Side side) const {
    const Clip* c = clip(side);
    return is_ready(c) ? partner(*c, frame()) : -1;
}

int Player::frame_where(Side side, int frame) const {
    const Clip *c = clip(side), *leads = leader();
    if (!is_ready(c)) return 0;
    const std::int64_t last = leads->info().frames - 1;
    std::int64_t at = frame;
    if (c != leads) at = side == Side::a ? pairing_.partner(frame) : pairing_.first_to_meet(frame, 0, last);
    return int(std::clamp<std::int64_t>(at, 0, last));
}

bool Player::frames_meet() const {
    return is_ready(a_) && is_ready(b_) && frame_of(Side::b) == pairing_.partner(frame_of(Side::a));
}

bool Player::ready(int frame) const {
    for (const Clip* clip : {a_, b_})
        if (is_ready(clip) && !clip->is_settled(partner(*clip, frame))) return false;
    return true;
}

void Player::want(int frame) {
    for (Clip* clip : {a_, b_})
        if (is_ready(clip)) clip->want(partner(*clip, frame), direction());
}

void Player::set_by_number(bool on) {
    if (on == by_number_) return;
    const int of_a = frame_of(Side::a);
    by_number_ = on;
    pair();
    settle(of_a < 0 ? frame() : frame_where(Side::a, of_a), playing()); // the other clip may lead now
    emit by_number_changed(on);
}

void Player::set_offset(int frames) {
    if (frames == offset_) return;
    const int of_a = frame_of(Side::a);
    offset_ = frames;
    pair();
    if (const int now = kept(Side::a, of_a); now != frame())
        settle(now, playing());
    else
        want(frame());
    emit offset_changed(frames);
    emit frame_changed(frame());
}

} // namespace denoir::app
