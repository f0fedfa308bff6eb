// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/verifications.h"

#include "app/runs/stage_text.h"
#include "ui/widgets/banner.h"
#include "ui/window/status_line.h"

namespace denoir::ui {

using Task = StatusLine::Task;

namespace {
QString banner_of(app::JobId job) { return QStringLiteral("verified-%1").arg(job); } // each result is read
} // namespace

Verifications::Verifications(app::EngineWorker& worker, Banners& banners, StatusLine& status, QObject* parent)
    : QObject(parent), banners_(banners), status_(status) {
    connect(&worker, &app::EngineWorker::progressed, this, &Verifications::show_progress);
    connect(&worker, &app::EngineWorker::verified, this, &Verifications::show_result);
    connect(&worker, &app::EngineWorker::failed, this, &Verifications::show_failure);
    connect(&worker, &app::EngineWorker::ended, this, &Verifications::end);
}

void Verifications::add(app::JobId job, const QString& name) {
    names_.insert(job, name);
    if (names_.size() == 1) show_waiting();
}

void Verifications::show_waiting() { status_.show_task(Task::verification, tr("verifying · waits for the engine")); }

void Verifications::show_progress(app::JobId job, const app::JobProgress& progress) {
    if (!names_.contains(job)) return;
    const bool counted = progress.stage == Stage::denoise && progress.total > 0;
    status_.show_task(Task::verification,
                      counted ? tr("verifying · step %1/%2").arg(progress.done).arg(progress.total)
                              : tr("verifying · %1").arg(app::stage_text(progress.stage)),
                      counted ? int(progress.done) : 0, counted ? int(progress.total) : 1);
}

void Verifications::show_result(app::JobId job, const app::VerifyResult& result) {
    const QString name = names_.value(job);
    if (result.identical)
        return banners_.show_banner(banner_of(job), Banners::Kind::info,
                                    tr("“%1” verified: every step comes out byte for byte the same.").arg(name), {},
                                    30);
    QStringList lines{tr("“%1” comes out otherwise.").arg(name)};
    if (result.first_difference >= 0)
        lines << tr("The first step that comes out otherwise is step %1.").arg(result.first_difference);
    if (!result.changed_files.isEmpty())
        lines << tr("Changed since the run: %1").arg(result.changed_files.join(QStringLiteral(", ")));
    banners_.show_banner(banner_of(job), Banners::Kind::error, lines.join(QLatin1Char(' ')));
}

void Verifications::show_failure(app::JobId job, const app::Issue& issue) {
    if (names_.contains(job))
        banners_.show_banner(banner_of(job), Banners::Kind::error,
                             tr("“%1” could not be verified: %2").arg(names_.value(job), issue.line()));
}

void Verifications::end(app::JobId job) {
    if (names_.remove(job) == 0) return;
    names_.isEmpty() ? status_.end_task(Task::verification) : show_waiting();
}

} // namespace denoir::ui
