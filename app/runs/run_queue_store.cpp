// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_queue_store.h"

#include <QRegularExpression>
#include <algorithm>
#include <iterator>

#include "app/base/folder.h"
#include "app/base/text.h"
#include "engine/core/own_folders.h"
#include "engine/session/render.h"

namespace denoir::app {
namespace {

constexpr int most_ended = 50;    ///< ended entries that are kept, without those that trim() keeps longer
constexpr int most_lost = 500;    ///< entries that are kept since nothing else holds their request: about a megabyte
constexpr int alike_to_pause = 2; ///< failures in a row for one reason

} // namespace

RunQueue::Store::Store(RunQueue& queue, EngineWorker& engine)
    : self(queue), worker(engine), file(data_folder() / "queue.json"), saver(file) {}

int RunQueue::Store::find(quint64 id) const {
    const auto it = std::ranges::find(entries, id, &Entry::id);
    return it == entries.end() ? -1 : int(it - entries.begin());
}

int RunQueue::Store::find_job(JobId job) const {
    const auto it = std::ranges::find(entries, job, &Entry::job);
    return job == 0 || it == entries.end() ? -1 : int(it - entries.begin());
}

const RunQueue::Entry* RunQueue::Store::at_work() const {
    const auto it = std::ranges::find(entries, State::running, &Entry::state);
    return it == entries.end() ? nullptr : &*it;
}

int RunQueue::Store::first_waiting() const {
    return int(std::ranges::find(entries, State::waiting, &Entry::state) - entries.begin());
}

void RunQueue::Store::changed(int row) { emit self.dataChanged(self.index(row), self.index(row)); }

quint64 RunQueue::Store::save() {
    // Serialised on the saver's thread, since a long queue takes longer than a click may.
    return saver.save([all = entries, is_paused = paused] {
        Json json{{"schema", 1}, {"paused", is_paused}, {"entries", Json::array()}};
        for (const Entry& e : all) json["entries"].push_back(e.to_json());
        return json.dump(1) + "\n";
    });
}

void RunQueue::Store::read(const std::string& text) {
    const Json json = parse_json(text, file.string());
    if (!json.is_object() || !json.contains("entries") || !json["entries"].is_array() ||
        json.value("schema", Json()) != 1)
        throw Error(file.string(), "schema", "is not known to this version", "use a newer Denoir");
    paused = json.value("paused", Json()) == true;
    for (const Json& one : json["entries"]) {
        Entry e = Entry::from_json(one, file.string(), next_id);
        if (find(e.id) >= 0) e.id = next_id;
        next_id = std::max(next_id, e.id + 1);
        if (e.state == State::running) e.after_crash();
        entries.push_back(std::move(e));
    }
}

void RunQueue::Store::pump() {
    if (!started || paused || at_work()) return;
    const int row = first_waiting();
    if (row == int(entries.size())) return;
    Entry& e = at(row);
    e.state = State::running;
    e.step = e.steps = e.steps_taken = 0;
    e.steps_seconds = 0;
    e.progress = {};
    e.begun = false;
    e.issue = {};
    try {
        if (!e.resume) e.run = real_path(to_qstring(new_run_folder(e.request))); // the path that the history uses
    } catch (...) {
        e.issue = Issue::from_current_exception();
        return end(row, State::failed);
    }
    start_after = save();
    changed(row);
}

void RunQueue::Store::saved(quint64 serial) {
    if (start_after == 0 || serial < start_after) return;
    start_after = 0;
    const auto e = std::ranges::find(entries, State::running, &Entry::state);
    if (e == entries.end() || e->job != 0) return;
    e->job = e->resume ? worker.resume(e->run) : worker.render(e->request, e->run);
    emit self.entry_started(e->id, e->job);
}

void RunQueue::Store::end(int row, State state) {
    Entry& e = at(row);
    e.state = state;
    e.job = 0;
    const Issue why = e.issue;
    const QString run_then = e.run;
    if (!e.resume) e.drop_empty_run();
    const quint64 id = e.id;
    const QString run = e.run;
    trim();
    save();
    if (const int now = find(id); now >= 0) changed(now);
    emit self.entry_ended(id, int(state), run);
    pause_if_failing(state, why, run_then);
    pump();
}

/// The text that two failures must share to count as alike: without the run's own folder, and without the numbers in
/// the message.
QString RunQueue::Store::reason(const Issue& failure, const QString& run) const {
    static const QRegularExpression number(QStringLiteral("[0-9]+([.,][0-9]+)?"));
    const QString runs = to_qstring(data_folder() / "runs");
    const bool own = (!run.isEmpty() && failure.file.startsWith(run)) || failure.file.startsWith(runs);
    QString message = failure.message;
    return QStringList{own ? QString() : failure.file, failure.field, message.replace(number, QStringLiteral("#")),
                       failure.hint}
        .join(QLatin1Char('\n'));
}

void RunQueue::Store::pause_if_failing(State state, const Issue& why, const QString& run) {
    if (state == State::cancelled) return; // that says nothing about other entries
    const QString now = state == State::failed ? reason(why, run) : QString();
    const bool again = state == State::failed && now == failed_last;
    failures = state != State::failed ? 0 : again ? failures + 1 : 1;
    failed_last = now;
    if (!again) told = false; // the user does not know of this reason yet
    if (failures < alike_to_pause || told || paused || first_waiting() == int(entries.size())) return;
    told = true;
    self.set_paused(true);
    emit self.failing(why);
}

void RunQueue::Store::trim() {
    const auto keep = [&](auto most, auto&& may_go) {
        auto many = std::count_if(entries.begin(), entries.end(), may_go);
        for (int row = 0; many > most;) {
            if (may_go(at(row)))
                take(row), --many;
            else
                ++row;
        }
    };
    // The request of an entry that failed before it had a folder is kept nowhere else.
    const auto lost = [](const Entry& e) { return e.state == State::failed && e.run.isEmpty(); };
    keep(most_ended, [&](const Entry& e) { return e.ended() && e.state != State::interrupted && !lost(e); });
    keep(most_lost, lost);
}

RunQueue::Entry RunQueue::Store::take(int row) {
    self.beginRemoveRows({}, row, row);
    Entry e = std::move(at(row));
    entries.erase(entries.begin() + row);
    self.endRemoveRows();
    return e;
}

void RunQueue::Store::put(int row, Entry e) {
    self.beginInsertRows({}, row, row);
    entries.insert(entries.begin() + row, std::move(e));
    self.endInsertRows();
}

void RunQueue::Store::put(int row, std::vector<Entry> several) {
    self.beginInsertRows({}, row, row + int(several.size()) - 1);
    entries.insert(entries.begin() + row, std::make_move_iterator(several.begin()),
                   std::make_move_iterator(several.end()));
    self.endInsertRows();
}

quint64 RunQueue::Store::add(Entry e, bool next) {
    e.id = next_id++;
    const quint64 id = e.id;
    put(next ? first_waiting() : int(entries.size()), std::move(e));
    save();
    pump();
    return id;
}

void RunQueue::Store::remove_if(const std::function<bool(const Entry&)>& goes) {
    std::vector<std::pair<int, Entry>> taken;
    // Neighbours are removed with one signal, since listeners look at the whole queue after each.
    for (int last = int(entries.size()) - 1; last >= 0; --last) {
        if (!goes(entries[std::size_t(last)])) continue;
        int first = last;
        while (first > 0 && goes(entries[std::size_t(first - 1)])) --first;
        self.beginRemoveRows({}, first, last);
        for (int row = last; row >= first; --row) taken.emplace_back(row, std::move(at(row)));
        entries.erase(entries.begin() + first, entries.begin() + last + 1);
        self.endRemoveRows();
        last = first;
    }
    if (taken.empty()) return;
    removed.push_back(std::move(taken));
    if (removed.size() > most_removed) removed.erase(removed.begin());
    save();
    emit self.entries_removed();
}

} // namespace denoir::app
