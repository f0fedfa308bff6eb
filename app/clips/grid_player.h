// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>
#include <vector>

#include "app/clips/frame_cache.h"

namespace denoir::app {

/// Moves through any number of clips together, at the rate of the quickest. Each shows the frame of that moment, a
/// shorter one its last; what is not decoded yet is waited for. Borrows the clips. GUI thread.
class GridPlayer : public QObject {
    Q_OBJECT
public:
    explicit GridPlayer(QObject* parent = nullptr);

    /// Null ones are left out. The moment stays as far as it can.
    void set_clips(std::vector<Clip*> clips);
    int frame() const { return frame_; }
    int frames() const { return frames_; } ///< of the longest, at rate()
    double rate() const { return rate_; }  ///< frames a second
    double seconds() const { return rate_ > 0 ? frame_ / rate_ : 0; }
    /// The frame of a clip that belongs to this moment; -1: it is not open.
    int frame_of(const Clip& clip) const { return frame_of(clip, frame_); }
    bool playing() const { return speed_ != 0; }
    double speed() const { return speed_; }
    bool loop() const { return loop_; }

public slots:
    void play();
    void pause();
    void toggle();
    void go_to(int frame);
    void step(int frames); ///< stops playing
    void shuttle(int direction);
    void set_loop(bool loop);

signals:
    void frame_changed(int frame);
    void speed_changed(double speed);
    void loop_changed(bool loop);
    void clips_changed();

private:
    int frame_of(const Clip& clip, int frame) const;
    void settle();
    void tick();
    void show(int frame);
    void set_speed(double speed);
    void restart_clock();
    bool ready(int frame) const;
    void want(int frame);

    std::vector<Clip*> clips_;
    int frame_ = 0, frames_ = 0;
    double rate_ = 0, speed_ = 0;
    double moment_ = 0; ///< seconds that somebody saw last
    bool loop_ = true;
    QTimer timer_;
    QElapsedTimer clock_;
    double clock_start_ = 0; ///< frames when the clock was started
};

/// A clip no larger than `side` pixels on its longer side: for many beside each other.
std::unique_ptr<Clip> open_scaled(FrameCache& cache, const QString& path, int side);

} // namespace denoir::app
