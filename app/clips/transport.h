// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace denoir::app {

/// The speed after the key L (direction 1) or J (-1): twice as fast (up to 8x) in the direction of play, slower against
/// it. Speed 0 stands still.
double shuttled(double speed, int direction);

/// What players have in common: the frame, the speed and the clock. Plays true to the frames' own times, and waits for
/// a frame that is not ready. GUI thread.
class Transport : public QObject {
    Q_OBJECT
public:
    explicit Transport(QObject* parent = nullptr);

    int frame() const { return frame_; }
    virtual int frames() const = 0; ///< 0 if there is nothing to show
    double seconds() const;         ///< the time at which the frame shown begins
    bool playing() const { return speed_ != 0; }
    double speed() const { return speed_; } ///< 1 is the true speed; negative: backwards; 0: stands still
    bool loop() const { return loop_; }

public slots:
    void play();
    void pause();
    void toggle();
    void go_to(int frame);
    void step(int frames);       ///< also stops playing
    void shuttle(int direction); ///< changes the speed to shuttled()
    void set_loop(bool loop);

signals:
    void frame_changed(int frame);
    void speed_changed(double speed);
    void loop_changed(bool loop);
    void clips_changed(); ///< a clip was opened, failed or was removed

protected:
    // Only called if there are frames.
    virtual double seconds_at(int frame) const = 0; ///< when the frame begins
    virtual int frame_at(double seconds) const = 0; ///< 0 <= seconds < duration()
    virtual double duration() const = 0;            ///< seconds
    virtual bool ready(int frame) const = 0;

    /// Asks for this frame, and those after it in the direction of play, to be made ready.
    virtual void want(int frame) = 0;
    /// Makes this the frame that is shown.
    virtual void show(int frame);
    int direction() const { return speed_ < 0 ? -1 : 1; }
    /// To be called when clips were changed: shows this frame, and stops playing unless `plays_on`.
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
    double clock_start_ = 0; ///< time in the clip when the clock was started, in seconds
};

} // namespace denoir::app
