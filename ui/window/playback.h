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

/// What the keys of playing mean where one is: the cut while it plays or has the focus, the sweep's grid in the layout
/// Tune, else the clip in the preview. Borrows all.
class Playback : public QObject {
    Q_OBJECT
public:
    Playback(PreviewView& preview, SweepView& sweep, TimelineView& cut, const Layouts& layouts,
             QObject* parent = nullptr);
    void toggle();
    void pause();                ///< everything
    void pause_cut();            ///< a cut that plays on would at once replace what is shown
    void shuttle(int direction); ///< 1 or -1: that way, faster each time
    void step(int frames);       ///< negative: back
    void toggle_loop();
    bool cut_has_focus() const;
    /// The clip that opens in the preview next plays by itself, or not.
    void play_next(bool play = true) { plays_next_ = play; }
    void clip_opened(); ///< in the preview, as A

signals:
    void said(const QString& text);

private:
    bool means_cut() const;
    app::Transport* playable(); ///< transport(), if it has frames to go through; else null, which is said
    /// Of what is played where that is not the cut; null: nothing that is seen.
    app::Transport* transport() const;

    PreviewView& preview_;
    SweepView& sweep_;
    TimelineView& cut_;
    const Layouts& layouts_;
    bool plays_next_ = false;
};

} // namespace denoir::ui
