// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <utility>

namespace denoir::app {

class Project;

/// The playhead of a cut, and what moves it on: each shot at its own rate, to the end and no further. The clock stands
/// while the picture that was asked for is waited for. Borrows the project. GUI thread.
class CutPlayer : public QObject {
    Q_OBJECT
public:
    explicit CutPlayer(const Project& project, QObject* parent = nullptr);

    int frame() const { return frame_; } ///< of the cut, 0 … frames
    void go_to(int frame);               ///< held inside the cut; playing goes on from there
    bool playing() const { return timer_.isActive(); }
    double speed() const { return playing() ? speed_ : 0; } ///< 1: true; negative: backwards
    void play() { play(1); }
    void pause();
    void shuttle(int direction); ///< 1 or -1: that way, faster each time; as shuttled()
    /// Whether nothing is waited for.
    void set_settled(std::function<bool()> settled) { settled_ = std::move(settled); }
    void follow_cut(); ///< it has changed

    double seconds_at(int frame) const; ///< of the cut, its time
    double frame_at(double seconds) const;

signals:
    void moved(int frame);
    void playing_changed(bool playing);
    /// While it plays: what is shown when the next shot begins, soon. Empty: nothing any more.
    void frame_expected(const QString& video, const QString& run, int frame);
    void empty(); ///< there is nothing to play

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
    double start_ = 0, speed_ = 1; ///< seconds of the cut when the clock was started
    std::function<bool()> settled_;
};

} // namespace denoir::app
