// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_queue.h"

#include <QMimeData>
#include <algorithm>

#include "app/base/folder.h"
#include "app/base/text.h"
#include "app/runs/run_queue_store.h"
#include "app/runs/run_words.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace {

constexpr const char* mime = "application/x-denoir-queue-row";

/// Whether `run` is one of `runs`, which are paths with links resolved, as the history has them.
bool holds(const QStringList& runs, const QString& run) { return !run.isEmpty() && runs.contains(real_path(run)); }

} // namespace

RunQueue::RunQueue(EngineWorker& worker, QObject* parent)
    : QAbstractListModel(parent), store_(std::make_unique<Store>(*this, worker)) {
    Store& s = *store_;
    if (!read_own_file(s.file, s.issue, [&](const std::string& text) { s.read(text); })) s.entries.clear();
    connect(&s.saver, &FileSaver::saved, this, [&s](quint64 serial) {
        if (!s.issue.isEmpty() && s.issue.file == to_qstring(s.file) && s.issue.field.isEmpty()) {
            s.issue = {};
            emit s.self.issue_changed();
        }
        s.saved(serial);
    });
    connect(&s.saver, &FileSaver::failed, this, [&s](quint64 serial, const Issue& issue) {
        s.issue = issue;
        emit s.self.issue_changed();
        s.saved(serial); // a queue that cannot be stored still works
    });
    connect(&worker, &EngineWorker::started, this,
            [&s](JobId job) { s.change(job, [](Entry& e) { e.begun = true; }); });
    connect(&worker, &EngineWorker::run_created, this, [&s](JobId job, const QString& run, int steps, int first) {
        s.change(job, [&](Entry& e) {
            e.run = run;
            e.steps = steps;
            e.step = first;
        });
        if (const int row = s.find_job(job); row >= 0) emit s.self.run_created(s.at(row).id, run);
    });
    connect(&worker, &EngineWorker::progressed, this,
            [&s](JobId job, const JobProgress& progress) { s.change(job, [&](Entry& e) { e.progress = progress; }); });
    connect(&worker, &EngineWorker::step_done, this, [&s](JobId job, const StepUpdate& update) {
        s.change(job, [&](Entry& e) {
            e.step = update.step;
            e.steps = update.steps;
            if (update.step > 0 && update.seconds > 0) ++e.steps_taken, e.steps_seconds += update.seconds;
        });
    });
    const auto ends = [&s](JobId job, State state, const Issue& issue = {}) {
        const int row = s.find_job(job);
        if (row < 0) return;
        s.at(row).issue = issue;
        s.end(row, state);
    };
    connect(&worker, &EngineWorker::finished, this, [ends](JobId job) { ends(job, State::done); });
    connect(&worker, &EngineWorker::cancelled, this, [ends](JobId job) { ends(job, State::cancelled); });
    connect(&worker, &EngineWorker::failed, this,
            [ends](JobId job, const Issue& issue) { ends(job, State::failed, issue); });
}

RunQueue::~RunQueue() = default;

int RunQueue::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(store_->entries.size()); }

QVariant RunQueue::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const Entry& e = store_->at(index.row());
    switch (role) {
    case Qt::DisplayRole:
    case PromptRole:
        return to_qstring(e.request.prompt);
    case Qt::ToolTipRole:
        return e.issue.isEmpty() ? run_words::summary(e.request) : e.issue.line();
    case IdRole:
        return e.id;
    case StateRole:
        return int(e.state);
    case TemplateRole:
        return e.prompt_template;
    case SummaryRole:
        return run_words::summary(e.request);
    case SeedRole:
        return e.request.seed ? QVariant::fromValue<quint64>(*e.request.seed) : QVariant();
    case ProgressRole:
        return e.fraction();
    case StageRole:
        return e.state == State::running && e.begun ? QVariant(int(e.progress.stage)) : QVariant();
    case EtaRole:
        return e.seconds_left();
    case EtaOfDenoisingRole:
        return e.left_of_denoising();
    case PaceRole:
        return e.steps_taken > 0 ? e.steps_seconds / e.steps_taken : 0.0;
    case StepRole:
        return e.step;
    case StepsRole:
        return e.steps;
    case IssueRole:
        return QVariant::fromValue(e.issue);
    case RunRole:
        return e.run;
    case KindRole:
        return e.resume ? QStringLiteral("resume") : QStringLiteral("render");
    case TagRole:
        return e.tag;
    case LabelRole:
        return e.label;
    default:
        return {};
    }
}

Qt::ItemFlags RunQueue::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::ItemIsDropEnabled;
    const bool waits = store_->at(index.row()).state == State::waiting;
    return QAbstractListModel::flags(index) | (waits ? Qt::ItemIsDragEnabled : Qt::NoItemFlags);
}

bool RunQueue::moveRows(const QModelIndex& from, int row, int count, const QModelIndex& to, int destination) {
    auto& all = store_->entries;
    const int size = int(all.size());
    if (from.isValid() || to.isValid() || row < 0 || count < 1 || row + count > size || destination < 0 ||
        destination > size || (destination >= row && destination <= row + count))
        return false;
    for (int i = row; i < row + count; ++i)
        if (all[std::size_t(i)].state != State::waiting) return false;
    if (destination < store_->first_waiting()) return false;
    if (!beginMoveRows({}, row, row + count - 1, {}, destination)) return false;
    if (destination < row)
        std::rotate(all.begin() + destination, all.begin() + row, all.begin() + row + count);
    else
        std::rotate(all.begin() + row, all.begin() + row + count, all.begin() + destination);
    endMoveRows();
    store_->save();
    return true;
}

Qt::DropActions RunQueue::supportedDropActions() const { return Qt::MoveAction; }
QStringList RunQueue::mimeTypes() const { return {QString::fromLatin1(mime)}; }

QMimeData* RunQueue::mimeData(const QModelIndexList& indexes) const {
    if (indexes.isEmpty()) return nullptr;
    auto* data = new QMimeData;
    data->setData(QString::fromLatin1(mime), QByteArray::number(indexes.first().data(IdRole).toULongLong()));
    return data;
}

bool RunQueue::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int, const QModelIndex& parent) {
    if (action != Qt::MoveAction || !data || !data->hasFormat(QString::fromLatin1(mime))) return false;
    const int from = row_of(data->data(QString::fromLatin1(mime)).toULongLong());
    const int to = parent.isValid() ? parent.row() : row < 0 ? rowCount() : row;
    if (from >= 0) moveRows({}, from, 1, {}, std::max(to, store_->first_waiting()));
    return false; // else the view would remove the row, which has been moved already
}

quint64 RunQueue::add(const RequestDocument::Snapshot& snapshot, bool next, const QString& tag) {
    Entry e;
    e.take(snapshot);
    e.tag = tag;
    return store_->add(std::move(e), next);
}

QList<quint64> RunQueue::add_all(const std::vector<Tagged>& entries) {
    QList<quint64> ids;
    if (entries.empty()) return ids;
    std::vector<Entry> several;
    for (const auto& [snapshot, tag, label] : entries) {
        Entry& e = several.emplace_back();
        e.id = store_->next_id++;
        e.take(snapshot);
        e.tag = tag;
        e.label = label;
        ids << e.id;
    }
    store_->put(rowCount(), std::move(several));
    store_->save();
    store_->pump();
    return ids;
}

quint64 RunQueue::add_resume(const QString& run) {
    for (int row = 0; row < rowCount(); ++row) {
        const Entry& there = store_->at(row);
        if (there.run != run || there.ended()) continue;
        const quint64 id = there.id;
        if (there.state == State::waiting) move(id, store_->first_waiting());
        return id;
    }
    Entry e;
    e.resume = true;
    e.run = run;
    try {
        e.request = RunFolder::open(to_path(run)).record().request;
    } catch (...) {
        e.issue = Issue::from_current_exception(); // shown until its turn comes, when it fails again
    }
    // The new entry replaces an ended one of the same run, of which it takes tag and label, as of one that was cleared.
    for (const auto& cleared : store_->removed)
        for (const auto& [row, entry] : cleared)
            if (entry.run == run) e.tag = entry.tag, e.label = entry.label;
    for (int row = int(store_->entries.size()) - 1; row >= 0; --row)
        if (store_->at(row).run == run && store_->at(row).ended()) {
            const Entry ended = store_->take(row);
            e.tag = ended.tag, e.label = ended.label;
        }
    return store_->add(std::move(e), true);
}

bool RunQueue::retry(quint64 id) {
    const int row = row_of(id);
    if (row < 0 || !store_->at(row).ended() || store_->at(row).state == State::done) return false;
    Entry e = store_->take(row);
    e.state = State::waiting;
    e.resume = e.has_run() || !e.can_begin_anew();
    e.issue = {};
    store_->put(store_->first_waiting(), std::move(e));
    store_->save();
    store_->pump();
    return true;
}

void RunQueue::cancel(quint64 id) {
    const int row = row_of(id);
    if (row < 0) return;
    const Entry& e = store_->at(row);
    if (e.state == State::waiting) return remove(id);
    if (e.state != State::running) return;
    if (e.job != 0)
        store_->worker.cancel(e.job);
    else
        store_->end(row, State::cancelled); // its state was saved, but the worker has not got it yet
}

void RunQueue::cancel_current() { cancel(running()); }

void RunQueue::remove(const QList<quint64>& ids) {
    store_->remove_if([&ids](const Entry& e) { return e.state != State::running && ids.contains(e.id); });
}
void RunQueue::forget(const QStringList& runs) {
    for (int row = rowCount() - 1; row >= 0; --row)
        if (store_->at(row).ended() && holds(runs, store_->at(row).run))
            store_->forgotten.emplace_back(row, store_->take(row));
    auto& gone = store_->forgotten;
    if (gone.size() > Store::most_forgotten) gone.erase(gone.begin(), gone.end() - Store::most_forgotten);
    store_->save();
}
void RunQueue::remember(const QStringList& runs) {
    auto& gone = store_->forgotten;
    for (std::size_t i = gone.size(); i-- > 0;) { // in reverse order of removal, so that each row is right again
        if (!holds(runs, gone[i].second.run)) continue;
        const int row = std::min(gone[i].first, store_->first_waiting());
        store_->put(row, std::move(gone[i].second));
        gone.erase(gone.begin() + std::ptrdiff_t(i));
    }
    store_->save();
}
void RunQueue::clear_ended() {
    store_->remove_if([](const Entry& e) { return e.ended(); });
}
void RunQueue::clear_tagged(const QString& beginning) {
    store_->remove_if([&](const Entry& e) { return e.state == State::waiting && e.tag.startsWith(beginning); });
}
void RunQueue::clear_waiting() {
    store_->remove_if([](const Entry& e) { return e.state == State::waiting; });
}
bool RunQueue::can_undo_clear() const { return !store_->removed.empty(); }

void RunQueue::undo_clear() {
    if (store_->removed.empty()) return;
    auto back = std::move(store_->removed.back());
    store_->removed.pop_back();
    QList<quint64> ids;
    for (const auto& each : back) ids << each.second.id;
    for (auto it = back.rbegin(); it != back.rend();) {
        // Neighbours return with one signal, since listeners look at the whole queue after each.
        const auto waits = [](const auto& each) { return each.second.state == State::waiting; };
        const int wanted = it->first;
        const bool waiting = waits(*it);
        std::vector<Entry> block;
        for (; it != back.rend() && it->first == wanted + int(block.size()) && waits(*it) == waiting; ++it)
            block.push_back(std::move(it->second));
        // Entries may have ended since then; waiting ones must stay behind all others.
        const int border = store_->first_waiting();
        store_->put(waiting ? std::clamp(wanted, border, rowCount()) : std::min(wanted, border), std::move(block));
    }
    store_->save();
    store_->pump();
    emit entries_restored(ids);
}

bool RunQueue::move(quint64 id, int row) {
    const int from = row_of(id);
    if (from < 0 || row == from) return false;
    return moveRows({}, from, 1, {}, row > from ? row + 1 : row);
}

std::optional<RequestDocument::Snapshot> RunQueue::snapshot(quint64 id) const {
    const int row = row_of(id);
    if (row < 0) return {};
    return store_->at(row).snapshot();
}

bool RunQueue::replace(quint64 id, const RequestDocument::Snapshot& snapshot) {
    const int row = row_of(id);
    if (row < 0) return false;
    Entry& e = store_->at(row);
    if (e.state != State::waiting || e.resume) return false;
    e.take(snapshot);
    store_->changed(row);
    store_->save();
    return true;
}

void RunQueue::set_tag(quint64 id, const QString& tag) {
    const int row = row_of(id);
    if (row < 0 || store_->at(row).tag == tag) return;
    store_->at(row).tag = tag;
    if (tag.isEmpty()) store_->at(row).label.clear();
    store_->changed(row);
    store_->save();
}

bool RunQueue::paused() const { return store_->paused; }

void RunQueue::set_paused(bool paused) {
    if (store_->paused == paused) return;
    store_->paused = paused;
    store_->save();
    emit paused_changed(paused);
    store_->pump();
}

void RunQueue::start() {
    store_->started = true;
    store_->pump();
}

int RunQueue::waiting() const {
    return int(std::count_if(store_->entries.begin(), store_->entries.end(),
                             [](const Entry& e) { return e.state == State::waiting; }));
}

quint64 RunQueue::running() const {
    const Entry* e = store_->at_work();
    return e ? e->id : 0;
}

JobId RunQueue::running_job() const {
    const Entry* e = store_->at_work();
    return e ? e->job : 0;
}

QString RunQueue::running_run() const {
    const Entry* e = store_->at_work();
    return e && e->has_run() ? e->run : QString();
}

std::optional<Request> RunQueue::running_request() const {
    const Entry* e = store_->at_work();
    return e ? std::optional(e->request) : std::nullopt;
}

int RunQueue::row_of(quint64 id) const { return store_->find(id); }

QList<quint64> RunQueue::interrupted() const {
    QList<quint64> out;
    for (const Entry& e : store_->entries)
        if (e.state == State::interrupted || (e.state == State::cancelled && e.left_at_work)) out << e.id;
    return out;
}

void RunQueue::set_expected(quint64 id, const Expected& expected) {
    if (const int row = row_of(id); row >= 0) store_->at(row).expected = expected;
}

bool RunQueue::flush() { return store_->saver.flush(); }
Issue RunQueue::issue() const { return store_->issue; }

} // namespace denoir::app
