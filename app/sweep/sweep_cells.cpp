// SPDX-License-Identifier: GPL-3.0-or-later
// The part of SweepDocument that deals with cells and the queue that renders them.
#include <QFileInfo>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stop_token>
#include <utility>

#include "app/base/folder.h"
#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/request/field_title.h"
#include "app/request/request_document.h"
#include "app/runs/request_lines.h"
#include "app/runs/run_history.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"

namespace denoir::app {
namespace {

using QueueState = RunQueue::State;
const QString tag_begin = QStringLiteral("sweep|"), shown_key = QStringLiteral("tune/shown");

} // namespace

/// "sweep|/path|3,5": the cells that the entry's run is for.
QString SweepDocument::tag_of(const QString& path, const std::vector<std::size_t>& cells) {
    QStringList numbers;
    for (const std::size_t cell : cells) numbers << QString::number(cell);
    return tag_begin + path + QLatin1Char('|') + numbers.join(QLatin1Char(','));
}

SweepDocument::Tag SweepDocument::read_tag(const QString& tag) const {
    const qsizetype bar = tag.lastIndexOf(QLatin1Char('|'));
    if (!tag.startsWith(tag_begin) || bar < tag_begin.size()) return {};
    const QString path = tag.mid(tag_begin.size(), bar - tag_begin.size());
    QString real = real_folders_.value(path);
    if (real.isEmpty()) {
        real = real_path(path);
        if (QFileInfo::exists(real)) real_folders_.insert(path, real); // otherwise its disk may still be mounted
    }
    Tag out{real, {}};
    for (const QString& number : tag.mid(bar + 1).split(QLatin1Char(','))) {
        bool good = false;
        const auto cell = number.toULongLong(&good);
        if (good) out.cells.push_back(std::size_t(cell));
    }
    return out;
}

void SweepDocument::with_sweep(const QString& path, const Use& use, bool tell) {
    if (const auto there = sweeps_.value(path)) return use(there);
    ++reading_;
    files_.put([this, path, use, tell, look = looks_only_] {
        const std::filesystem::path real = to_path(real_path(path)); // one sweep may be named by several paths
        std::shared_ptr<SweepFolder> folder;
        Issue issue;
        if (!look) try {
                folder = std::make_shared<SweepFolder>(SweepFolder::take(real));
            } catch (const Error&) { // another process has the lock, so the sweep can only be looked at
            }
        const bool writable = folder != nullptr;
        if (!folder) try {
                folder = std::make_shared<SweepFolder>(SweepFolder::open(real));
            } catch (...) {
                issue = Issue::from_current_exception();
            }
        QMetaObject::invokeMethod(this, [this, folder, issue, writable, use, tell] {
            --reading_;
            if (folder) {
                const QString name = to_qstring(folder->path());
                if (!sweeps_.contains(name)) adopt(std::make_shared<OpenSweep>(std::move(*folder), writable));
                use(sweeps_.value(name));
            } else if (tell) {
                emit failed(issue);
            }
            let_go();
        });
    });
}

void SweepDocument::adopt(const std::shared_ptr<OpenSweep>& sweep) {
    sweeps_.insert(sweep->path(), sweep);
    connect(sweep.get(), &OpenSweep::save_failed, this, &SweepDocument::failed);
    connect(sweep.get(), &OpenSweep::cells_changed, this,
            [this, raw = sweep.get()](const std::vector<std::size_t>& cells) {
                if (raw == shown_.get()) emit cells_changed(cells);
            });
}

void SweepDocument::show_last() {
    const QString last = settings_.value(shown_key).toString();
    if (!last.isEmpty()) with_sweep(last, [this](const auto& sweep) { show(sweep); });
}

void SweepDocument::show(const std::shared_ptr<OpenSweep>& sweep) {
    if (shown_ == sweep) return;
    shown_ = sweep;
    if (!looks_only_) settings_.set_value(shown_key, shown_ ? QVariant(shown_->path()) : QVariant());
    // index_queue() would emit cells_changed() while listeners still have the cells of the sweep before.
    entries_ = queue_entries();
    if (shown_) measure(*shown_);
    let_go();
    emit shown_changed();
}

void SweepDocument::measure(const OpenSweep& sweep) {
    if (!looks_only_ && sweep.writable()) measurer_.measure(sweep);
}

void SweepDocument::let_go() {
    // A sweep may be read twice at the same time. Only the first reading gets its lock, so it must not go before the
    // second has come.
    if (reading_ > 0) return;
    QSet<QString> needed;
    if (shown_) needed.insert(shown_->path());
    for (const Tag& tag : in_line()) needed.insert(tag.path);
    const auto idle = [&](const auto& item) { return !needed.contains(item.key()); };
    for (auto it = sweeps_.cbegin(); it != sweeps_.cend(); ++it)
        if (!needed.contains(it.key())) measurer_.forget(it.key()); // no record would be open to store figures in
    sweeps_.removeIf(idle);
    expected_.removeIf(idle);
}

std::vector<SweepDocument::Tag> SweepDocument::in_line() const {
    std::vector<Tag> out;
    for (int row = 0; row < queue_.rowCount(); ++row) {
        const QModelIndex at = queue_.index(row);
        const auto state = QueueState(at.data(RunQueue::StateRole).toInt());
        if (state == QueueState::waiting || state == QueueState::running)
            out.push_back(read_tag(at.data(RunQueue::TagRole).toString()));
    }
    return out;
}

void SweepDocument::fill(const QModelIndex& entry) {
    const auto state = QueueState(entry.data(RunQueue::StateRole).toInt());
    if (state != QueueState::done && state != QueueState::failed) return;
    const Tag target = read_tag(entry.data(RunQueue::TagRole).toString());
    if (target.cells.empty()) return;
    const QString run = entry.data(RunQueue::RunRole).toString();
    const auto issue = entry.data(RunQueue::IssueRole).value<Issue>();
    // The run's record is read in the background, after which with_sweep() finds the sweep.
    files_.put([this, target, state, run, issue] {
        double seconds = 0;
        try {
            if (state == QueueState::done) seconds = RunHistory::record(run).seconds;
        } catch (const Error&) { // the run is gone, which the cell will say
        }
        QMetaObject::invokeMethod(this, [this, target, state, run, issue, seconds] {
            with_sweep(target.path, [this, target, state, run, issue, seconds](const auto& sweep) {
                std::vector<std::size_t> cells;
                for (const std::size_t cell : target.cells)
                    if (cell < sweep->size() &&
                        (sweep->cell(cell).state != SweepCell::State::done || sweep->cell(cell).run != to_path(run)))
                        cells.push_back(cell);
                if (cells.empty()) return; // they were filled in during an earlier session
                if (state == QueueState::done)
                    sweep->set_done({{cells, run, seconds, false}});
                else
                    sweep->set_failed(cells, run, issue);
                measure(*sweep);
            });
        });
    });
}

QHash<std::size_t, quint64> SweepDocument::queue_entries() const {
    QHash<std::size_t, quint64> now;
    for (int row = 0; shown_ && row < queue_.rowCount(); ++row) {
        const QModelIndex at = queue_.index(row);
        const Tag tag = read_tag(at.data(RunQueue::TagRole).toString());
        if (tag.path != shown_->path()) continue;
        for (const std::size_t cell : tag.cells) now.insert(cell, at.data(RunQueue::IdRole).toULongLong());
    }
    return now;
}

void SweepDocument::index_queue() {
    QHash<std::size_t, quint64> now = queue_entries();
    if (now == entries_) return;
    std::vector<std::size_t> other;
    for (auto it = now.begin(); it != now.end(); ++it)
        if (entries_.value(it.key()) != it.value()) other.push_back(it.key());
    for (auto it = entries_.begin(); it != entries_.end(); ++it)
        if (!now.contains(it.key())) other.push_back(it.key());
    entries_ = std::move(now);
    emit cells_changed(other);
}

void SweepDocument::queue_changed(int first, int last) {
    for (int row = first; shown_ && row <= last; ++row) {
        const QModelIndex at = queue_.index(row);
        const Tag tag = read_tag(at.data(RunQueue::TagRole).toString());
        if (tag.path == shown_->path() && !tag.cells.empty())
            emit cells_changed(tag.cells);
        else if (std::ranges::find(entries_, at.data(RunQueue::IdRole).toULongLong()) != entries_.end())
            index_queue(); // until now the entry was for a cell of the sweep
    }
}

std::optional<quint64> SweepDocument::entry_of(std::size_t cell) const {
    const auto it = entries_.find(cell);
    return it == entries_.end() ? std::nullopt : std::optional(*it);
}

SweepDocument::CellView SweepDocument::cell(std::size_t index) const {
    CellView out;
    const SweepCell& stored = shown_->cell(index);
    if (stored.state == SweepCell::State::done) {
        out.state = shown_->gone(index) ? State::gone : State::done;
    } else if (stored.state == SweepCell::State::failed) {
        out.state = State::failed;
        if (stored.error) out.issue = Issue::from(*stored.error);
    }
    const auto id = entry_of(index);
    const int row = id ? queue_.row_of(*id) : -1;
    if (row < 0 || out.state == State::done) return out;
    const QModelIndex at = queue_.index(row);
    const auto state = QueueState(at.data(RunQueue::StateRole).toInt());
    if (state == QueueState::waiting) {
        out = {};
        out.state = State::waiting;
    } else if (state == QueueState::running) {
        out = {};
        out.state = State::running;
        out.progress = at.data(RunQueue::ProgressRole).toDouble();
        out.eta = at.data(RunQueue::EtaRole).toDouble();
        out.eta_of_denoising = at.data(RunQueue::EtaOfDenoisingRole).toBool();
        out.step = at.data(RunQueue::StepRole).toInt();
        out.steps = at.data(RunQueue::StepsRole).toInt();
    } else if (state == QueueState::failed) {
        out.state = State::failed;
        out.issue = at.data(RunQueue::IssueRole).value<Issue>();
    }
    return out;
}

SweepDocument::Progress SweepDocument::progress() const {
    Progress out;
    if (!shown_) return out;
    out.total = int(shown_->size());
    const auto expected = expected_.value(shown_->path());
    double taken = 0, thought = 0, left = 0, current = -1;
    std::map<quint64, bool> known; // whether the time of an entry is known, which counts once for all of its cells
    for (std::size_t i = 0; i < shown_->size(); ++i) {
        const CellView view = cell(i);
        const double guess = expected.value(i, -1);
        out.done += view.state == State::done;
        out.failed += view.state == State::failed;
        out.missing += view.state == State::missing || view.state == State::gone;
        const bool waits = view.state == State::waiting, runs = view.state == State::running;
        out.open += waits || runs;
        if (view.state == State::done && !shown_->cell(i).reused && guess > 0)
            taken += shown_->cell(i).seconds, thought += guess;
        if (runs && view.eta >= 0) current = view.eta;
        if (!waits && !runs) continue;
        const bool timed = runs && view.eta >= 0;
        bool& entry_known = known[entry_of(i).value_or(0)];
        entry_known = entry_known || timed || guess >= 0;
        if (!timed) left += std::max(0.0, guess); // only the first cell of an entry has a forecast
    }
    const auto is_known = [](const auto& entry) { return entry.second; };
    if (out.open > 0 && std::all_of(known.begin(), known.end(), is_known))
        out.seconds_left = left * (thought > 0 ? taken / thought : 1) + std::max(0.0, current);
    return out;
}

void SweepDocument::retry(const std::vector<std::size_t>& cells) {
    if (!shown_) return;
    if (!shown_->writable()) {
        emit failed({{}, {}, tr("another process is working on this sweep"), tr("wait for it, or end it")});
        return;
    }
    std::vector<std::size_t> going_on, anew;
    for (const std::size_t i : cells) {
        const State state = cell(i).state;
        if (state != State::missing && state != State::failed && state != State::gone) continue;
        const auto id = entry_of(i);
        if (state == State::gone || !id || !queue_.retry(*id)) {
            anew.push_back(i);
            continue;
        }
        const QModelIndex entry = queue_.index(queue_.row_of(*id));
        for (const std::size_t each : read_tag(entry.data(RunQueue::TagRole).toString()).cells)
            if (each < shown_->size()) going_on.push_back(each);
    }
    shown_->set_waiting(going_on);
    if (!anew.empty()) plan_again(anew);
}

/// A new plan tells which cells share a run, since their entry in the queue may have been cleared.
void SweepDocument::plan_again(const std::vector<std::size_t>& cells) {
    files_.put([this, cells, path = shown_->path(), sweep = shown_->sweep(),
                done = history_.finished_runs()](TaskThread::Id, const std::stop_token& stop) {
        auto plan = std::make_shared<SweepPlan>();
        Observer observer;
        try {
            *plan = plan_sweep(sweep, PlanDepth::requests, done, observer, stop);
        } catch (const Cancelled&) {
            return;
        } catch (const std::exception&) { // perhaps only one cell is wrong: its own entry will say so
            *plan = {};
            plan->cells.resize(sweep.size());
            plan->order = rendering_order(sweep);
        }
        QMetaObject::invokeMethod(this, [this, cells, path, plan] {
            with_sweep(path, [this, cells, plan](const auto& open) {
                if (open->writable()) put_in_line(*open, *plan, cells, {open->sweep().request, {}, {}});
            });
        });
    });
}

void SweepDocument::put_in_line(OpenSweep& sweep, const SweepPlan& plan, const std::vector<std::size_t>& cells,
                                const RequestDocument::Snapshot& of) {
    std::set<std::size_t> wanted, open;
    for (const std::size_t i : cells) wanted.insert(plan.origin(i));
    for (const Tag& tag : in_line())
        if (tag.path == sweep.path()) open.insert(tag.cells.begin(), tag.cells.end());
    std::map<std::size_t, std::vector<std::size_t>> runs; // by origin: the cells of each run; the first is rendered
    for (const std::size_t i : plan.order)
        if (wanted.contains(plan.origin(i)) && !open.contains(i) && !sweep.has_video(i))
            runs[plan.origin(i)].push_back(i);
    std::vector<OpenSweep::Done> found;
    std::vector<std::size_t> waiting;
    std::vector<RunQueue::Tagged> entries;
    for (const std::size_t origin : plan.order) {
        const auto run = runs.find(origin);
        if (run == runs.end()) continue;
        const std::vector<std::size_t>& its = run->second;
        const SweepPlan::Cell& cell = plan.cells[origin];
        if (!cell.found.empty()) {
            found.push_back({its, to_qstring(cell.found), cell.found_seconds, true});
            continue;
        }
        try {
            RequestDocument::Snapshot snapshot = of;
            snapshot.request = sweep.sweep().request_of(its.front());
            if (snapshot.request.prompt != of.request.prompt) snapshot.prompt_template.clear();
            if (snapshot.request.negative_prompt != of.request.negative_prompt) snapshot.negative_template.clear();
            entries.push_back(
                {std::move(snapshot), tag_of(sweep.path(), its), cell_title(sweep.sweep(), its.front(), 24)});
        } catch (...) {
            emit failed(Issue::from_current_exception());
            continue;
        }
        waiting.insert(waiting.end(), its.begin(), its.end());
        expected_[sweep.path()][its.front()] = cell.request.frames ? seconds_for(plan, {origin}) : -1;
    }
    sweep.set_done(found);
    sweep.set_waiting(waiting);
    queue_.add_all(entries);
    measure(sweep);
}

void SweepDocument::retry_all() {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; shown_ && i < shown_->size(); ++i) all.push_back(i);
    retry(all);
}

void SweepDocument::clear_waiting() {
    if (shown_) queue_.clear_tagged(tag_begin + shown_->path() + QLatin1Char('|'));
}

void SweepDocument::list_earlier() {
    if (listing_) return;
    listing_ = true;
    files_.put([this] {
        QList<Earlier> found;
        for (const auto& path : list_sweeps()) try {
                const SweepFolder folder = SweepFolder::open(path);
                const SweepRecord& record = folder.record();
                Earlier one{real_path(to_qstring(path)),
                            {},
                            QDateTime::fromString(to_qstring(record.created), Qt::ISODateWithMs)};
                QStringList titles;
                for (const SweepAxis& axis : record.sweep.axes) {
                    QStringList values; // as they are read; axis_text() writes some as JSON, to be typed again
                    for (std::size_t i = 0; i < axis.values.size(); ++i) values << to_qstring(value_text(axis, i));
                    titles << field_title(to_qstring(axis.field)) + QLatin1Char(' ') +
                                  shortened(values.join(QStringLiteral(", ")), 40);
                }
                one.title = titles.join(QStringLiteral(" · "));
                one.total = int(record.cells.size());
                one.done = int(std::count_if(record.cells.begin(), record.cells.end(),
                                             [](const SweepCell& c) { return c.state == SweepCell::State::done; }));
                found << one;
            } catch (const std::exception&) { // it is gone by now
            }
        QMetaObject::invokeMethod(this, [this, found] {
            listing_ = false;
            earlier_ = found;
            emit earlier_changed();
        });
    });
}

} // namespace denoir::app
