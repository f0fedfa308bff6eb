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

/// Decides what the preview and the step strip show: a run, a file, two of them side by side, or the steps of the run
/// at work, which are shown without being asked for until the user looks at something else. Borrows all. GUI thread.
class Viewer : public QObject {
    Q_OBJECT
public:
    Viewer(PreviewView& preview, StepsPanel& steps, Playback& playback, Layouts& layouts, const app::RunQueue& queue,
           const app::EngineWorker& worker, QObject* parent = nullptr);

    void open_run(const QString& run); ///< show_run() after leaving the layout Tune, which has no preview
    void show_run(const QString& run);
    void show_file(const QString& path); ///< a video, a picture, a folder of frames
    /// Shows a frame of the cut: from the run of the take, or from the video if that is already open.
    void show_cut_frame(const QString& video, const QString& run, int frame);
    void expect_cut_frame(const QString& video, const QString& run, int frame); ///< it will be shown soon
    void show_live();                                                           ///< shows the steps of the run at work
    /// Shows files or runs as A and B, in the layout Compare. A side whose path is empty stays as it is.
    void compare(const QString& a, const QString& b);
    void end_comparison();
    void clear();            ///< shows nothing any more, except the run at work if that is what is seen
    bool holds_pair() const; ///< A and B stay in sight until somebody asks for something else
    bool compares() const;   ///< B is there, being opened, or comes back with the layout Compare
    void layout_shown(Layout layout);
    /// The run of that side; empty if there is none.
    const QString& run(app::Side side) const { return side == app::Side::a ? run_a_ : run_b_; }
    QString seen() const; ///< the run at work while its steps are shown, otherwise that of A; may be empty

    /// Whether the run at work is shown without being asked for, unless a pair is compared.
    void watch(bool watch = true) { watching_ = watch; }
    void look_away(); ///< the user looks at something else than the run at work
    /// To be called when runs are deleted. If A is one of them, shows `next` instead, or nothing if that is empty; if B
    /// is, ends the comparison.
    void forget(const QStringList& runs, const QString& next);
    /// To be called when deleted runs have come back: shows them where they were, unless something else is there now.
    void bring_back(const QStringList& runs);

signals:
    /// A side shows something else now, or nothing if `name` is empty.
    void side_changed(denoir::app::Side side, const QString& name, const QString& run);
    /// `by_hand` if the user asked for it; otherwise it is shown because it has ended.
    void run_shown(const QString& run, bool by_hand);
    void live_shown();
    /// Something cannot be shown. Not emitted for a run that has no video yet.
    void failed(denoir::app::Side side, const denoir::app::Issue& issue);
    void said(const QString& text);

private:
    struct Deleted {
        app::Side side;
        QString run, instead; ///< `instead`: what was shown in its place; may be empty
    };
    /// Leaves the layout Tune, which has no preview.
    void leave_tune();
    bool follows() const; ///< the run at work comes into the preview now
    void follow_worker();
    void tell_awaited();
    static QString awaited_text(const QModelIndex& entry); ///< what the queue's current entry is doing
    void entry_ended(int state, const QString& run);
    void show(const QString& run, bool by_hand);
    void clip_failed(app::Side side, const app::Issue& issue);
    void show_no_video(const QString& run); ///< shows as A that the run has none
    void take_live_as_a();                  ///< in the layout Compare, unless a pair is compared
    void show_ended(const QString& run);
    void show_step(const QImage& picture, const QString& label, const QImage& picture_b, const QString& label_b);
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
    std::vector<Deleted> deleted_; ///< runs that were shown when they were deleted, newest last
    QString b_of_compare_;         ///< B while it is being opened or another layout is shown
    bool watching_ = true;
};

} // namespace denoir::ui
