// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QObject>

#include "app/runs/engine_worker.h"

namespace denoir::app {
class RunHistory;
} // namespace denoir::app

namespace denoir::ui {

class Banners;
class StatusLine;

/// Runs that the engine renders again to see whether they come out the same: how far it is stands in the status line,
/// the newest result of each run in a banner. A run that is deleted is verified no more. Borrows all, which outlive it.
class Verifications : public QObject {
    Q_OBJECT
public:
    Verifications(app::EngineWorker& worker, const app::RunHistory& history, Banners& banners, StatusLine& status,
                  QObject* parent = nullptr);
    /// A job that EngineWorker::verify() began, of the run, and that run's name.
    void add(app::JobId job, const QString& run, const QString& name);

private:
    void show_progress(app::JobId job, const app::JobProgress& progress);
    void show_waiting();
    void show_result(app::JobId job, const app::VerifyResult& result);
    void show_failure(app::JobId job, const app::Issue& issue);
    void end(app::JobId job);
    void forget(const QStringList& runs);

    struct Verified {
        QString run, name;
    };
    app::EngineWorker& worker_;
    Banners& banners_;
    StatusLine& status_;
    QHash<app::JobId, Verified> jobs_; ///< at the engine
};

} // namespace denoir::ui
