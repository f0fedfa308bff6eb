// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/verifications.h"

#include "app/runs/run_history.h"
#include "app/runs/stage_text.h"
#include "ui/widgets/banner.h"
#include "ui/window/status_line.h"

namespace denoir::ui {

using Task = StatusLine::Task;

namespace {
/// Each run has its own banner, so that every result can be read, and a newer one replaces that of the same run.
QString banner_of(const QString& run) { return QStringLiteral("verified-") + run; }
} // namespace

Verifications::Verifications(app::EngineWorker& worker, const app::RunHistory& history, Banners& banners,
                             StatusLine& status, QObject* parent)
    : QObject(parent), worker_(worker), banners_(banners), status_(status) {
    connect(&history, &app::RunHistory::removed, this, &Verifications::forget);
    connect(&worker, &app::EngineWorker::progressed, this, &Verifications::show_progress);
    connect(&worker, &app::EngineWorker::verified, this, &Verifications::show_result);
    connect(&worker, &app::EngineWorker::failed, this, &Verifications::show_failure);
    connect(&worker, &app::EngineWorker::ended, this, &Verifications::end);
}

void Verifications::add(app::JobId job, const QString& run, const QString& name) {
    jobs_.insert(job, {run, name});
    if (jobs_.size() == 1) show_waiting();
}

void Verifications::show_waiting() { status_.show_task(Task::verification, tr("verifying · waits for the engine")); }

void Verifications::show_progress(app::JobId job, const app::JobProgress& progress) {
    if (!jobs_.contains(job)) return;
    const bool counted = progress.stage == Stage::denoise && progress.total > 0;
    status_.show_task(Task::verification,
                      counted ? tr("verifying · step %1/%2").arg(progress.done).arg(progress.total)
                              : tr("verifying · %1").arg(app::stage_text(progress.stage)),
                      counted ? int(progress.done) : 0, counted ? int(progress.total) : 1);
}

void Verifications::show_result(app::JobId job, const app::VerifyResult& result) {
    if (!jobs_.contains(job)) return;
    const auto [run, name] = jobs_.value(job);
    if (result.identical)
        return banners_.show_banner(banner_of(run), Banners::Kind::info,
                                    tr("“%1” verified: every step comes out byte for byte the same.").arg(name), {},
                                    30);
    QStringList lines{tr("“%1” comes out otherwise.").arg(name)};
    if (result.first_difference >= 0)
        lines << tr("The first step that differs is step %1.").arg(result.first_difference);
    if (!result.changed_files.isEmpty())
        lines << tr("Changed since the run: %1").arg(result.changed_files.join(QStringLiteral(", ")));
    banners_.show_banner(banner_of(run), Banners::Kind::error, lines.join(QLatin1Char(' ')));
}

void Verifications::show_failure(app::JobId job, const app::Issue& issue) {
    if (!jobs_.contains(job)) return;
    const auto [run, name] = jobs_.value(job);
    banners_.show_banner(banner_of(run), Banners::Kind::error,
                         tr("“%1” could not be verified: %2").arg(name, issue.line()));
}

void Verifications::end(app::JobId job) {
    if (jobs_.remove(job) == 0) return;
    if (jobs_.isEmpty())
        status_.end_task(Task::verification);
    else if (!jobs_.contains(worker_.current()))
        show_waiting();
}

void Verifications::forget(const QStringList& runs) {
    for (const QString& run : runs) banners_.remove(banner_of(run));
    const QHash<app::JobId, Verified> jobs = jobs_;
    for (auto it = jobs.cbegin(); it != jobs.cend(); ++it)
        if (runs.contains(it->run)) {
            end(it.key()); // before cancelling, so that later signals of the job are ignored
            worker_.cancel(it.key());
        }
}

} // namespace denoir::ui
