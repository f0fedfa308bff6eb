// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFutureWatcher>
#include <QList>
#include <QObject>
#include <memory>

#include "app/base/journal.h"
#include "app/base/preparations.h"
#include "app/base/settings.h"
#include "app/clips/thumbnails.h"
#include "app/desktop/notifier.h"
#include "app/project/cut_exporter.h"
#include "app/project/project.h"
#include "app/project/result_placer.h"
#include "app/request/estimator.h"
#include "app/request/model_catalogue.h"
#include "app/request/prompt_history.h"
#include "app/request/request_document.h"
#include "app/request/tokens.h"
#include "app/runs/draft_decoder.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"

namespace denoir::app {

class SweepDocument;

/// Makes everything that the window shows, in the right order, and connects it: runs enter the history as they begin
/// and end, the estimator learns from them, the request is stored with the project, and watched folders with the
/// settings. Call start() when the window is shown. GUI thread.
class Studio : public QObject {
    Q_OBJECT
public:
    explicit Studio(QObject* parent = nullptr);
    ~Studio() override; ///< cancels and joins all threads; a run at work can be resumed

    Journal journal; ///< declared first, so that it keeps what the others log until they are destroyed
    Settings settings;
    EngineWorker worker;
    DraftDecoder drafts;
    RunHistory history;
    ModelCatalogue models;
    Thumbnails thumbnails;
    Estimator estimator;
    Project project;
    RequestDocument document;
    RunQueue queue;
    ResultPlacer results;
    PromptHistory prompts;
    Tokens tokens;
    Notifier notifier;
    CutExporter exporter;
    Preparations inputs;
    SweepDocument& sweeps() { return *sweeps_; }

    /// Starts the queue and switches autosave on.
    void start();
    /// Deletes what has been in the trash for a week and is not in the cut. Call it when the last session's project is
    /// open.
    void empty_trash();
    /// Whether the window is in front: then nothing is sent to the desktop.
    void set_in_front(bool in_front) { in_front_ = in_front; }
    /// What would be deleted so that the runs keep the limit in the settings; empty if they do. The window asks once,
    /// then deletes.
    RunHistory::DropPlan over_limit() const;

signals:
    void over_limit_changed();
    void issue(const denoir::app::Issue& issue); ///< one that no other object reports

private:
    void connect_queue();
    void connect_journal();
    void look_at_device(); ///< looks into the device of the request being edited
    void tell_device(const std::optional<Device>& device);
    void run_ended(quint64 id, int state, const QString& run);
    void learn(const QString& run);
    bool in_front_ = true;
    std::optional<Device> looked_at_, told_;
    /// What the estimator learns from a run that is done.
    struct Lesson {
        RunRecord record;
        Estimate work;
    };
    using LessonWatcher = QFutureWatcher<std::shared_ptr<Lesson>>;
    void take(LessonWatcher* lesson);
    QList<LessonWatcher*> lessons_; ///< those being read
    /// The queue's newest job.
    struct {
        JobId job = 0;
        quint64 entry = 0;
    } begun_;
    std::unique_ptr<SweepDocument> sweeps_;
};

} // namespace denoir::app
