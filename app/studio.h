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

/// Everything the window shows, made and connected with one another in the right order: runs enter the history as they
/// begin and end, the estimator learns from them, the request travels with the project, watched folders with the
/// settings. Start with start() once the window is up; GUI thread.
class Studio : public QObject {
    Q_OBJECT
public:
    explicit Studio(QObject* parent = nullptr);
    ~Studio() override; ///< cancels and joins; what is at work stays resumable

    Journal journal; ///< first: what the others log is kept until they are gone
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

    /// Feeds the queue, switches autosave on.
    void start();
    /// Of what is older than a week and not in the cut: once the last session's project is there.
    void empty_trash();
    /// The window is in front: then nothing is sent to the desktop.
    void set_in_front(bool in_front) { in_front_ = in_front; }
    /// What would go so that the runs fit into the setting; empty: they do. The window asks once, then drops.
    RunHistory::DropPlan over_limit() const;

signals:
    void over_limit_changed();
    void issue(const denoir::app::Issue& issue); ///< of no other place

private:
    void connect_queue();
    void connect_journal();
    void look_at_device(); ///< that the request means
    void tell_device(const std::optional<Device>& device);
    void run_ended(quint64 id, int state, const QString& run);
    void learn(const QString& run);
    bool in_front_ = true;
    std::optional<Device> looked_at_, told_;
    /// Of a run that is done, for the estimator.
    struct Lesson {
        RunRecord record;
        Estimate work;
    };
    using LessonWatcher = QFutureWatcher<std::shared_ptr<Lesson>>;
    void take(LessonWatcher* lesson);
    QList<LessonWatcher*> lessons_; ///< being read
    /// The queue's newest job.
    struct {
        JobId job = 0;
        quint64 entry = 0;
    } begun_;
    std::unique_ptr<SweepDocument> sweeps_;
};

} // namespace denoir::app
