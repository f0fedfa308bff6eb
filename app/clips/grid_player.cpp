// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/grid_player.h"

#include <algorithm>
#include <cmath>

namespace denoir::app {
namespace {

class ScaledSource : public ClipSource {
public:
    ScaledSource(std::unique_ptr<ClipSource> whole, int side) : whole_(std::move(whole)) {
        info_ = whole_->info();
        if (std::max(info_.size.width(), info_.size.height()) > side)
            info_.size = info_.size.scaled(side, side, Qt::KeepAspectRatio).expandedTo({1, 1});
    }
    Image read(int frame) override {
        Image image = whole_->read(frame);
        if (info_.size == whole_->info().size) return image;
        return to_image(to_qimage(image).scaled(info_.size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation));
    }
    int begin_of(int frame) const override { return whole_->begin_of(frame); }

private:
    std::unique_ptr<ClipSource> whole_;
};

} // namespace

std::unique_ptr<Clip> open_scaled(FrameCache& cache, const QString& path, int side) {
    return cache.open([path, side](std::stop_token stop) -> std::unique_ptr<ClipSource> {
        return std::make_unique<ScaledSource>(open_clip(path, std::move(stop)), side);
    });
}

GridPlayer::GridPlayer(QObject* parent) : QObject(parent) {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(6);
    connect(&timer_, &QTimer::timeout, this, &GridPlayer::tick);
}

void GridPlayer::set_clips(std::vector<Clip*> clips) {
    for (Clip* clip : clips_)
        if (std::find(clips.begin(), clips.end(), clip) == clips.end()) disconnect(clip, nullptr, this, nullptr);
    std::erase(clips, nullptr);
    for (Clip* clip : clips)
        if (std::find(clips_.begin(), clips_.end(), clip) == clips_.end()) {
            connect(clip, &Clip::opened, this, &GridPlayer::settle);
            connect(clip, &Clip::failed, this, &GridPlayer::settle);
        }
    clips_ = std::move(clips);
    settle();
}

void GridPlayer::settle() {
    double duration = 0;
    rate_ = 0;
    int frames = 0;
    bool opening = false;
    for (const Clip* clip : clips_) {
        opening = opening || clip->state() == Clip::State::opening;
        if (clip->state() != Clip::State::ready) continue;
        rate_ = std::max(rate_, clip->info().fps);
        duration = std::max(duration, clip->info().duration);
        frames = std::max(frames, clip->info().frames);
    }
    frames_ = rate_ > 0 ? std::max(1, int(std::lround(duration * rate_))) : frames;
    // Where nothing is open for a moment, another page's clips go on from there.
    frame_ = std::clamp(int(std::lround(moment_ * rate_)), 0, std::max(0, frames_ - 1));
    if (frames_ < 2 && !clips_.empty() && !opening) set_speed(0);
    restart_clock();
    want(frame_);
    emit clips_changed();
    emit frame_changed(frame_);
}

int GridPlayer::frame_of(const Clip& clip, int frame) const {
    if (clip.state() != Clip::State::ready) return -1;
    // The middle of the frame's time: two rates that differ by a hair do not step on each other.
    return rate_ > 0 ? clip.info().frame_at((frame + 0.5) / rate_) : 0;
}

bool GridPlayer::ready(int frame) const {
    return std::all_of(clips_.begin(), clips_.end(), [&](const Clip* clip) {
        const int own = frame_of(*clip, frame);
        return own < 0 || clip->is_settled(own);
    });
}

void GridPlayer::want(int frame) {
    for (Clip* clip : clips_)
        if (const int own = frame_of(*clip, frame); own >= 0) clip->want(own, speed_ < 0 ? -1 : 1);
}

void GridPlayer::restart_clock() {
    clock_start_ = frame_;
    clock_.start();
}

void GridPlayer::show(int frame) {
    if (frame == frame_) return;
    frame_ = frame;
    moment_ = seconds();
    want(frame_);
    emit frame_changed(frame_);
}

void GridPlayer::tick() {
    if (frames_ < 2 || speed_ == 0) return;
    const double now = clock_start_ + speed_ * rate_ * double(clock_.nsecsElapsed()) * 1e-9;
    int due = int(std::floor(now));
    if (due >= frames_ || due < 0) {
        if (!loop_) {
            show(speed_ > 0 ? frames_ - 1 : 0);
            return set_speed(0);
        }
        due = speed_ > 0 ? 0 : frames_ - 1;
    }
    if (due == frame_) return;
    if (!ready(due)) { // one by one as they come, and the clock with them
        due = (frame_ + (speed_ > 0 ? 1 : frames_ - 1)) % frames_;
        if (!ready(due)) return want(due);
        show(due);
        return restart_clock();
    }
    const bool round = (speed_ > 0) != (due > frame_);
    show(due);
    if (round) restart_clock();
}

void GridPlayer::set_speed(double speed) {
    if (speed == speed_) return;
    speed_ = speed;
    restart_clock();
    if (speed_ != 0)
        timer_.start();
    else
        timer_.stop();
    want(frame_);
    emit speed_changed(speed_);
}

void GridPlayer::play() {
    if (frames_ < 2) return;
    if (!loop_ && frame_ == frames_ - 1) show(0);
    set_speed(1);
}

void GridPlayer::pause() { set_speed(0); }

void GridPlayer::toggle() { playing() ? pause() : play(); }

void GridPlayer::go_to(int frame) {
    if (frames_ == 0) return;
    show(std::clamp(frame, 0, frames_ - 1));
    restart_clock();
}

void GridPlayer::step(int by) {
    pause();
    if (frames_ == 0) return;
    const int to = frame_ + by;
    go_to(loop_ && std::abs(by) == 1 ? (to + frames_) % frames_ : to);
}

void GridPlayer::shuttle(int direction) {
    if (frames_ < 2) return;
    const double forward = speed_ * direction;
    set_speed(forward >= 1 ? direction * std::min(8.0, forward * 2) : forward <= -2 ? speed_ / 2 : direction);
}

void GridPlayer::set_loop(bool loop) {
    if (loop == loop_) return;
    loop_ = loop;
    emit loop_changed(loop);
}

} // namespace denoir::app
