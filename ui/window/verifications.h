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

/// Runs that the engine renders again to see whether they come out the same. The status line shows the progress, and a
/// banner the newest result of each run. Deleting a run ends its verification. Borrows all, which must outlive it.
class Verifications : public QObject {
    Q_OBJECT
public:
    Verifications(app::EngineWorker& worker, const app::RunHistory& history, Banners& banners, StatusLine& status,
                  QObject* parent = nullptr);
    /// Adds a job of EngineWorker::verify() for a run of this name.
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
    QHash<app::JobId, Verified> jobs_; ///< those that have not ended
};

} // namespace denoir::ui
