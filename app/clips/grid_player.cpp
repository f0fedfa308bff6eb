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

GridPlayer::GridPlayer(QObject* parent) : Transport(parent) {}

void GridPlayer::set_clips(std::vector<Clip*> clips) {
    for (Clip* clip : clips_)
        if (std::find(clips.begin(), clips.end(), clip) == clips.end()) disconnect(clip, nullptr, this, nullptr);
    std::erase(clips, nullptr);
    for (Clip* clip : clips)
        if (std::find(clips_.begin(), clips_.end(), clip) == clips_.end()) {
            connect(clip, &Clip::opened, this, &GridPlayer::clips_opened);
            connect(clip, &Clip::failed, this, &GridPlayer::clips_opened);
        }
    clips_ = std::move(clips);
    clips_opened();
}

void GridPlayer::clips_opened() {
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
    // If no clip is open for a moment, those of another page will continue from there.
    const int frame = std::clamp(int(std::lround(moment_ * rate_)), 0, std::max(0, frames_ - 1));
    settle(frame, frames_ > 1 || clips_.empty() || opening);
}

int GridPlayer::frame_at(double seconds) const {
    constexpr double hair = 1e-6; // frames; rounding may put the beginning of a frame a little too early
    return std::min(int(std::floor(seconds * rate_ + hair)), frames_ - 1);
}

int GridPlayer::frame_of(const Clip& clip, int frame) const {
    if (clip.state() != Clip::State::ready) return -1;
    // The middle of the frame's time, so that clips whose rates differ very little do not skip or repeat frames.
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
        if (const int own = frame_of(*clip, frame); own >= 0) clip->want(own, direction());
}

void GridPlayer::show(int frame) {
    if (frame != this->frame()) moment_ = seconds_at(frame);
    Transport::show(frame);
}

} // namespace denoir::app
