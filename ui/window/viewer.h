// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QModelIndex>
#include <QObject>
#include <QString>
#include <QStringList>

#include <vector>

#include "app/clips/player.h"
#include "app/runs/engine_worker.h"
#include "ui/window/layouts.h"

namespace denoir::app {
class RunQueue;
}

namespace denoir::ui {

class Playback;
class PreviewView;
class StepsPanel;

/// What is looked at: a run, a file, two of them beside each other, or the steps of the run at work, which comes into
/// the preview by itself until one looks at something else. Borrows all.
class Viewer : public QObject {
    Q_OBJECT
public:
    Viewer(PreviewView& preview, StepsPanel& steps, Playback& playback, Layouts& layouts, const app::RunQueue& queue,
           const app::EngineWorker& worker, QObject* parent = nullptr);

    void open_run(const QString& run); ///< from wherever: where it can be seen
    void show_run(const QString& run);
    void show_file(const QString& path); ///< a video, a picture, a folder of frames
    /// A frame of the cut: of its video, or of the run where that is what is open.
    void show_cut_frame(const QString& video, const QString& run, int frame);
    void expect_cut_frame(const QString& video, const QString& run, int frame); ///< soon
    void show_live();                                                           ///< the steps of the run at work
    /// Files or runs as A and B, in the layout Compare; an empty one stays what it is.
    void compare(const QString& a, const QString& b);
    void end_comparison();
    bool compares() const; ///< B is there, being opened, or comes back with the layout Compare
    void layout_shown(Layout layout);
    /// The run of that side; empty: none.
    const QString& run(app::Side side) const { return side == app::Side::a ? run_a_ : run_b_; }

    /// The run at work comes into the preview by itself, unless a pair is compared there.
    void watch(bool watch = true) { watching_ = watch; }
    void look_away(); ///< something else is looked at than the run at work
    /// They are deleted: where one of them is looked at, `next` is instead; empty: nothing. One that is B ends the
    /// comparison.
    void forget(const QStringList& runs, const QString& next);
    void bring_back(const QStringList& runs); ///< they are not any more

signals:
    /// A side shows this now; empty: nothing.
    void side_changed(denoir::app::Side side, const QString& name, const QString& run);
    /// `by_hand`: not because it has ended.
    void run_shown(const QString& run, bool by_hand);
    void live_shown();
    void said(const QString& text);

private:
    struct Deleted {
        app::Side side;
        QString run, instead; ///< what came in its place; empty: nothing
    };
    /// The preview is not part of the layout Tune.
    void leave_tune();
    bool holds_pair() const; ///< A and B stay in sight until somebody asks for something else
    bool follows() const;    ///< the run at work comes into the preview now
    void follow_worker();
    void tell_awaited();
    static QString awaited_text(const QModelIndex& entry); ///< what the queue's entry at work is doing
    void entry_ended(int state, const QString& run);
    void show(const QString& run, bool by_hand);
    void show_no_video(const QString& run); ///< as A
    void show_ended(const QString& run);
    void show_step(const QImage& picture, const QString& label);
    void set_side(app::Side side, const QString& name, const QString& run);
    QString clip_of(const QString& video, const QString& run) const;
    void show_again(const Deleted& deleted);

    PreviewView& preview_;
    StepsPanel& steps_;
    Playback& playback_;
    Layouts& layouts_;
    const app::RunQueue& queue_;
    const app::EngineWorker& worker_;
    QString run_a_, run_b_;
    std::vector<Deleted> deleted_; ///< runs that their deletion took out of the preview, newest last
    QString b_of_compare_;         ///< B while it is being opened, or another layout is shown
    bool watching_ = true;
};

} // namespace denoir::ui
