// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: what it begins with, and what is kept of it for the next time.
#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "app/sweep/sweep_document.h"
#include "engine/core/error.h"
#include "engine/session/model_lookup.h"
#include "ui/docks/prompt_panel.h"
#include "ui/docks/samples.h"
#include "ui/preview/preview_view.h"
#include "ui/widgets/banner.h"
#include "ui/window/main_window.h"
#include "ui/window/project_files.h"

namespace denoir::ui {

void MainWindow::begin(Layout layout) {
    layouts_->begin(layout);
    remembered_.restore(first_prompt());
    show_newest();
    studio_.history.refresh();
    files_->offer_recovery();
    offer_to_resume();
    studio_.core.start();
    if (const app::Issue issue = app::Settings::folder_issue(); !issue.isEmpty())
        banners_->show_banner(QStringLiteral("data-folder"), Banners::Kind::error, issue.line());
    if (const app::Issue issue = studio_.history.issue(); !issue.isEmpty())
        banners_->show_banner(QStringLiteral("history"), Banners::Kind::warning, issue.line());
    if (const app::Issue issue = studio_.queue.issue(); !issue.isEmpty())
        banners_->show_banner(QStringLiteral("queue-issue"), Banners::Kind::warning, issue.line());
    if (const int waiting = studio_.queue.waiting(); studio_.queue.paused() && waiting > 0)
        banners_->show_banner(QStringLiteral("failing"), Banners::Kind::info,
                              tr("The queue is paused; %n run(s) wait.", nullptr, waiting),
                              {{tr("Continue"), [this] { studio_.queue.set_paused(false); }}});
    prompt_->focus_prompt();
}

void MainWindow::begin_for_picture(Layout layout) {
    for_picture_ = true;
    remembered_.keep_nothing();
    studio_.core.sweeps().begin_for_picture();
    layouts_->begin(layout);
    remembered_.restore(first_prompt());
    show_newest();
}

void MainWindow::show_newest() {
    const QString newest = studio_.history.newest_done();
    if (!newest.isEmpty()) {
        play_when_opened_ = true;
        show_run(newest);
    } else {
        const auto sample = resources_folder() / "samples" / "first.mp4";
        std::error_code none;
        if (std::filesystem::is_regular_file(sample, none)) {
            play_when_opened_ = true;
            preview_->show_clip(app::Side::a, app::to_qstring(sample));
        }
    }
}

void MainWindow::offer_to_resume() {
    const auto interrupted = studio_.queue.interrupted();
    if (interrupted.isEmpty()) return;
    using Role = app::RunQueue::Role;
    const QModelIndex at = studio_.queue.index(studio_.queue.row_of(interrupted.constFirst()));
    const QString run = at.data(Role::RunRole).toString();
    if (run.isEmpty()) return;
    int step = 0, steps = 0; // the entry knows them only while it is at work
    try {
        const auto record = app::RunHistory::record(run);
        step = record.steps.empty() ? 0 : record.steps.back().step;
        steps = record.total_steps;
    } catch (const Error&) { // a folder that is gone: resuming says so
    }
    const QString prompt = at.data(Role::PromptRole).toString().simplified();
    banners_->show_banner(QStringLiteral("resume"), Banners::Kind::info,
                          tr("“%1” was interrupted at step %2 of %3. Nothing of it is lost.")
                              .arg(prompt.size() > 60 ? prompt.left(59) + QChar(0x2026) : prompt)
                              .arg(step)
                              .arg(steps),
                          {{tr("Resume"), [this, run] {
                                watching_ = true;
                                studio_.queue.add_resume(run);
                            }}});
}

} // namespace denoir::ui
