// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace denoir::app {

/// The speed that L (direction 1) or J (-1) makes of this one: that way, again twice as fast (up to 8x); the other way:
/// slower first. 0: it stands.
double shuttled(double speed, int direction);

/// What plays, whatever it shows: the frame, the speed, the clock. True to the frames' own times; one that is not ready
/// is waited for. GUI thread.
class Transport : public QObject {
    Q_OBJECT
public:
    explicit Transport(QObject* parent = nullptr);

    int frame() const { return frame_; }
    virtual int frames() const = 0; ///< 0: there is nothing to show
    double seconds() const;         ///< of the frame shown
    bool playing() const { return speed_ != 0; }
    double speed() const { return speed_; } ///< 1: true; negative: backwards; 0: stands
    bool loop() const { return loop_; }

public slots:
    void play();
    void pause();
    void toggle();
    void go_to(int frame);
    void step(int frames);       ///< stops playing
    void shuttle(int direction); ///< as shuttled()
    void set_loop(bool loop);

signals:
    void frame_changed(int frame);
    void speed_changed(double speed);
    void loop_changed(bool loop);
    void clips_changed(); ///< one was opened, failed or taken away

protected:
    // Asked where there are frames.
    virtual double seconds_at(int frame) const = 0; ///< when the frame begins
    virtual int frame_at(double seconds) const = 0; ///< 0 <= seconds < duration()
    virtual double duration() const = 0;            ///< seconds
    virtual bool ready(int frame) const = 0;

    /// This frame is shown next, and those after it in the direction of play: have them made ready.
    virtual void want(int frame) = 0;
    /// Makes it the frame that is shown.
    virtual void show(int frame);
    int direction() const { return speed_ < 0 ? -1 : 1; }
    /// There are other clips: goes on at this frame, or stands.
    void settle(int frame, bool plays_on);

private:
    void tick();
    void set_speed(double speed);
    void start_clock(double seconds);

    int frame_ = 0;
    double speed_ = 0;
    bool loop_ = true;
    QTimer timer_;
    QElapsedTimer clock_;
    double clock_start_ = 0; ///< seconds of the clip when the clock was started
};

} // namespace denoir::app
