// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QSignalBlocker>
#include <QTimer>
#include <QtConcurrent/QtConcurrentRun>
#include <utility>

#include "app/base/background.h"
#include "app/base/engine_text.h"
#include "app/base/folder.h"
#include "app/base/text.h"
#include "app/runs/run_words.h"
#include "app/runs/stage_text.h"
#include "app/sweep/sweep_document.h"
#include "engine/pipeline/run_layout.h"
#include "engine/weights/model_folder.h"

namespace denoir::app {
namespace {

constexpr int trash_days = 7;
constexpr int look_ms = 20'000; ///< the longest time that the queue waits for a device to be looked into

/// Whether the edited request's forecast holds for a run: what mostly decides the time must agree, as far as the run
/// sets it.
bool takes_as_long(const Request& run, const Request& edited) {
    const auto same = [](const auto& given, const auto& known) { return !given || given == known; };
    return same(run.width, edited.width) && same(run.height, edited.height) && same(run.frames, edited.frames) &&
           same(run.steps, edited.steps) && same(run.guidance, edited.guidance) &&
           same(run.guidance_low, edited.guidance_low) && run.guidance_until == edited.guidance_until &&
           run.model == edited.model && run.parts == edited.parts;
}

} // namespace

Studio::Studio(QObject* parent) : QObject(parent), document(project.undo()), queue(worker), results(project, queue) {
    models.set_folders(settings.model_folders());
    const auto take_parts = [this] {
        models.set_parts(settings.model_parts());
        document.set_model_parts(settings.model_parts());
    };
    take_parts();
    connect(&settings, &Settings::changed, this, [this, take_parts](const QString& key) {
        if (key == QStringLiteral("model_parts")) take_parts();
        if (key == QStringLiteral("model_folders")) models.set_folders(settings.model_folders());
        if (key == QStringLiteral("history_bytes") || key == QStringLiteral("may_drop_latents"))
            emit over_limit_changed();
    });
    connect(&models, &ModelCatalogue::looked, &document, &RequestDocument::refresh);
    const auto keep_request = [this] { project.set_request(asked_json(document.to_keep())); };
    connect(&document, &RequestDocument::changed, this, keep_request);
    connect(&document, &RequestDocument::seed_locked_changed, this, keep_request);
    connect(&project, &Project::loaded, this, [this] {
        inputs.drop(); // this work was for the previous project
        try {
            document.load(project.request().empty() ? Request{}
                                                    : request_from_json(project.request(), {"project", "/"}));
        } catch (const Error& e) { // unlikely, as it was checked when the file was read
            emit issue(Issue::from(e));
        }
    });
    connect(&history, &RunHistory::totals_changed, this, &Studio::over_limit_changed);
    // A run that is deleted or restored may be one that a shot shows.
    connect(&history, &RunHistory::removed, &project, &Project::look_at_media);
    connect(&history, &RunHistory::restored, &project, &Project::look_at_media);
    connect(&history, &RunHistory::totals_changed, this, [this, runs = history.total()]() mutable {
        const int before = std::exchange(runs, history.total());
        if (runs != before) project.look_at_media(); // only then, as totals change with each step of a run
    });
    connect_queue();
    connect_journal();
    sweeps_ = std::make_unique<SweepDocument>(settings, document, queue, history, estimator, project.undo());
}

/// Lessons being read are still learned, but the estimator's signal must no longer start anything.
Studio::~Studio() {
    const QSignalBlocker quiet(estimator);
    for (LessonWatcher* lesson : QList(lessons_)) {
        lesson->waitForFinished();
        take(lesson);
    }
    worker.disconnect(this); // it is destroyed after members that its signals use, and then ends waiting jobs
}

void Studio::connect_queue() {
    connect(&queue, &RunQueue::entry_started, this, [this](quint64 id) {
        // Only the document's request has been estimated, so there is no forecast for a different one.
        const auto request = queue.running_request();
        const auto& edited = document.resolved();
        if (!request || !edited || !takes_as_long(*request, *edited)) return;
        const auto f = estimator.forecast(*edited, document.estimate());
        if (f.whole) queue.set_expected(id, {f.before, f.seconds - f.before - f.after, f.after});
    });
    connect(&queue, &RunQueue::run_created, this, [this](quint64 id, const QString& run) {
        const auto snapshot = queue.snapshot(id);
        if (snapshot && !snapshot->prompt_template.isEmpty())
            history.set_prompt_template(run, snapshot->prompt_template);
        else
            history.touch(run);
    });
    // The folder of a resumed run says only after run_created() that it is at work, and its next step may take long.
    connect(&worker, &EngineWorker::progressed, this,
            [this, told = std::pair<JobId, Stage>()](JobId job, const JobProgress& progress) mutable {
                const std::pair now{job, progress.stage};
                if (job != queue.running_job() || std::exchange(told, now) == now) return;
                if (const QString run = queue.running_run(); !run.isEmpty()) history.touch(run);
            });
    connect(&queue, &RunQueue::entry_ended, this, &Studio::run_ended);
    connect(&history, &RunHistory::removed, &queue, &RunQueue::forget);
    connect(&history, &RunHistory::restored, &queue, &RunQueue::remember);
    // The run at work is listed with the step it has reached; its folder is read at most once a second.
    connect(&worker, &EngineWorker::step_done, this,
            [this, touched = QElapsedTimer()](JobId job, const StepUpdate& update) mutable {
                const QString run = queue.running_run();
                if (run.isEmpty() || job != queue.running_job()) return;
                history.set_step(run, update.step);
                if (touched.isValid() && touched.elapsed() < 1000) return;
                touched.start();
                history.touch(run);
            });
}

void Studio::look_at_device() {
    const std::optional<Device> device = document.device();
    if (device) models.set_available(estimator.free_bytes(*device));
    // During a run the device would seem to have less memory than it has.
    if (device && device != looked_at_ && !worker.busy() && queue.running() == 0) {
        looked_at_ = device;
        estimator.look_at(*device);
    }
    if (document.resolved() && !worker.busy() && queue.running() == 0)
        estimator.look_at(*document.resolved(), document.estimate());
    tell_device(device); // after looking, so that it is up to date
    // The queue begins only after looking, as a run would take memory before that is measured.
    if (!document.pending() && !estimator.looking()) queue.start();
}

/// Reports that a device cannot be used as soon as that is known, and again whenever the device is chosen again.
void Studio::tell_device(const std::optional<Device>& device) {
    if (!device) return;
    if (told_ != device) told_.reset();
    const Issue found = estimator.issue(*device);
    if (found.isEmpty() || told_) return;
    told_ = device;
    emit issue(found);
}

void Studio::connect_journal() {
    using Level = Journal::Level;
    // When a job's end is reported, the queue may already be at the next entry.
    const auto of_job = [this](JobId job) { return job == begun_.job ? begun_.entry : 0; };
    connect(&queue, &RunQueue::entry_started, this, [this](quint64 id, JobId job) {
        begun_ = {job, id};
        const QModelIndex entry = queue.index(queue.row_of(id));
        journal.add(Level::info,
                    tr("begins: %1 · %2")
                        .arg(entry.data(RunQueue::SummaryRole).toString(), entry.data(RunQueue::PromptRole).toString()),
                    id);
    });
    connect(&worker, &EngineWorker::run_created, this,
            [this, of_job](JobId job, const QString& run, int steps, int first, const Request& request) {
                journal.add(Level::info,
                            tr("run %1 with %2 at step %3 of %4")
                                .arg(run, to_qstring(request.model), QString::number(first), QString::number(steps)),
                            of_job(job));
            });
    connect(&worker, &EngineWorker::progressed, this, [this, of_job](JobId job, const JobProgress& progress) {
        const bool begins = progress.total == 0 && progress.stage_seconds == 0;
        if (begins) journal.add(Level::info, stage_text(progress.stage), of_job(job));
    });
    connect(&worker, &EngineWorker::warned, this, [this, of_job](JobId job, const QString& text) {
        journal.add(Level::warning, engine_text(text), of_job(job));
    });
    connect(&worker, &EngineWorker::finished, this, [this, of_job](JobId job, const RunResult& result) {
        journal.add(Level::info,
                    tr("done in %1, at most %2 of memory: %3")
                        .arg(duration_text(result.seconds), bytes_text(double(result.peak_memory_bytes)), result.out),
                    of_job(job));
    });
    connect(&queue, &RunQueue::entry_ended, this, [this](quint64 id, int state, const QString& run) {
        const QModelIndex entry = queue.index(queue.row_of(id));
        if (state == int(RunQueue::State::failed) && entry.isValid())
            journal.add(Level::error, entry.data(RunQueue::IssueRole).value<Issue>().line(), id);
        else if (state == int(RunQueue::State::cancelled))
            journal.add(Level::info, run.isEmpty() ? tr("stopped before it began") : tr("stopped: %1").arg(run), id);
    });
    // Only for verifications and traces: the failure of a run is logged by entry_ended above.
    connect(&worker, &EngineWorker::failed, this, [this, of_job](JobId job, const Issue& issue) {
        if (of_job(job) == 0) journal.add(Level::error, issue.line());
    });
}

void Studio::run_ended(quint64 id, int state, const QString& run) {
    if (!run.isEmpty()) {
        history.touch(run);
        thumbnails.forget(run); // it has more steps
    }
    project.look_at_media();
    const int row = queue.row_of(id);
    const QString prompt =
        row < 0 ? QString() : run_words::title({}, queue.index(row).data(RunQueue::PromptRole).toString()).left(120);
    const bool tell = settings.notifications() && !in_front_;
    if (state == int(RunQueue::State::done)) {
        thumbnails.forget(file_in(run, run_file::thumbnail));
        learn(run);
        if (tell) notifier.notify(tr("A video is ready"), prompt, file_in(run, run_file::thumbnail));
    } else if (state == int(RunQueue::State::failed) && tell) {
        const Issue what = row < 0 ? Issue() : queue.index(row).data(RunQueue::IssueRole).value<Issue>();
        notifier.notify(tr("A run failed"), what.line());
    }
}

void Studio::learn(const QString& run) {
    // Runs on another thread, as a model's headers may be slow to read.
    auto* watcher = new LessonWatcher(this);
    lessons_ << watcher;
    connect(watcher, &LessonWatcher::finished, this, [this, watcher] { take(watcher); });
    watcher->setFuture(QtConcurrent::run(background_pool(), [run]() -> std::shared_ptr<Lesson> {
        try {
            auto lesson = std::make_shared<Lesson>(Lesson{RunHistory::record(run), {}});
            lesson->work = Pipeline::estimate(
                lesson->record.request, ModelFolder::open(lesson->record.request.model, lesson->record.request.parts));
            return lesson;
        } catch (const std::exception&) { // the run or its model was just removed
            return nullptr;
        }
    }));
}

void Studio::take(LessonWatcher* watcher) {
    if (!lessons_.removeOne(watcher)) return; // the destructor has taken it already
    if (const auto lesson = watcher->result()) estimator.learn(lesson->record, lesson->work);
    watcher->deleteLater();
}

void Studio::start() {
    journal.add(Journal::Level::info, tr("Denoir %1 begins").arg(QCoreApplication::applicationVersion()));
    project.set_autosave(true);
    connect(&document, &RequestDocument::changed, this, &Studio::look_at_device);
    connect(&document, &RequestDocument::resolved_changed, this, &Studio::look_at_device);
    connect(&worker, &EngineWorker::ended, this, &Studio::look_at_device);
    connect(&estimator, &Estimator::changed, this, &Studio::look_at_device);
    sweeps_->begin();
    look_at_device();
    QTimer::singleShot(look_ms, &queue, &RunQueue::start); // in case a driver hangs
}

void Studio::empty_trash() { history.purge_trash(trash_days, project.runs()); }

RunHistory::DropPlan Studio::over_limit() const {
    const auto limit = quint64(settings.history_bytes());
    return limit == 0 || history.bytes() <= limit ? RunHistory::DropPlan() : history.plan_drop(limit);
}

} // namespace denoir::app
