// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace denoir::app {
class Transport;
}

namespace denoir::ui {

class Layouts;
class PreviewView;
class SweepView;
class TimelineView;

/// Decides what the keys for playing apply to: the cut while it plays or has the focus, the sweep's grid in the layout
/// Tune, otherwise the clip in the preview. Borrows all.
class Playback : public QObject {
    Q_OBJECT
public:
    Playback(PreviewView& preview, SweepView& sweep, TimelineView& cut, const Layouts& layouts,
             QObject* parent = nullptr);
    void toggle();
    void pause();                ///< pauses everything
    void pause_cut();            ///< before showing something else, which a playing cut would replace at once
    void shuttle(int direction); ///< plays forwards (1) or backwards (-1), faster each time
    void step(int frames);       ///< backwards if negative
    void toggle_loop();
    bool cut_has_focus() const;
    /// Whether the next clip that opens in the preview plays by itself.
    void play_next(bool play = true) { plays_next_ = play; }
    void clip_opened(); ///< to be called when a clip was opened in the preview as A

signals:
    void said(const QString& text);

private:
    bool means_cut() const;
    app::Transport* playable(); ///< transport() if it has frames to play; otherwise says so and returns null
    /// What is played if it is not the cut; null if it is not visible.
    app::Transport* transport() const;

    PreviewView& preview_;
    SweepView& sweep_;
    TimelineView& cut_;
    const Layouts& layouts_;
    bool plays_next_ = false;
};

} // namespace denoir::ui
