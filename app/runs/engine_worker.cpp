// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/engine_worker.h"

#include <chrono>
#include <functional>
#include <utility>

#include "app/base/pace.h"
#include "app/base/task_thread.h"
#include "app/base/text.h"
#include "engine/session/render.h"
#include "engine/session/trace.h"
#include "engine/session/verify.h"

namespace denoir::app {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

} // namespace

struct EngineWorker::State {
    /// Turns the engine's observer calls into signals. Lives on the engine thread.
    class Reporter : public Observer {
    public:
        Reporter(EngineWorker& worker, JobId job) : worker_(worker), job_(job) {}

        void run_begins(const RunFolder& run) {
            const RunRecord& record = run.record();
            const auto& start = record.request.start; // a branch has not yet copied the steps that it starts from
            const int first = !record.steps.empty() ? record.steps.back().step : start ? start->step : 0;
            run_ = to_qstring(run.path());
            emit worker_.run_created(job_, run_, record.total_steps, first, record.request);
        }
        void stage_begins(Stage stage) override {
            begin_ = Clock::now();
            report({stage, 0, 0, -1, 0});
        }
        void progress(Stage stage, double done, double total, double seconds_left) override {
            const bool due = pace_.is_due(), whole = done >= total;
            if (due || whole) report({stage, done, total, seconds_left, since(begin_)});
        }
        void step_done(const StepInfo& info) override {
            emit worker_.step_done(job_, {info.step, info.steps, info.latent, info.x0, info.seconds});
        }
        void warning(std::string_view text) override { emit worker_.warned(job_, to_qstring(printable(text, 400))); }
        const QString& run() const { return run_; }

    private:
        void report(const JobProgress& progress) { emit worker_.progressed(job_, progress); }
        EngineWorker& worker_;
        JobId job_;
        QString run_;
        Clock::time_point begin_ = Clock::now();
        Pace pace_;
    };

    explicit State(EngineWorker& worker)
        : self(worker),
          thread({.release = [this] { engine.clear(); }, // called on the thread that the engine belongs to
                  .ended = [this](JobId job) { emit self.ended(job); }}) {}

    /// `work` emits the signal for its success; put() those for cancellation and failure.
    JobId put(std::function<void(JobId, Reporter&, const std::stop_token&)> work) {
        return thread.put([this, work = std::move(work)](JobId job, const std::stop_token& stop) {
            Reporter reporter(self, job);
            emit self.started(job);
            try {
                if (stop.stop_requested()) throw Cancelled();
                work(job, reporter, stop);
            } catch (const Cancelled&) {
                emit self.cancelled(job, reporter.run());
            } catch (...) {
                engine.clear(); // so that a job that ran out of memory has more next time
                emit self.failed(job, Issue::from_current_exception());
            }
        });
    }

    void report(JobId id, const RenderResult& r) {
        emit self.finished(id, {to_qstring(r.run), to_qstring(r.out), r.seed, r.seconds, r.peak_memory_bytes});
    }

    EngineWorker& self;
    // Used on the thread only:
    Engine engine;
    std::filesystem::path rendered_last; ///< the next run may reuse what this one encoded
    TaskThread thread;                   ///< declared last, so that it is joined before the rest is destroyed
};

EngineWorker::EngineWorker(QObject* parent) : QObject(parent), state_(std::make_unique<State>(*this)) {
    qRegisterMetaType<JobId>("denoir::app::JobId");
    qRegisterMetaType<StepUpdate>();
    qRegisterMetaType<JobProgress>();
    qRegisterMetaType<RunResult>();
    qRegisterMetaType<VerifyResult>();
    qRegisterMetaType<Issue>();
}

EngineWorker::~EngineWorker() { cancel_all(); }

JobId EngineWorker::render(const Request& request, const QString& run_dir) {
    return state_->put(
        [s = state_.get(), request, run = to_path(run_dir)](JobId job, auto& reporter, const auto& stop) {
            RenderOptions options;
            options.run_dir = run;
            options.on_run = [&](const RunFolder& begun) { reporter.run_begins(begun); };
            options.conditioning_of = s->rendered_last;
            const RenderResult result = denoir::render(request, options, s->engine, reporter, stop);
            s->rendered_last = result.run;
            s->report(job, result);
        });
}

JobId EngineWorker::resume(const QString& run) {
    return state_->put([s = state_.get(), run = to_path(run)](JobId job, auto& reporter, const auto& stop) {
        const auto began = [&](const RunFolder& begun) { reporter.run_begins(begun); };
        s->report(job, denoir::resume(run, began, -1, s->engine, reporter, stop));
    });
}

JobId EngineWorker::verify(const QString& run) {
    return state_->put([s = state_.get(), run = to_path(run)](JobId job, auto& reporter, const auto& stop) {
        s->engine.clear(); // verify_run() uses an engine of its own, which may need the memory
        const Verification v = verify_run(run, 0, reporter, stop);
        VerifyResult result{v.identical(), v.steps, v.first_difference.value_or(-1), {}};
        for (const std::string& file : v.changed_files) result.changed_files << to_qstring(file);
        emit s->self.verified(job, result);
    });
}

JobId EngineWorker::trace(const Request& request, const TraceSelection& select, const QString& out) {
    return state_->put([s = state_.get(), request, select, out](JobId job, auto& reporter, const auto& stop) {
        s->engine.clear();
        denoir::trace(request, {to_path(out), select, {}, {}}, reporter, stop);
        emit s->self.traced(job, out);
    });
}

void EngineWorker::cancel(JobId job) {
    if (!state_->thread.cancel(job)) return;
    emit cancelled(job, {});
    emit ended(job);
}

void EngineWorker::cancel_all() {
    for (const JobId job : state_->thread.cancel_all()) {
        emit cancelled(job, {});
        emit ended(job);
    }
}

JobId EngineWorker::current() const { return state_->thread.current(); }

} // namespace denoir::app
