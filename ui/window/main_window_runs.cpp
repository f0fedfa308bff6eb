// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QFileInfo>

#include <utility>

#include "app/base/engine_text.h"
#include "app/base/folder.h"
#include "app/base/text.h"
#include "app/project/project.h"
#include "app/project/project_json.h"
#include "app/project/shot_requests.h"
#include "app/request/prompt_history.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "engine/core/error.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/branch.h"
#include "engine/session/render.h"
#include "ui/docks/log_panel.h"
#include "ui/docks/parameters_panel.h"
#include "ui/docks/queue_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/layers/layer_map.h"
#include "ui/layers/layers_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/steps_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/dock.h"
#include "ui/window/compare_bar.h"
#include "ui/window/docks.h"
#include "ui/window/exports.h"
#include "ui/window/main_window.h"
#include "ui/window/verifications.h"

namespace denoir::ui {

using QueueState = app::RunQueue::State;

void MainWindow::connect_runs() {
    connect(runs_, &RunsPanel::open_run, this, [this](const QString& run) {
        leave_tune();
        show_run(run);
    });
    connect(runs_, &RunsPanel::compare_runs, this,
            [this](const QString& a, const QString& b) { compare(a.isEmpty() ? shown_run_ : a, b); });
    connect(runs_, &RunsPanel::compare_layers, this, [this](const QString& a, const QString& b) {
        compare(a, b);
        show_layers();
    });
    connect(runs_, &RunsPanel::add_to_timeline, this, &MainWindow::add_to_timeline);
    connect(runs_, &RunsPanel::resume_run, this, [this](const QString& run) {
        watching_ = true;
        studio_.queue.add_resume(run);
    });
    connect(runs_, &RunsPanel::details_asked, this, &MainWindow::show_failure);
    QAction* resume = actions_.at(QStringLiteral("run.resume"));
    connect(runs_, &RunsPanel::resumable_changed, resume, &QAction::setEnabled);
    resume->setEnabled(runs_->resumable());
    connect(runs_, &RunsPanel::removed, this, [this](const QStringList& runs) {
        deleted_while_shown_.clear();
        if (runs.contains(shown_run_)) {
            deleted_while_shown_ = shown_run_;
            preview_->clear(app::Side::a);
            clip_opened(app::Side::a, {}, {});
        }
        steps_->forget(runs);
        banners_->show_banner(QStringLiteral("deleted"), Banners::Kind::info,
                              tr("%n run(s) deleted.", nullptr, int(runs.size())),
                              {{tr("Undo"), [this] { runs_->undo_remove(); }}}, 30);
    });
    connect(&studio_.history, &app::RunHistory::issue_changed, this, [this] {
        banners_->show_banner(QStringLiteral("history"), Banners::Kind::warning, studio_.history.issue().line());
    });
    connect(&studio_.history, &app::RunHistory::restored, this, [this](const QStringList& runs) {
        banners_->remove(QStringLiteral("deleted"));
        // Nothing else is looked at since: the picture comes back with its run.
        if (const QString run = std::exchange(deleted_while_shown_, {});
            runs.contains(run) && shown_run_.isEmpty() && !preview_->info(app::Side::a))
            show_run(run);
    });
    connect(compare_bar_, &CompareBar::chosen, this, [this](app::Side side, const QString& path) {
        side == app::Side::a ? compare(path, {}) : compare({}, path);
    });
    connect(preview_, &PreviewView::clip_opened, this, [this](app::Side side, const app::ClipInfo& info) {
        clip_opened(side, info.name, info.run);
        if (side == app::Side::a && std::exchange(play_when_opened_, false)) preview_->player().play();
    });

    auto& worker = studio_.worker;
    connect(&worker, &app::EngineWorker::run_created, this,
            [this](app::JobId job, const QString& run, int steps, int, const Request& request) {
                if (job == studio_.queue.running_job()) run_created(run, steps, request); // else a verification's
            });
    connect(&worker, &app::EngineWorker::step_done, this, [this](app::JobId job, const app::StepUpdate& update) {
        if (job == studio_.queue.running_job()) steps_->add(update);
    });
    connect(&worker, &app::EngineWorker::finished, this,
            [this](app::JobId, const app::RunResult& result) { run_finished(result); });
    auto* verifications = new Verifications(worker, *banners_, *status_, this);
    connect(runs_, &RunsPanel::verifying, verifications, &Verifications::add);
    connect(&worker, &app::EngineWorker::warned, this,
            [this](app::JobId, const QString& text) { say(app::engine_text(text)); });
    connect(&studio_.queue, &app::RunQueue::entry_ended, this, &MainWindow::entry_ended);
    connect(&studio_.queue, &app::RunQueue::failing, this, &MainWindow::queue_failing);
    connect(&studio_.queue, &app::RunQueue::paused_changed, this, [this](bool paused) {
        if (!paused) banners_->remove(QStringLiteral("failing"));
    });

    connect(steps_, &StepsPanel::picture_changed, this, &MainWindow::show_step);
    connect(steps_, &StepsPanel::branch_requested, this, &MainWindow::branch);
    connect(steps_, &StepsPanel::keep_requested, exports_, &Exports::keep_draft);
    connect(steps_, &StepsPanel::said, this, &MainWindow::say);
    connect(&studio_.core, &app::Studio::issue, this, [this](const app::Issue& issue) { say(issue.line()); });
}

void MainWindow::generate(bool next) {
    if (const QString refused = parameters_->commit(); !refused.isEmpty()) {
        docks_->at("parameters-dock").show();
        return say(refused);
    }
    if (tunes() && !next) return start_sweep();
    auto& document = studio_.document;
    if (studio_.core.inputs.busy()) {
        generate_when_resolved_.push_back(next);
        return;
    }
    if (!document.valid()) {
        if (document.pending()) {
            generate_when_resolved_.push_back(next);
            return;
        }
        const auto issues = document.issues();
        say(issues.isEmpty() ? tr("This request cannot start yet.") : issues.constFirst().line());
        docks_->at("parameters-dock").show();
        return;
    }
    watching_ = !tunes();
    studio_.prompts.add(QString::fromStdString(document.asked().prompt));
    if (editing_ != 0) {
        const quint64 id = editing_;
        begin_editing(0);
        if (studio_.queue.replace(id, document.snapshot())) {
            const QModelIndex entry = studio_.queue.index(studio_.queue.row_of(id));
            auto place = app::ResultPlace::of_tag(entry.data(app::RunQueue::TagRole).toString());
            if (place && std::exchange(place->part, {})) // maybe not that part any more
                studio_.queue.set_tag(id, place->tag());
            say(tr("The waiting run was changed."));
            return;
        }
        say(tr("That run has begun meanwhile: this one is put in line as a new one."));
    }
    const int copies = parameters_->copies();
    const QString tag = extend_shot_.isEmpty() ? QString() : app::ResultPlace{extend_shot_, {}, app::new_id()}.tag();
    for (int i = 0; i < copies; ++i) // next in line: the first of them ends up first
        studio_.queue.add(document.snapshot(next ? copies - 1 - i : i), next, tag);
    if (studio_.queue.paused()) say(tr("The queue is paused: it waits there."));
    end_extension();
}

void MainWindow::begin_editing(quint64 id) {
    editing_ = id;
    editing_step_ = studio_.project.undo().index();
    if (id == 0) return banners_->remove(QStringLiteral("editing"));
    banners_->show_banner(QStringLiteral("editing"), Banners::Kind::info,
                          tr("The parameters are those of a waiting run. Generate puts the changes into it."),
                          {{tr("Leave it as it is"), [this] { begin_editing(0); }}}, 0, [this] { begin_editing(0); });
}

void MainWindow::run_created(const QString& run, int steps, const Request& request) {
    steps_->begin(run, request, steps);
    if (watching_) show_live();
}

void MainWindow::show_live() {
    if (steps_->live().steps() == 0) return;
    timeline_->set_playing(false);
    steps_->show_live();
    steps_->follow();
    docks_->at("steps-dock").show();
}

void MainWindow::look_away() {
    if (studio_.queue.running() == 0) return;
    watching_ = false;
    steps_->show_live(false);
}

void MainWindow::show_step(const QImage& picture, const QString& label) {
    const app::StepPictures& run = steps_->pictures();
    // A finished run shows its video; its steps come into the picture when one of them is picked.
    // One that was stopped has nothing else to show.
    const bool wanted = !picture.isNull() && (run.running() || !steps_->follows() || !preview_->info(app::Side::a));
    if (wanted && run.running()) preview_->player().pause(); // nothing plays below it
    preview_->show_overlay(wanted ? picture : QImage(), wanted ? label : QString(), run.video_size());
}

void MainWindow::run_finished(const app::RunResult& result) {
    steps_->finish();
    if (watching_) {
        const bool was_live = steps_->shows_live();
        play_when_opened_ = true;
        show_run(result.run, !runs_->is_choosing());
        watching_ = true;
        if (was_live) steps_->show_live();
        preview_->show_overlay({}, {});
    }
}

void MainWindow::entry_ended(quint64 id, int state, const QString& run) {
    steps_->finish();
    if (!run.isEmpty()) steps_->look_again(run); // one that went on has more of them
    const QModelIndex entry = studio_.queue.index(studio_.queue.row_of(id));
    const QString prompt = app::shortened(entry.data(app::RunQueue::Role::PromptRole).toString().simplified(), 60);
    if (state == int(QueueState::done)) status_->announce(tr("A video is ready: %1").arg(prompt));
    if (state == int(QueueState::failed)) {
        docks_->reveal("queue-dock");
        const auto issue = entry.data(app::RunQueue::Role::IssueRole).value<app::Issue>();
        status_->announce(tr("A run failed: %1").arg(app::words(issue)));
    }
    if (state == int(QueueState::cancelled) && !run.isEmpty() && steps_->live().run() == run) {
        if (watching_) {
            show_run(run, !runs_->is_choosing());
            watching_ = true;
            show_live();
        }
        say(tr("Stopped at step %1. Resume it, or branch from any step.").arg(std::max(0, steps_->live().last_step())));
    }
}

void MainWindow::queue_failing(const app::Issue& issue) {
    const QString file = issue.file.isEmpty() ? QString() : issue.file + QStringLiteral(": ");
    banners_->show_banner(
        QStringLiteral("failing"), Banners::Kind::error,
        tr("The queue is paused: the last two runs failed for the same reason. %1").arg(file + app::words(issue)),
        {{tr("Continue all the same"), [this] { studio_.queue.set_paused(false); }},
         {tr("Details"), [this] { show_log(); }}});
}

void MainWindow::show_log(quint64 entry) {
    docks_->reveal("log-dock", 0.2);
    log_->show_entry(entry);
    if (entry == 0) log_->focus_search();
}

/// The log tells what was done before it; of a run from before the program was started it tells nothing.
void MainWindow::show_failure(const QString& run) {
    using Role = app::RunQueue::Role;
    for (int row = studio_.queue.rowCount() - 1; row >= 0; --row) {
        const QModelIndex entry = studio_.queue.index(row);
        const quint64 id = entry.data(Role::IdRole).toULongLong();
        if (entry.data(Role::RunRole).toString() == run && log_->knows(id)) return show_log(id);
    }
    const QModelIndex at = studio_.history.index(studio_.history.row_of(run));
    const QString title = app::shortened(at.data(Qt::DisplayRole).toString().simplified(), 60);
    banners_->show_banner(
        QStringLiteral("failed-run"), Banners::Kind::error,
        tr("“%1” failed: %2").arg(title, at.data(app::RunHistory::IssueRole).value<app::Issue>().line()));
}

void MainWindow::show_run(const QString& run, bool select) {
    if (run.isEmpty()) return;
    timeline_->set_playing(false); // it would take the picture away again
    if (steps_->live().running() && run == steps_->live().run()) {
        watching_ = true;
        return show_live();
    }
    watching_ = !studio_.worker.busy();
    preview_->show_overlay({}, {});
    steps_->show_run(run);
    shown_run_ = run;
    // The folder itself is asked: the index may not have looked at it since the run ended.
    const bool has_video = QFileInfo::exists(app::file_in(run, run_file::video));
    if (has_video) {
        preview_->show_clip(app::Side::a, run);
    } else {
        preview_->clear(app::Side::a);
        clip_opened(app::Side::a, tr("%1 · no video yet").arg(QFileInfo(run).fileName()), run);
    }
    if (select) runs_->select(run);
}

void MainWindow::clip_opened(app::Side side, const QString& name, const QString& run) {
    (side == app::Side::a ? shown_run_ : shown_b_) = run;
    compare_bar_->set_name(side, name);
    steps_->set_run(side, run);
    const auto source = [this](app::Side each, const QString& its_run) {
        const auto* info = preview_->info(each);
        return DifferencesPanel::Source{info || !its_run.isEmpty(), its_run,
                                        info && its_run.isEmpty() ? info->request : QString()};
    };
    differences_->set_sources(source(app::Side::a, shown_run_), source(app::Side::b, shown_b_));
    layers_panel_->set_runs(shown_run_, shown_b_);
    runs_->set_sides(shown_run_, shown_b_);
}

void MainWindow::compare(const QString& a, const QString& b) {
    layouts_->show(Layout::compare);
    timeline_->set_playing(false);
    look_away();
    preview_->show_overlay({}, {});
    if (!a.isEmpty() && a != shown_run_ && is_run_folder(app::to_path(a)))
        show_run(a);
    else if (!a.isEmpty() && a != shown_run_)
        preview_->show_clip(app::Side::a, a);
    if (!b.isEmpty()) preview_->show_clip(app::Side::b, b);
    if (preview_->mode() == CompareMode::single && (!b.isEmpty() || preview_->info(app::Side::b)))
        preview_->set_mode(CompareMode::wipe);
}

void MainWindow::show_layers() {
    if (layouts_->current() != Layout::compare && !docks_->at("layers-dock").isVisible())
        layouts_->show(Layout::compare);
    docks_->reveal("layers-dock", 0.4);
    layers_panel_->map().setFocus(Qt::OtherFocusReason);
}

void MainWindow::branch(const QString& run, int step) {
    if (run.isEmpty() || step < 1) return say(tr("Pick a step in the strip first."));
    studio_.core.inputs.put(
        this, [run, step] { return branch_of(app::to_path(run), step); }, // reads and hashes what it starts from
        [this, step](const Request& request) {
            studio_.document.restore_made(request, tr("Branch after step %1").arg(step));
            const app::Issue refused = studio_.document.set_value(
                QStringLiteral("start"),
                QVariantMap{{QStringLiteral("run"), app::to_qstring(request.start->run)},
                            {QStringLiteral("step"), request.start->step},
                            {QStringLiteral("sha256"), app::to_qstring(request.start->sha256)}});
            if (!refused.isEmpty()) return say(refused.line());
            docks_->at("parameters-dock").show();
        });
}

void MainWindow::tell_branch() {
    const auto& start = studio_.document.asked().start;
    if (!start) return banners_->remove(QStringLiteral("branch"));
    const auto anew = [this] { studio_.document.reset(QStringLiteral("start")); };
    banners_->show_banner(QStringLiteral("branch"), Banners::Kind::info,
                          tr("Change guidance or prompt, then Generate: the first %n step(s) are not computed again.",
                             nullptr, start->step),
                          {{tr("From the beginning instead"), anew}}, 0, [this, anew] {
                              anew();
                              say(tr("The next run begins with its first step again; undo brings the branch back."));
                          });
}

} // namespace denoir::ui
