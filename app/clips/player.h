// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/clips/frame_cache.h"
#include "engine/compare/pairing.h"

namespace denoir::app {

enum class Side { a, b };

/// Moves through one clip, or two together. True to the clips' own times; a frame that is not decoded yet is waited
/// for, never skipped. B follows A as Pairing has it: frame by frame, or by time where both rates and lengths differ
/// (by the frames' own where those do not come evenly), shifted by an offset. Borrows the clips. GUI thread.
class Player : public QObject {
    Q_OBJECT
public:
    explicit Player(QObject* parent = nullptr);

    /// Null: none. State of play stays as far as it can, and so does the frame where `frame` (of the leader) is -1.
    void set_clip(Side side, Clip* clip, int frame = -1);
    Clip* clip(Side side) const { return side == Side::a ? a_ : b_; }
    /// The clip that gives the time: A, or B where there is no A. Null: none is open.
    Clip* leader() const;

    int frame() const { return frame_; } ///< of the leader
    /// Frames of the leader; 0: nothing is open.
    int frames() const;
    double seconds() const; ///< of the frame shown
    /// The frame of this side that belongs to the leader's, held inside its clip; -1: nothing is open there.
    int frame_of(Side side) const;
    /// Which frame of B meets which one of A; made for the clips as they are now.
    const Pairing& pairing() const { return pairing_; }
    bool playing() const { return speed_ != 0; }
    double speed() const { return speed_; } ///< 1: true; negative: backwards; 0: stands
    bool loop() const { return loop_; }
    int offset() const { return offset_; }
    bool by_number() const { return by_number_; }

public slots:
    void play();
    void pause();
    void toggle();
    void go_to(int frame);
    void step(int frames); ///< stops playing
    /// L and J: forwards or backwards, again: twice as fast (up to 8x); the other way: slower first.
    void shuttle(int direction);
    void set_loop(bool loop);
    void set_offset(int frames); ///< B shows so many of its frames later
    /// Frames are paired by their number whatever their rates.
    void set_by_number(bool on);

signals:
    void frame_changed(int frame);
    void speed_changed(double speed);
    void loop_changed(bool loop);
    void offset_changed(int frames);
    void by_number_changed(bool on);
    void clips_changed(); ///< one was opened, failed or taken away

private:
    void tick();
    void show(int frame);
    void set_speed(double speed);
    void restart_clock();
    bool ready(int frame) const;
    int partner(const Clip& clip, int frame) const;
    void pair();
    void want();

    Clip* a_ = nullptr;
    Clip* b_ = nullptr;
    Pairing pairing_;
    int frame_ = 0, offset_ = 0;
    double speed_ = 0;
    bool loop_ = true, by_number_ = false;
    QTimer timer_;
    QElapsedTimer clock_;
    double clock_start_ = 0; ///< seconds of the clip when the clock was started
};

} // namespace denoir::app
