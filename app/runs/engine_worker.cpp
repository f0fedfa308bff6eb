// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/engine_worker.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

#include "app/base/low_priority.h"
#include "app/base/text.h"
#include "engine/session/render.h"
#include "engine/session/trace.h"
#include "engine/session/verify.h"

namespace denoir::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto between_reports = std::chrono::milliseconds(50);
constexpr int worker_nice = 10;
constexpr auto weights_kept = std::chrono::minutes(10); ///< after the last run

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

} // namespace

struct EngineWorker::State {
    enum class Kind { render, resume, verify, trace };
    struct Job {
        JobId id = 0;
        Kind kind = Kind::render;
        Request request;
        std::filesystem::path run; ///< of a trace: its file
        TraceSelection select{};
        std::stop_source stop{};
    };

    /// Turns what the engine tells into signals. Lives on the engine thread.
    class Reporter : public Observer {
    public:
        Reporter(EngineWorker& worker, JobId job) : worker_(worker), job_(job) {}

        void run_begins(const RunFolder& run) {
            const RunRecord& record = run.record();
            const int first = record.request.start   ? record.request.start->step
                              : record.steps.empty() ? 0
                                                     : record.steps.back().step;
            run_ = to_qstring(run.path());
            emit worker_.run_created(job_, run_, record.total_steps, first, record.request);
        }
        void stage_begins(Stage stage) override {
            begin_ = Clock::now();
            first_done_ = -1;
            report({stage, 0, 0, -1, 0});
        }
        void progress(Stage stage, double done, double total) override {
            if (first_done_ < 0) first_done_ = done; // a resumed run begins in the middle
            const bool whole = done >= total;
            if (!whole && Clock::now() - last_ < between_reports) return;
            const double spent = since(begin_), pieces = done - first_done_;
            report({stage, done, total, pieces > 0 ? spent / pieces * (total - done) : -1, spent});
        }
        void step_done(const StepInfo& info) override {
            emit worker_.step_done(job_, {info.step, info.steps, info.latent, info.x0, info.seconds});
        }
        void warning(std::string_view text) override { emit worker_.warned(job_, to_qstring(printable(text, 400))); }
        const QString& run() const { return run_; }

    private:
        void report(const JobProgress& progress) {
            last_ = Clock::now();
            emit worker_.progressed(job_, progress);
        }
        EngineWorker& worker_;
        JobId job_;
        QString run_;
        Clock::time_point begin_ = Clock::now(), last_{};
        double first_done_ = -1;
    };

    explicit State(EngineWorker& worker) : self(worker) {}

    JobId push(Job job) {
        const std::scoped_lock lock(mutex);
        job.id = ++last_id;
        waiting.push_back(std::move(job));
        wake.notify_all();
        return last_id;
    }

    void loop(const std::stop_token& end) {
        lower_priority(worker_nice);
        for (;;) {
            Job job;
            {
                std::unique_lock lock(mutex);
                const auto awaited = [&] { return !waiting.empty(); };
                if (!wake.wait_for(lock, end, weights_kept, awaited) && !end.stop_requested()) {
                    engine.clear();
                    wake.wait(lock, end, awaited);
                }
                if (waiting.empty()) break;
                job = waiting.front();
                waiting.pop_front();
                current = job.id;
                stop = job.stop;
            }
            work(job);
            {
                const std::scoped_lock lock(mutex);
                current = 0;
            }
            emit self.ended(job.id);
        }
        engine.clear(); // on the thread that it belongs to
    }

    void work(const Job& job) {
        Reporter reporter(self, job.id);
        const auto began = [&](const RunFolder& run) { reporter.run_begins(run); };
        emit self.started(job.id);
        try {
            if (job.stop.stop_requested()) throw Cancelled();
            switch (job.kind) {
            case Kind::render: {
                RenderOptions options;
                options.run_dir = job.run;
                options.on_run = began;
                options.conditioning_of = rendered_last;
                const RenderResult result =
                    denoir::render(job.request, options, engine, reporter, job.stop.get_token());
                rendered_last = result.run;
                return report(job.id, result);
            }
            case Kind::resume:
                return report(job.id, denoir::resume(job.run, began, -1, engine, reporter, job.stop.get_token()));
            case Kind::verify: {
                engine.clear(); // works with nothing kept, and should find the memory
                const Verification v = verify_run(job.run, 0, reporter, job.stop.get_token());
                VerifyResult result{v.identical(), v.steps, v.first_difference.value_or(-1), {}};
                for (const std::string& file : v.changed_files) result.changed_files << to_qstring(file);
                emit self.verified(job.id, result);
                return;
            }
            case Kind::trace:
                engine.clear();
                denoir::trace(job.request, {job.run, job.select, {}, {}}, reporter, job.stop.get_token());
                emit self.traced(job.id, to_qstring(job.run));
                return;
            }
        } catch (const Cancelled&) {
            emit self.cancelled(job.id, reporter.run());
        } catch (...) {
            engine.clear(); // what failed for want of memory finds it next time
            emit self.failed(job.id, Issue::from_current_exception());
        }
    }

    void report(JobId id, const RenderResult& r) {
        emit self.finished(id, {to_qstring(r.run), to_qstring(r.out), r.seed, r.seconds, r.peak_memory_bytes});
    }

    EngineWorker& self;
    mutable std::mutex mutex;
    std::condition_variable_any wake;
    std::deque<Job> waiting;
    JobId last_id = 0, current = 0;
    std::stop_source stop;               ///< of the current job
    Engine engine;                       ///< of the engine thread
    std::filesystem::path rendered_last; ///< likewise: what it encoded may serve the next run
    std::jthread thread;                 ///< last: joined before the rest goes
};

EngineWorker::EngineWorker(QObject* parent) : QObject(parent), state_(std::make_unique<State>(*this)) {
    qRegisterMetaType<JobId>("denoir::app::JobId");
    qRegisterMetaType<StepUpdate>();
    qRegisterMetaType<JobProgress>();
    qRegisterMetaType<RunResult>();
    qRegisterMetaType<VerifyResult>();
    qRegisterMetaType<Issue>();
    state_->thread = std::jthread([state = state_.get()](const std::stop_token& end) { state->loop(end); });
}

EngineWorker::~EngineWorker() {
    state_->thread.request_stop();
    cancel_all();
    state_->thread.join();
}

JobId EngineWorker::render(const Request& request, const QString& run_dir) {
    return state_->push({0, State::Kind::render, request, to_path(run_dir)});
}
JobId EngineWorker::resume(const QString& run) { return state_->push({0, State::Kind::resume, {}, to_path(run)}); }
JobId EngineWorker::verify(const QString& run) { return state_->push({0, State::Kind::verify, {}, to_path(run)}); }

JobId EngineWorker::trace(const Request& request, const TraceSelection& select, const QString& out) {
    return state_->push({0, State::Kind::trace, request, to_path(out), select});
}

void EngineWorker::cancel(JobId job) {
    {
        const std::scoped_lock lock(state_->mutex);
        if (job != 0 && job == state_->current) state_->stop.request_stop();
        const auto it = std::find_if(state_->waiting.begin(), state_->waiting.end(),
                                     [&](const State::Job& waiting) { return waiting.id == job; });
        if (it == state_->waiting.end()) return;
        state_->waiting.erase(it);
    }
    emit cancelled(job, {});
    emit ended(job);
}

void EngineWorker::cancel_all() {
    std::deque<State::Job> dropped;
    {
        const std::scoped_lock lock(state_->mutex);
        dropped.swap(state_->waiting);
        if (state_->current != 0) state_->stop.request_stop();
    }
    for (const State::Job& job : dropped) {
        emit cancelled(job.id, {});
        emit ended(job.id);
    }
}

JobId EngineWorker::current() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->current;
}

} // namespace denoir::app
