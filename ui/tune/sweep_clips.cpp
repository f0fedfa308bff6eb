// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/sweep_clips.h"

#include <algorithm>

namespace denoir::ui {
namespace {

constexpr qint64 cache_bytes = qint64{384} << 20;

/// Rounds a size up in steps, so that enlarging the window does not decode everything again for each pixel.
int bucket(int side) {
    for (const int each : {128, 192, 256, 384, 512, 768, 1024})
        if (side <= each) return each;
    return 1536;
}

} // namespace

SweepClips::SweepClips(QObject* parent) : QObject(parent), cache_(cache_bytes) {
    connect(&player_, &app::GridPlayer::frame_changed, this, &SweepClips::changed);
}

SweepClips::~SweepClips() {
    player_.blockSignals(true); // listeners are being destroyed as well
    player_.set_clips({});
}

void SweepClips::want(const QStringList& runs, int side) {
    const int pixels = bucket(side);
    const bool grows = pixels != side_;
    side_ = pixels;
    const bool leaves =
        std::any_of(shown_.keyBegin(), shown_.keyEnd(), [&](const QString& r) { return !runs.contains(r); });
    if (!shown_.isEmpty() && (grows || leaves)) player_.set_clips({});
    shown_.removeIf([&](const auto& item) { return !runs.contains(item.key()); });
    if (grows)
        for (const auto& each : shown_) each->clip.reset(); // their pictures stay until new ones come
    bool opened = false;
    for (const QString& run : runs) {
        auto& each = shown_[run];
        if (!each) each = std::make_shared<Shown>();
        if (each->clip) continue;
        each->clip = app::open_scaled(cache_, run, side_);
        connect(each->clip.get(), &app::Clip::frame_ready, this, [this, run](int frame) {
            const auto found = shown_.value(run);
            if (found && found->clip && player_.frame_of(*found->clip) == frame) emit changed();
        });
        connect(each->clip.get(), &app::Clip::failed, this, &SweepClips::changed);
        opened = true;
    }
    if (opened || leaves || grows) tell_player();
}

void SweepClips::tell_player() {
    std::vector<app::Clip*> clips;
    for (const auto& each : shown_)
        if (each->clip) clips.push_back(each->clip.get());
    player_.set_clips(std::move(clips));
}

QImage SweepClips::picture(const QString& run) const {
    const auto each = shown_.value(run);
    if (!each) return {};
    if (each->clip)
        if (const int frame = player_.frame_of(*each->clip); frame >= 0)
            if (const QImage now = each->clip->cached(frame); !now.isNull()) each->picture = now;
    return each->picture;
}

QString SweepClips::problem(const QString& run) const {
    const auto each = shown_.value(run);
    return each && each->clip ? each->clip->issue().line() : QString();
}

bool SweepClips::settled() const {
    return !shown_.isEmpty() && std::all_of(shown_.begin(), shown_.end(), [this](const auto& each) {
        if (!each->clip || each->clip->state() == app::Clip::State::failed) return true;
        const int frame = player_.frame_of(*each->clip);
        return frame >= 0 && each->clip->is_settled(frame);
    });
}

} // namespace denoir::ui
