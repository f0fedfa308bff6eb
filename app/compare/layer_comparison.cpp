// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/layer_comparison.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <atomic>
#include <unistd.h>

#include <fmt/format.h>

#include "app/base/pace.h"
#include "app/base/text.h"
#include "engine/compare/trace_compare.h"
#include "engine/compare/trace_report.h"
#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/core/own_folders.h"
#include "engine/session/output_check.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

/// A name like those of AtomicFile's temporary files, so that a file left by a crash is removed together with them.
QString trace_file(const char* side) {
    static std::atomic<int> counter{0};
    const fs::path folder = made_folder(cache_folder() / "traces");
    remove_partials(folder, {});
    return to_qstring(folder) +
           QStringLiteral("/.%1.safetensors.partial-%2-%3").arg(QLatin1String(side)).arg(::getpid()).arg(counter++);
}

QString name_of_run(const RunRecord& record, const QString& run) {
    const QString prompt = to_qstring(record.request.prompt).simplified();
    if (prompt.isEmpty() || !record.request.seed) return QFileInfo(run).fileName();
    return LayerComparison::tr("%1 · seed %2").arg(shortened(prompt, 60), QString::number(*record.request.seed));
}

/// Throws Error unless both clips have the same size: otherwise no layers would have the same shape.
void check_sizes(const Request& a, const Request& b) {
    if (a.width == b.width && a.height == b.height && a.frames == b.frames) return;
    const auto size = [](const Request& r) {
        return fmt::format("{}x{}x{}", r.width.value_or(0), r.height.value_or(0), r.frames.value_or(0));
    };
    throw Error("", "size", fmt::format("A is {}, B is {}: their layers have other shapes", size(a), size(b)),
                "compare runs of one size and length");
}

} // namespace

LayerComparison::LayerComparison(EngineWorker& worker, QObject* parent) : QObject(parent), engine_(worker) {
    qRegisterMetaType<metrics::PairHistograms>();
    const auto ours = [this](JobId job) {
        return job != 0 && state_ == State::tracing && tracing_ < traces_.size() && traces_[tracing_].job == job;
    };
    connect(&engine_, &EngineWorker::traced, this, [this, ours](JobId job) {
        if (ours(job)) traced(job);
    });
    connect(&engine_, &EngineWorker::progressed, this, [this, ours](JobId job, const JobProgress& progress) {
        if (!ours(job)) return;
        engine_progress_ = progress;
        tell_share(progress.total > 0 ? progress.done / progress.total : -1);
    });
    connect(&engine_, &EngineWorker::failed, this, [this, ours](JobId job, const Issue& issue) {
        if (ours(job)) end(issue);
    });
    connect(&engine_, &EngineWorker::cancelled, this, [this, ours](JobId job) {
        if (ours(job)) end({});
    });
}

LayerComparison::~LayerComparison() { cancel(); }

void LayerComparison::compare_files(const QString& a, const QString& b) {
    cancel();
    issue_ = {};
    asked_runs_.clear();
    read_files(a, b, a, b, false);
}

void LayerComparison::compare_runs(const QString& a, const QString& b, const QStringList& layers,
                                   const QString& steps) {
    cancel();
    issue_ = {};
    layers_ = layers;
    steps_ = steps;
    asked_runs_ = {a, b};
    try {
        for (const auto& [side, run] : {std::pair{"a", a}, std::pair{"b", b}}) {
            const RunRecord record = RunFolder::open(to_path(run)).record();
            (side[0] == 'a' ? name_a_ : name_b_) = name_of_run(record, run);
            traces_.push_back({record.request, trace_file(side), 0});
        }
        const bool text_alone = !layers.isEmpty() && std::ranges::all_of(layers, [](const QString& pattern) {
            return pattern.startsWith(QLatin1String("text_encoder/"));
        });
        if (!text_alone) check_sizes(traces_[0].request, traces_[1].request);
    } catch (const Error& error) {
        return end(Issue::from(error));
    }
    state_ = State::tracing;
    start_trace();
    emit changed();
}

void LayerComparison::start_trace() {
    TraceSelection select;
    for (const QString& pattern : layers_) select.layers.push_back(pattern.toStdString());
    select.steps = steps_.toStdString();
    Traced& next = traces_[tracing_];
    next.job = engine_.trace(next.request, select, next.out);
    engine_progress_ = {};
    tell_share(-1);
}

void LayerComparison::traced(JobId) {
    if (++tracing_ < traces_.size()) return start_trace();
    read_files(traces_[0].out, traces_[1].out, name_a_, name_b_, true);
}

void LayerComparison::forget_issue() {
    if (issue_.isEmpty()) return;
    issue_ = {};
    emit changed();
}

void LayerComparison::read_files(const QString& a, const QString& b, const QString& name_a, const QString& name_b,
                                 bool ours) {
    state_ = State::comparing;
    tell_share(0);
    emit changed();
    reading_.ask([this, a, b, name_a, name_b, ours](NewestQuestion::Number number, const std::stop_token& stop) {
        try {
            const auto files = std::make_shared<const TraceFiles>(to_path(a), to_path(b));
            if (ours) { // they stay readable through their mapping, and nothing is left behind, whatever happens
                QFile::remove(a);
                QFile::remove(b);
            }
            Pace pace;
            const auto progress = [&](double done, double total) {
                if (!pace.is_due()) return;
                tell([this, number, share = total > 0 ? done / total : 0] {
                    if (number == reading_.newest()) tell_share(share);
                });
            };
            const auto found = std::make_shared<metrics::TraceComparison>(files->compare(progress, stop));
            found->name_a = name_a.toStdString();
            found->name_b = name_b.toStdString();
            tell([this, number, found, files] {
                if (number != reading_.newest()) return;
                result_ = found;
                runs_ = asked_runs_;
                files_ = files;
                end({});
            });
        } catch (const Cancelled&) {
        } catch (...) {
            tell([this, number, issue = Issue::from_current_exception()] {
                if (number == reading_.newest()) end(issue);
            });
        }
    });
}

void LayerComparison::tell_share(double share) {
    share_ = share;
    emit progressed();
}

void LayerComparison::end(const Issue& issue) {
    issue_ = issue;
    share_ = -1;
    drop_traces();
    state_ = result_ ? State::done : State::none;
    emit changed();
}

void LayerComparison::drop_traces() {
    for (const Traced& t : traces_) QFile::remove(t.out);
    traces_.clear();
    tracing_ = 0;
}

void LayerComparison::cancel() {
    reading_.withdraw();
    if (!busy()) return;
    const JobId job = state_ == State::tracing ? traces_[tracing_].job : 0;
    end({}); // before cancelling, so that later signals about this job are ignored
    if (job != 0) engine_.cancel(job);
}

void LayerComparison::clear() {
    cancel();
    result_.reset();
    runs_.clear();
    files_.reset();
    issue_ = {};
    state_ = State::none;
    emit changed();
}

void LayerComparison::ask_histograms(const QString& key) {
    if (!files_) return;
    histograms_.ask_next([this, key, files = files_](NewestQuestion::Number, const std::stop_token&) {
        try {
            tell([this, key, files, found = files->histograms(key.toStdString())] {
                if (files == files_) emit histograms_ready(key, found); // unless there is another result by now
            });
        } catch (...) {
            tell([this, files, issue = Issue::from_current_exception()] {
                if (files != files_) return;
                issue_ = issue;
                emit changed();
            });
        }
    });
}

void LayerComparison::write(const QString& out) {
    if (!result_) return;
    thread_.put([this, out, found = result_, files = files_] {
        try {
            const fs::path path = to_path(out);
            const fs::path inputs[] = {found->name_a, found->name_b};
            check_output_file(path, {inputs, inputs + 2});
            const std::string ending = lower_extension(path);
            write_file(path, ending == ".json"  ? to_json(*found).dump(1) + "\n"
                             : ending == ".csv" ? to_csv(*found)
                                                : trace_report(*found, files.get()));
            tell([this, out] { emit exported(out); });
        } catch (...) {
            tell([this, issue = Issue::from_current_exception()] { emit export_failed(issue); });
        }
    });
}

} // namespace denoir::app
