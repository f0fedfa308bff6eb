// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <vector>

#include "app/clips/frame_cache.h"
#include "app/clips/transport.h"

namespace denoir::app {

/// Plays any number of clips together, at the highest of their rates. Each shows its frame of that moment; a shorter
/// one stays at its last frame. Borrows the clips. GUI thread.
class GridPlayer : public Transport {
    Q_OBJECT
public:
    explicit GridPlayer(QObject* parent = nullptr);

    /// Null clips are left out. The moment that is shown stays as far as possible.
    void set_clips(std::vector<Clip*> clips);
    int frames() const override { return frames_; } ///< of the longest clip, at rate()
    double rate() const { return rate_; }           ///< frames per second
    /// The frame of a clip at this moment; -1 if the clip is not open.
    int frame_of(const Clip& clip) const { return frame_of(clip, frame()); }

protected:
    double seconds_at(int frame) const override { return rate_ > 0 ? frame / rate_ : 0; }
    int frame_at(double seconds) const override;
    double duration() const override { return seconds_at(frames_); }
    bool ready(int frame) const override;
    void want(int frame) override;
    void show(int frame) override;

private:
    int frame_of(const Clip& clip, int frame) const;
    void clips_opened();

    std::vector<Clip*> clips_;
    int frames_ = 0;
    double rate_ = 0;
    double moment_ = 0; ///< the time shown last, in seconds
};

/// A clip scaled down to at most `side` pixels on its longer side, for showing many at once.
std::unique_ptr<Clip> open_scaled(FrameCache& cache, const QString& path, int side);

} // namespace denoir::app
