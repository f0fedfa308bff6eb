// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <utility>

namespace denoir::app {

class Project;

/// The playhead of a cut, and the clock that moves it: each shot plays at its own rate, and the end stops it. The clock
/// stands still while a picture is not shown yet. Borrows the project. GUI thread.
class CutPlayer : public QObject {
    Q_OBJECT
public:
    explicit CutPlayer(const Project& project, QObject* parent = nullptr);

    int frame() const { return frame_; } ///< of the cut, 0 … frames
    void go_to(int frame);               ///< limited to the cut; playing continues from there
    bool playing() const { return timer_.isActive(); }
    double speed() const { return playing() ? speed_ : 0; } ///< 1 is the true speed; negative: backwards
    void play() { play(1); }
    void pause();
    void shuttle(int direction); ///< plays forwards (1) or backwards (-1), faster each time; see shuttled()
    /// `settled` returns whether the picture at the playhead is shown.
    void set_settled(std::function<bool()> settled) { settled_ = std::move(settled); }
    void follow_cut(); ///< to be called when the cut has changed

    double seconds_at(int frame) const; ///< the time at which a frame of the cut begins
    double frame_at(double seconds) const;

signals:
    void moved(int frame);
    void playing_changed(bool playing);
    /// While it plays: what is shown when the next shot begins, which is soon. Empty when it no longer plays.
    void frame_expected(const QString& video, const QString& run, int frame);
    void empty(); ///< it cannot play, as the cut is empty

private:
    void play(double speed);
    void restart_clock();
    void advance();
    void move(int frame);
    void look_ahead();

    const Project& project_;
    int frame_ = 0;
    QTimer timer_;
    QElapsedTimer clock_;
    double start_ = 0, speed_ = 1; ///< start_: time in the cut when the clock was started, in seconds
    std::function<bool()> settled_;
};

} // namespace denoir::app
