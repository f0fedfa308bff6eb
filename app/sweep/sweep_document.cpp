// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/sweep_document.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "app/base/folder.h"
#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/request/estimator.h"
#include "app/request/request_document.h"
#include "app/request/request_values.h"
#include "app/runs/run_history.h"
#include "app/sweep/open_sweep.h"
#include "engine/core/error.h"

namespace denoir::app {
namespace {

constexpr int look_after_ms = 150; ///< how long after the last edit the outlook is computed

/// The reference that the user chose for the sweep before, as far as the new axes have its values.
std::vector<std::optional<std::size_t>> carried_reference(const Sweep& before, const Sweep& now) {
    if (before.reference == usual_reference(before.axes)) return now.reference;
    auto out = now.reference;
    for (std::size_t i = 0; i < now.axes.size(); ++i)
        for (std::size_t j = 0; j < before.axes.size(); ++j) {
            if (before.axes[j].field != now.axes[i].field) continue;
            out[i].reset();
            if (!before.reference[j]) continue;
            const auto& values = now.axes[i].values;
            const auto it = std::find(values.begin(), values.end(), before.axes[j].values[*before.reference[j]]);
            if (it != values.end()) out[i] = std::size_t(it - values.begin());
        }
    return out;
}

/// Collects the engine's warnings during planning, each once.
class Warnings : public Observer {
public:
    void warning(std::string_view text) override {
        if (const QString words = to_qstring(printable(text, 400)); !said.contains(words)) said << words;
    }
    QStringList said;
};

} // namespace

/// A sweep that was planned in the background and is about to begin.
struct SweepDocument::Beginning {
    TaskThread::Id task = 0;
    std::shared_ptr<SweepFolder> folder;
    SweepPlan plan;
    RequestDocument::Snapshot snapshot;
    Issue issue;
};

SweepDocument::SweepDocument(Settings& settings, RequestDocument& document, RunQueue& queue, RunHistory& history,
                             Estimator& estimator, QUndoStack& undo, QObject* parent)
    : QObject(parent),
      settings_(settings),
      document_(document),
      queue_(queue),
      history_(history),
      estimator_(estimator),
      axes_(undo, settings) {
    look_later_.setSingleShot(true);
    look_later_.setInterval(look_after_ms);
    connect(&look_later_, &QTimer::timeout, this, &SweepDocument::look);
    connect(&axes_, &SweepAxes::changed, this, &SweepDocument::look_soon);
    connect(&document_, &RequestDocument::changed, this, &SweepDocument::look_soon);
    connect(&document_, &RequestDocument::seed_locked_changed, this, &SweepDocument::look_soon);
    connect(&document_, &RequestDocument::resolved_changed, this, [this] {
        if (document_.pending()) return;
        look_soon();
        if (std::exchange(wanted_, false)) start();
    });
    connect(&estimator_, &Estimator::changed, this, &SweepDocument::look_soon);
    connect(&history_, &RunHistory::totals_changed, this, &SweepDocument::look_soon);
    const auto look_for_runs = [this] {
        for (const auto& sweep : sweeps_) sweep->look_for_runs();
        if (shown_) measure(*shown_);
    };
    connect(&history_, &RunHistory::removed, this, look_for_runs);
    connect(&history_, &RunHistory::restored, this, look_for_runs);
    connect(&queue_, &RunQueue::entry_ended, this, [this](quint64 id) { fill(queue_.index(queue_.row_of(id))); });
    connect(&queue_, &QAbstractItemModel::rowsInserted, this, &SweepDocument::index_queue);
    connect(&queue_, &QAbstractItemModel::rowsRemoved, this, &SweepDocument::index_queue);
    connect(&queue_, &QAbstractItemModel::rowsMoved, this, &SweepDocument::index_queue);
    connect(&queue_, &QAbstractItemModel::modelReset, this, &SweepDocument::index_queue);
    connect(&queue_, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) { queue_changed(first.row(), last.row()); });
    connect(&measurer_, &SweepMeasurer::measured, this,
            [this](const QString& path, quint64 cell, const SweepCell::Figures& figures) {
                const auto sweep = sweeps_.value(path);
                // Figures are dropped if the cell has another reference or another run by now.
                if (sweep && cell < sweep->size() && sweep->has_video(cell) &&
                    sweep->sweep().reference_of(cell) == figures.reference)
                    sweep->set_figures(cell, figures);
                else if (sweep && sweep == shown_)
                    emit cells_changed({std::size_t(cell)}); // measuring() has changed
                let_go();
            });
}

void SweepDocument::begin() {
    for (int row = 0; row < queue_.rowCount(); ++row) fill(queue_.index(row));
    show_last();
    list_earlier();
}

void SweepDocument::begin_for_picture() {
    looks_only_ = true;
    show_last();
    list_earlier();
}

void SweepDocument::set_watching(bool watching) {
    if (watching_ == watching) return;
    watching_ = watching;
    if (watching_) look_soon();
}

void SweepDocument::look_soon() {
    if (!watching_) return;
    if (!outlook_.pending) {
        outlook_.pending = true;
        emit outlook_changed();
    }
    look_later_.start();
}

void SweepDocument::look() {
    axes_.check_with(document_.asked());
    looking_.withdraw();
    Outlook refused;
    refused.issue = axes_.issue();
    Sweep sweep;
    try {
        if (refused.issue.isEmpty()) sweep = axes_.sweep(document_.asked());
    } catch (...) {
        refused.issue = Issue::from_current_exception();
    }
    if (!refused.issue.isEmpty()) return take_outlook(refused);
    if (!document_.seed_locked()) sweep.request.seed.reset();
    looking_.ask(
        [this, sweep, done = history_.finished_runs()](NewestQuestion::Number number, const std::stop_token& stop) {
            const auto answer = [this, number](auto take) {
                QMetaObject::invokeMethod(this, [this, number, take] {
                    if (number == looking_.newest()) take();
                });
            };
            Warnings warnings;
            try {
                const auto plan =
                    std::make_shared<const SweepPlan>(plan_sweep(sweep, PlanDepth::requests, done, warnings, stop));
                answer([this, plan, said = warnings.said] { take_plan(*plan, said); });
            } catch (const Cancelled&) { // there is a newer question
            } catch (...) {
                Outlook failed;
                failed.clips = sweep.size();
                failed.issue = Issue::from_current_exception();
                answer([this, failed] { take_outlook(failed); });
            }
        });
}

void SweepDocument::take_outlook(const Outlook& outlook) {
    outlook_ = outlook;
    emit outlook_changed();
}

void SweepDocument::take_plan(const SweepPlan& plan, const QStringList& warnings) {
    Outlook outlook;
    outlook.warnings = warnings;
    outlook.clips = plan.cells.size();
    const std::vector<std::size_t> cells = plan.to_render();
    outlook.to_render = cells.size();
    outlook.there = std::size_t(
        std::count_if(plan.order.begin(), plan.order.end(), [&](std::size_t i) { return plan.is_there(i); }));
    outlook.seconds = seconds_for(plan, cells);
    take_outlook(outlook);
}

/// Cells with the same amount of work take the same time. The model is loaded and the prompt encoded only once.
double SweepDocument::seconds_for(const SweepPlan& plan, const std::vector<std::size_t>& cells) const {
    std::map<std::pair<double, double>, Estimator::Forecast> known;
    double sum = 0;
    for (const std::size_t i : cells) {
        const Request& r = plan.cells[i].request;
        const Estimate& work = plan.cells[i].work;
        const std::pair<double, double> key{work.flop, double(*r.width) * *r.height * *r.frames};
        auto it = known.find(key);
        if (it == known.end()) {
            it = known.emplace(key, estimator_.forecast(r, work)).first;
            if (known.size() == 1) sum += it->second.load + it->second.prompt;
        }
        if (it->second.seconds < 0) return -1;
        sum += it->second.image + it->second.denoise + it->second.decode;
    }
    return sum;
}

void SweepDocument::start() {
    if (starting()) return;
    if (document_.pending()) {
        wanted_ = true;
        return;
    }
    axes_.check_with(document_.asked());
    const auto snapshot = document_.snapshot();
    Sweep sweep;
    try {
        sweep = axes_.sweep(snapshot.request);
    } catch (...) {
        emit failed(axes_.issue().isEmpty() ? Issue::from_current_exception() : axes_.issue());
        return;
    }
    if (shown_) sweep.reference = carried_reference(shown_->sweep(), sweep);
    beginning_ = files_.put([this, sweep, snapshot, done = history_.finished_runs()](
                                TaskThread::Id task, const std::stop_token& stop) mutable {
        auto beginning = std::make_shared<Beginning>();
        beginning->task = task;
        beginning->snapshot = snapshot;
        Observer observer;
        try {
            beginning->plan = plan_sweep(sweep, PlanDepth::all, std::move(done), observer, stop);
            if (stop.stop_requested()) throw Cancelled();
            const QString folder = real_path(to_qstring(new_sweep_folder(sweep)));
            beginning->folder = std::make_shared<SweepFolder>(SweepFolder::create(to_path(folder), sweep));
        } catch (...) {
            beginning->issue = Issue::from_current_exception();
        }
        QMetaObject::invokeMethod(this, [this, beginning] { take_beginning(*beginning); });
    });
    emit outlook_changed();
}

bool SweepDocument::stop_starting() {
    if (!starting()) return false;
    files_.cancel(std::exchange(beginning_, 0));
    emit outlook_changed();
    return true;
}

void SweepDocument::take_beginning(Beginning& beginning) {
    if (beginning.task != beginning_) { // stopped after the plan was done
        if (!beginning.folder) return;
        const std::filesystem::path folder = beginning.folder->path();
        beginning.folder.reset();
        files_.put([folder] {
            std::error_code ignored;
            std::filesystem::remove_all(folder, ignored);
        });
        list_earlier(); // the list may show it already
        return;
    }
    beginning_ = 0;
    emit outlook_changed();
    if (!beginning.folder) {
        emit failed(beginning.issue);
        return;
    }
    const auto open = std::make_shared<OpenSweep>(std::move(*beginning.folder));
    adopt(open);
    show(open);
    put_in_line(*open, beginning.plan, beginning.plan.order, beginning.snapshot);
    list_earlier();
    emit started();
}

void SweepDocument::open(const QString& folder) {
    with_sweep(
        folder, [this](const auto& sweep) { show(sweep); }, true);
}

void SweepDocument::edit_shown() {
    if (shown_) axes_.set_all(SweepAxes::texts_of(shown_->sweep().axes), tr("take the sweep's axes"));
}

void SweepDocument::take_values(std::size_t index, bool whole) {
    if (!shown_ || index >= shown_->size()) return;
    const Sweep& sweep = shown_->sweep();
    try {
        const QString label = tr("take “%1”").arg(cell_title(sweep, index, 24));
        if (whole) return document_.restore(sweep.request_of(index), label);
        Request after = document_.asked();
        const auto place = sweep.place(index);
        bool seed = false;
        for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
            set_axis_value(after, sweep.axes[i].field, sweep.axes[i].values[place[i]], {});
            seed = seed || sweep.axes[i].field == "seed";
        }
        if (!seed) after.seed = sweep.request.seed; // another seed would give another picture than the chosen one
        QVariantMap values;
        for (const QString& key : changed_keys(document_.asked(), after)) values[key] = field_value(after, key);
        document_.settle();
        if (const Issue issue = document_.set_values(values, label); !issue.isEmpty()) emit failed(issue);
        document_.set_seed_locked(true);
    } catch (...) {
        emit failed(Issue::from_current_exception());
    }
}

int SweepDocument::measuring() const { return shown_ ? measurer_.open(shown_->path()) : 0; }

void SweepDocument::set_reference(const std::vector<std::optional<std::size_t>>& reference) {
    if (!shown_ || reference == shown_->sweep().reference) return;
    measurer_.forget(shown_->path());
    shown_->set_reference(reference);
    measure(*shown_);
    emit reference_changed();
}

bool SweepDocument::flush() {
    return std::all_of(sweeps_.begin(), sweeps_.end(), [](const auto& sweep) { return sweep->flush(); });
}

} // namespace denoir::app
