// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QObject>

#include "app/runs/engine_worker.h"

namespace denoir::ui {

class Banners;
class StatusLine;

/// Runs that the engine renders again to see whether they come out the same: how far it is stands in the status line,
/// each result in a banner of its own. Borrows all three, which outlive it.
class Verifications : public QObject {
    Q_OBJECT
public:
    Verifications(app::EngineWorker& worker, Banners& banners, StatusLine& status, QObject* parent = nullptr);
    /// A job that EngineWorker::verify() began, of the run of that name.
    void add(app::JobId job, const QString& name);

private:
    void show_progress(app::JobId job, const app::JobProgress& progress);
    void show_waiting();
    void show_result(app::JobId job, const app::VerifyResult& result);
    void show_failure(app::JobId job, const app::Issue& issue);
    void end(app::JobId job);

    Banners& banners_;
    StatusLine& status_;
    QHash<app::JobId, QString> names_; ///< of the runs whose jobs are at the engine
};

} // namespace denoir::ui
