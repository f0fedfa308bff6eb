// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/viewer.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

#include "app/base/background.h"
#include "app/base/folder.h"
#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/runs/stage_text.h"
#include "engine/core/error.h"
#include "engine/pipeline/run_layout.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/steps_panel.h"
#include "ui/window/playback.h"

namespace denoir::ui {

using app::Side;

Viewer::Viewer(PreviewView& preview, StepsPanel& steps, Playback& playback, Layouts& layouts,
               const app::RunQueue& queue, const app::EngineWorker& worker, QObject* parent)
    : QObject(parent),
      preview_(preview),
      steps_(steps),
      playback_(playback),
      layouts_(layouts),
      queue_(queue),
      worker_(worker) {
    connect(&preview_, &PreviewView::opened_by_hand, this, &Viewer::look_away);
    connect(&preview_, &PreviewView::clip_opened, this, [this](Side side, const app::ClipInfo& info) {
        set_side(side, info.name, info.run);
        if (side == Side::a) playback_.clip_opened();
        if (side == Side::b) b_of_compare_.clear();
    });
    connect(&preview_, &PreviewView::clip_failed, this, &Viewer::clip_failed);
    connect(&preview_, &PreviewView::swapped, this, [this] {
        b_of_compare_ = preview_.path_in_opening(Side::b); // what it was is A now
        for (const Side side : {Side::a, Side::b}) {
            const auto* info = preview_.info(side);
            set_side(side, info ? info->name : QString(), info ? info->run : QString());
        }
    });
    connect(&steps_, &StepsPanel::picture_changed, this, &Viewer::show_step);
    connect(&preview_, &PreviewView::uncover_asked, &steps_, &StepsPanel::follow);
    connect(&queue_, &app::RunQueue::entry_ended, this,
            [this](quint64, int state, const QString& run) { entry_ended(state, run); });
    follow_worker();
}

/// Follows only jobs of the queue, as the worker's other ones are verifications and traces.
void Viewer::follow_worker() {
    connect(&worker_, &app::EngineWorker::run_created, this,
            [this](app::JobId job, const QString& run, int steps, int first, const Request& request) {
                if (job != queue_.running_job()) return;
                if (holds_pair())
                    steps_.show_live(false); // shows the steps of A, not of the run that was at work before
                steps_.begin(run, request, steps, first);
                if (follows()) show_live();
            });
    connect(&worker_, &app::EngineWorker::step_done, this, [this](app::JobId job, const app::StepUpdate& update) {
        if (job == queue_.running_job()) steps_.add(update);
    });
    connect(&queue_, &app::RunQueue::entry_started, this, &Viewer::tell_awaited);
    connect(&queue_, &app::RunQueue::entry_ended, this, &Viewer::tell_awaited);
    connect(&queue_, &app::RunQueue::dataChanged, this, [this] {
        tell_awaited();
        const int row = queue_.row_of(queue_.running());
        steps_.set_time_left(row < 0 ? QString() : app::time_left(queue_.index(row)));
    });
    connect(&worker_, &app::EngineWorker::finished, this, [this](app::JobId, const app::RunResult& result) {
        steps_.finish(true);
        const bool awaited = holds_pair() && result.run == run_a_; // A had no video until now
        if (!follows() && !awaited) return;
        const bool was_live = steps_.shows_live();
        playback_.play_next();
        show_ended(result.run);
        if (was_live) steps_.show_live();
        preview_.show_overlay({});
    });
}

/// Sets the preview's text for the time when it has no picture of the run at work yet.
void Viewer::tell_awaited() {
    const int row = queue_.row_of(queue_.running());
    preview_.set_awaited(row < 0 ? QString() : awaited_text(queue_.index(row)));
}

QString Viewer::awaited_text(const QModelIndex& entry) {
    const QVariant stage = entry.data(app::RunQueue::StageRole);
    if (!stage.isValid()) return tr("The run waits for the engine.");
    const auto now = static_cast<Stage>(stage.toInt());
    // A branch, or a run that is resumed, begins with a later step than the first.
    const int step = entry.data(app::RunQueue::StepRole).toInt() + 1;
    const bool all_done = step > entry.data(app::RunQueue::StepsRole).toInt();
    if (step == 1)
        return now == Stage::denoise ? tr("The first step is being computed.")
                                     : tr("Before the first step: %1.").arg(app::stage_text(now));
    if (all_done) return app::stage_text(now);
    return now == Stage::denoise ? tr("Step %1 is being computed.").arg(step)
                                 : tr("Before step %1: %2.").arg(step).arg(app::stage_text(now));
}

void Viewer::show_run(const QString& run) { show(run, true); }

/// Like show(), but the next run at work will be shown without being asked for, as this one was.
void Viewer::show_ended(const QString& run) {
    show(run, false);
    watching_ = true;
}

void Viewer::entry_ended(int state, const QString& run) {
    steps_.finish(state == int(app::RunQueue::State::done));
    if (run.isEmpty()) return;
    steps_.look_again(run); // a resumed run has more steps
    if (state != int(app::RunQueue::State::cancelled) || steps_.live().run() != run) return;
    if (follows()) {
        show_ended(run);
        // It was stopped to look at it, and perhaps to branch from it, so the next run must not take its place.
        if (queue_.waiting() > 0) {
            watching_ = false;
            steps_.show_live(false);
        } else {
            show_live();
        }
    }
    const int step = steps_.live().last_step();
    emit said(step > 0 ? tr("Stopped at step %1. Resume it, or branch from any step.").arg(step)
                       : tr("Stopped before the first step. It can be resumed."));
}

void Viewer::show(const QString& run, bool by_hand) {
    if (run.isEmpty()) return;
    playback_.pause_cut();
    if (steps_.live().running() && run == steps_.live().run()) {
        watching_ = true;
        show_live();
        if (layouts_.current() == Layout::compare) show_no_video(run);
        return;
    }
    watching_ = !worker_.busy();
    preview_.show_overlay({});
    steps_.show_run(run);
    run_a_ = run;
    // Asks the folder itself, as the index may not have been updated since the run ended.
    preview_.show_clip(Side::a, [run](std::stop_token stop) {
        if (!QFileInfo::exists(app::file_in(run, run_file::video)))
            throw Error(run.toStdString(), {}, app::no_video_yet, "resume it, or decode one of its steps");
        return app::open_clip(run, std::move(stop));
    });
    emit run_shown(run, by_hand);
}

void Viewer::clip_failed(Side side, const app::Issue& issue) {
    if (side == Side::b) b_of_compare_.clear();
    if (side == Side::b || preview_.is_opening(side)) return emit failed(side, issue);
    playback_.play_next(false); // that was meant for this clip
    const bool none_yet = issue.file == run_a_ && issue.message == QLatin1String(app::no_video_yet);
    none_yet ? show_no_video(run_a_) : emit failed(side, issue);
}

/// The name is set later, as it must be read from the run's folder.
void Viewer::show_no_video(const QString& run) {
    const auto show = [this, run](const QString& title) { set_side(Side::a, tr("%1 · no video yet").arg(title), run); };
    preview_.clear(Side::a);
    playback_.play_next(false); // no clip will open
    // Its newest step was not shown because of the clip, which is gone now.
    if (steps_.pictures().run() == run && steps_.follows()) steps_.follow();
    show(QFileInfo(run).fileName());
    app::run_then(
        this, [run] { return app::RunHistory::title(run); },
        [this, run, show](const QString& title) {
            if (run == run_a_ && !preview_.info(Side::a) && !preview_.is_opening(Side::a)) show(title);
        });
}

void Viewer::show_file(const QString& path) {
    leave_tune();
    playback_.pause_cut();
    preview_.show_clip(Side::a, path, true); // what is shown stays until this is open
}

QString Viewer::clip_of(const QString& video, const QString& run) const {
    const auto* info = preview_.info(Side::a);
    return run.isEmpty() || (info && info->path == video) ? video : run;
}

void Viewer::show_cut_frame(const QString& video, const QString& run, int frame) {
    look_away();
    playback_.play_next(false); // that was meant for another clip
    preview_.show_overlay({});
    preview_.show_frame(Side::a, clip_of(video, run), frame);
}

void Viewer::expect_cut_frame(const QString& video, const QString& run, int frame) {
    preview_.expect_frame(Side::a, clip_of(video, run), frame);
}

void Viewer::show_live() {
    if (steps_.live().steps() == 0) return;
    playback_.pause_cut();
    steps_.show_live();
    steps_.follow();
    take_live_as_a();
    emit live_shown();
}

/// The bar above the picture names what is seen, and what is chosen as B is compared with it.
void Viewer::take_live_as_a() {
    const QString& run = steps_.live().run();
    if (layouts_.current() != Layout::compare || compares() || !steps_.live().running() || run_a_ == run) return;
    show_no_video(run);
}

QString Viewer::seen() const { return steps_.shows_live() && steps_.live().running() ? steps_.live().run() : run_a_; }

void Viewer::look_away() {
    if (queue_.running() == 0) return;
    watching_ = false;
    steps_.show_live(false);
}

void Viewer::show_step(const QImage& picture, const QString& label, const QImage& picture_b, const QString& label_b) {
    const app::StepPictures& run = steps_.pictures();
    // A finished run shows its video, and a step only when one is picked. A stopped run without a video shows its
    // steps, unless it is compared with something.
    const bool video = preview_.info(Side::a) || preview_.info(Side::b);
    const bool wanted = !picture.isNull() && (run.running() || !steps_.follows() || !video);
    const auto* clip = preview_.info(Side::a);
    const bool of_clip = wanted && !run.running() && clip && clip->run == run.run();
    if (wanted)
        preview_.show_overlay({picture, label}, {picture_b, label_b}, run.video_size(), of_clip);
    else
        preview_.show_overlay({});
}

void Viewer::set_side(Side side, const QString& name, const QString& run) {
    (side == Side::a ? run_a_ : run_b_) = run;
    emit side_changed(side, name, run);
}

void Viewer::compare(const QString& a, const QString& b) {
    layouts_.show(Layout::compare);
    playback_.pause_cut();
    look_away();
    preview_.show_overlay({});
    if (!a.isEmpty() && a != run_a_ && is_run_folder(app::to_path(a)))
        show_run(a);
    else if (!a.isEmpty() && a != run_a_)
        preview_.show_clip(Side::a, a);
    if (!b.isEmpty()) preview_.show_clip(Side::b, b_of_compare_ = b);
    if (preview_.mode() == CompareMode::single && (!b.isEmpty() || preview_.info(Side::b)))
        preview_.set_mode(CompareMode::wipe);
}

bool Viewer::compares() const {
    return preview_.info(Side::b) || !run_b_.isEmpty() || !b_of_compare_.isEmpty() || !preview_.is_settled(Side::b);
}

bool Viewer::holds_pair() const { return layouts_.current() == Layout::compare && compares(); }

bool Viewer::follows() const {
    return watching_ && layouts_.current() != Layout::tune && (!holds_pair() || steps_.shows_live());
}

void Viewer::end_comparison() {
    b_of_compare_.clear();
    preview_.clear(Side::b);
    set_side(Side::b, {}, {});
    preview_.set_mode(CompareMode::single);
}

void Viewer::clear() {
    playback_.pause_cut();
    playback_.play_next(false); // that was meant for a clip that nobody waits for any more
    end_comparison();
    preview_.clear(Side::a);
    set_side(Side::a, {}, {});
    watching_ = true; // nothing else is looked at
    if (steps_.shows_live())
        take_live_as_a();
    else
        preview_.show_overlay({});
}

void Viewer::open_run(const QString& run) {
    leave_tune();
    show_run(run);
}

void Viewer::leave_tune() {
    if (layouts_.current() == Layout::tune) layouts_.show(Layout::create);
}

void Viewer::layout_shown(Layout layout) {
    const bool sweeps = layout == Layout::tune;
    if (sweeps) {
        preview_.player().pause();
        playback_.pause_cut();
    }
    // The steps of the run at work may still be shown. If it ended beside a sweep, the steps become those of A again.
    const bool in_sight = steps_.shows_live() && steps_.live().running();
    watching_ = !sweeps && (watching_ || in_sight || !worker_.busy());
    if (!sweeps && steps_.shows_live() && !in_sight && steps_.live().run() != run_a_) {
        steps_.show_live(false);
        steps_.follow();
    }
    if (layout != Layout::compare) {
        const auto* open = preview_.info(Side::b);
        const QString b = open && b_of_compare_.isEmpty() ? open->path : b_of_compare_;
        end_comparison();
        b_of_compare_ = b;
    } else if (!b_of_compare_.isEmpty() && !preview_.info(Side::b)) {
        preview_.show_clip(Side::b, b_of_compare_);
        preview_.set_mode(CompareMode::wipe);
    } else if (!run_b_.isEmpty() && preview_.mode() == CompareMode::single) {
        preview_.set_mode(CompareMode::wipe);
    }
    // While a pair is shown, the run at work is not.
    if (in_sight && holds_pair()) {
        steps_.show_live(false);
        preview_.show_overlay({});
    } else if (in_sight) {
        take_live_as_a();
    } else if (layout == Layout::create && watching_ && steps_.live().running()) {
        show_live();
    }
}

void Viewer::forget(const QStringList& runs, const QString& next) {
    const bool shown = runs.contains(run_a_);
    const bool live = steps_.shows_live() && steps_.live().running(); // these stay
    steps_.forget(runs);
    if (const QString b = b_of_compare_.isEmpty() ? run_b_ : b_of_compare_; runs.contains(b)) {
        deleted_.push_back({Side::b, b, {}});
        end_comparison();
    }
    if (!shown) return;
    const QString instead = live ? QString() : next;
    deleted_.push_back({Side::a, run_a_, instead});
    if (preview_.player().playing() && !instead.isEmpty()) playback_.play_next(); // goes on playing with the next one
    preview_.clear(Side::a);
    set_side(Side::a, {}, {});
    show_run(instead);
}

void Viewer::bring_back(const QStringList& runs) {
    for (const Side side : {Side::a, Side::b}) {
        const auto last = std::find_if(deleted_.rbegin(), deleted_.rend(), [&runs, side](const Deleted& each) {
            return each.side == side && runs.contains(each.run);
        });
        if (last == deleted_.rend()) continue;
        const Deleted deleted = *last;
        deleted_.erase(std::next(last).base());
        show_again(deleted);
    }
}

/// Shows a run where it was shown, unless something else has been opened there since.
void Viewer::show_again(const Deleted& deleted) {
    if (deleted.side == Side::b) {
        if (preview_.info(Side::b) || !b_of_compare_.isEmpty()) return;
        if (layouts_.current() == Layout::compare)
            compare({}, deleted.run);
        else
            b_of_compare_ = deleted.run;
    } else if (run_a_ == deleted.instead && (!deleted.instead.isEmpty() || !preview_.info(Side::a))) {
        show_run(deleted.run);
    }
}

} // namespace denoir::ui
