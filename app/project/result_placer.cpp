// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/result_placer.h"

#include <algorithm>

#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "engine/core/error.h"

namespace denoir::app {
namespace {

/// The last part of a shot of so many frames that has been split since: its parts stand one after the other.
int last_part(const Project& project, int row, int frames) {
    const auto continues = [](const Shot& shot, const Shot& next) {
        const auto is_in_shot = [&](const Take& take) {
            return std::ranges::find(shot.takes, take.id, &Take::id) != shot.takes.end();
        };
        if (std::ranges::none_of(next.takes, is_in_shot)) return false;
        // Where one of them shows another take by now, frames say nothing.
        return shot.current().still() || shot.current().id != next.current().id || next.in == shot.out;
    };
    int shown = project.shot(row).frames();
    while (shown < frames && row + 1 < project.count() && continues(project.shot(row), project.shot(row + 1)))
        shown += project.shot(++row).frames();
    return row;
}

} // namespace

ResultPlacer::ResultPlacer(Project& project, RunQueue& queue, QObject* parent)
    : QObject(parent), project_(project), queue_(queue) {
    connect(&queue_, &RunQueue::entry_ended, this, &ResultPlacer::entry_ended);
    connect(&project_.undo(), &QUndoStack::canRedoChanged, this, &ResultPlacer::redo_changed);
}

void ResultPlacer::entry_ended(quint64 entry, int state, const QString& run) {
    if (state != int(RunQueue::State::done) || run.isEmpty()) return;
    const QModelIndex index = queue_.index(queue_.row_of(entry));
    const auto place = ResultPlace::of_tag(index.data(RunQueue::TagRole).toString());
    if (!place) return;
    held_.push_back({*place, run, entry});
    if (!project_.undo().canRedo()) return place_held();
    emit held_changed(held());
}

void ResultPlacer::redo_changed(bool can) {
    if (can || held_.empty()) return;
    // The stack is at work on the step that ended it.
    const auto when_it_is_done = [this] {
        if (!project_.undo().canRedo()) place_held();
    };
    QMetaObject::invokeMethod(this, when_it_is_done, Qt::QueuedConnection);
}

void ResultPlacer::place_held() {
    if (held_.empty()) return;
    while (!held_.empty()) {
        const Result result = held_.front();
        held_.pop_front();
        place(result);
    }
    emit held_changed(0);
}

void ResultPlacer::set_recovery_offered(bool offered) {
    if (!recovery_offered_) find_unplaced(); // also of what was kept, which comes back unasked
    recovery_offered_ = offered;
    if (offered) return;
    const QStringList placed = project_.runs();
    std::erase_if(shotless_, [&](const Result& result) { return placed.contains(result.run); });
    if (shotless_.empty()) return;
    held_.insert(held_.end(), shotless_.begin(), shotless_.end());
    shotless_.clear();
    if (!project_.undo().canRedo()) return place_held();
    emit held_changed(held());
}

/// What was held when the studio ended, or waited for an answer that nobody gave: its entry still has its tag.
void ResultPlacer::find_unplaced() {
    for (int row = 0; row < queue_.rowCount(); ++row) {
        const QModelIndex index = queue_.index(row);
        if (index.data(RunQueue::StateRole).toInt() != int(RunQueue::State::done)) continue;
        const QString run = index.data(RunQueue::RunRole).toString();
        const auto place = ResultPlace::of_tag(index.data(RunQueue::TagRole).toString());
        const auto entry = index.data(RunQueue::IdRole).toULongLong();
        if (!place || run.isEmpty()) continue;
        if (std::ranges::none_of(held_, [&](const Result& held) { return held.entry == entry; }))
            shotless_.push_back({*place, run, entry});
    }
}

void ResultPlacer::place(const Result& result) {
    const bool follows = !result.place.placed.isEmpty();
    const int same = project_.row_of(follows ? result.place.placed : result.place.shot);
    int before = follows ? project_.row_of(result.place.shot) : -1;
    if (same < 0 && before < 0) {
        if (recovery_offered_) return shotless_.push_back(result);
        queue_.set_tag(result.entry, {});
        emit said(tr("The shot is not there any more: the result is among the runs."));
        return;
    }
    if (before >= 0 && result.place.frames) before = last_part(project_, before, *result.place.frames);
    try {
        Take take = take_of_run(result.run);
        take.part = result.place.part;
        same >= 0 ? add_take(same, take) : add_shot(before + 1, take, result);
    } catch (const Error& error) {
        emit said(Issue::from(error).line());
    }
    queue_.set_tag(result.entry, {}); // answered: whatever becomes of it there, no recovery brings it again
}

void ResultPlacer::add_take(int row, const Take& take) {
    if (take.part && !project_.shot(row).lies_in(take))
        emit said(tr("The shot shows more now than the part that was made again: the result is among the runs."));
    else
        project_.add_take(row, take);
}

void ResultPlacer::add_shot(int row, const Take& take, const Result& result) {
    // The pictures that the clip goes on after are those of the shot before.
    const auto forcing = RunHistory::record(result.run).request.forcing;
    const int given = forcing && !forcing->video.empty() ? forcing->overlap : 0;
    row = project_.add_shot(take, row, std::min(given, take.frames - 1));
    if (row < 0) return;
    ResultPlace now = result.place;
    now.placed = project_.shot(row).id;
    share(result.place, now);
}

/// The other copies, done or not, become takes of the shot that is there now.
void ResultPlacer::share(const ResultPlace& before, const ResultPlace& now) {
    const QString tag = before.tag();
    for (Result& other : held_)
        if (other.place.tag() == tag) other.place = now;
    for (int row = 0; row < queue_.rowCount(); ++row) {
        const QModelIndex copy = queue_.index(row);
        if (copy.data(RunQueue::TagRole).toString() == tag)
            queue_.set_tag(copy.data(RunQueue::IdRole).toULongLong(), now.tag());
    }
}

} // namespace denoir::app
