// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/result_placer.h"

#include <algorithm>

#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "engine/core/error.h"

namespace denoir::app {
namespace {

/// The rows of those shots that are in the cut, in the order given.
std::vector<int> rows_of(const Project& project, const QStringList& shots) {
    std::vector<int> rows;
    for (const QString& shot : shots)
        if (const int row = project.row_of(shot); row >= 0) rows.push_back(row);
    return rows;
}

} // namespace

ResultPlacer::ResultPlacer(Project& project, RunQueue& queue, QObject* parent)
    : QObject(parent), project_(project), queue_(queue) {
    connect(&queue_, &RunQueue::entry_ended, this, &ResultPlacer::entry_ended);
    connect(&project_.undo(), &QUndoStack::canRedoChanged, this, &ResultPlacer::redo_changed);
    connect(&project_, &Project::shot_split, this, &ResultPlacer::shot_split);
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
    // The undo stack is still at work on the step after which nothing can be redone.
    const auto when_it_is_done = [this] {
        if (!project_.undo().canRedo()) place_held();
    };
    QMetaObject::invokeMethod(this, when_it_is_done, Qt::QueuedConnection);
}

void ResultPlacer::shot_split(const QString& first, const QString& second) {
    for (auto* results : {&held_, &shotless_})
        for (Result& result : *results) result.place.split(first, second);
    for (int row = 0; row < queue_.rowCount(); ++row) {
        const QModelIndex entry = queue_.index(row);
        auto place = ResultPlace::of_tag(entry.data(RunQueue::TagRole).toString());
        if (place && place->split(first, second))
            queue_.set_tag(entry.data(RunQueue::IdRole).toULongLong(), place->tag());
    }
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
    if (!recovery_offered_) find_unplaced(); // even if nothing is offered, as kept changes come back unasked
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

void ResultPlacer::withdraw_recovery() {
    recovery_offered_ = false;
    shotless_.clear();
}

/// Finds results that were held back, or waited for an answer, when the studio ended: their entries still have tags.
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
    const std::vector<int> shots = rows_of(project_, result.place.shots),
                           takers = follows ? rows_of(project_, result.place.placed) : shots;
    if (shots.empty() && takers.empty()) {
        if (recovery_offered_) return shotless_.push_back(result);
        queue_.set_tag(result.entry, {});
        emit said(tr("The shot is not there any more: the result is among the runs."));
        return;
    }
    try {
        Take take = take_of_run(result.run);
        take.part = result.place.part;
        takers.empty() ? add_shot(shots.back() + 1, take, result) : add_take(takers, take);
    } catch (const Error& error) {
        emit said(Issue::from(error).line());
    }
    queue_.set_tag(result.entry, {}); // done, so that no later recovery places it again
}

/// Adds a take to shots. If it is only a part of the clip, shots that show more than it has do not get it.
void ResultPlacer::add_take(std::vector<int> rows, const Take& take) {
    if (take.part) std::erase_if(rows, [&](int row) { return !project_.shot(row).lies_in(take); });
    if (rows.empty())
        emit said(tr("The shot shows more now than the part that was made again: the result is among the runs."));
    else if (!project_.add_take(rows, take))
        say_too_long();
}

void ResultPlacer::say_too_long() { emit said(tr("The cut would become too long: the result is among the runs.")); }

void ResultPlacer::add_shot(int row, const Take& take, const Result& result) {
    // The clip begins with pictures that the shot before it shows.
    const auto forcing = RunHistory::record(result.run).request.forcing;
    const int given = forcing && !forcing->video.empty() ? forcing->overlap : 0;
    row = project_.add_shot(take, row, std::min(given, take.frames - 1));
    if (row < 0) return say_too_long();
    ResultPlace now = result.place;
    now.placed = {project_.shot(row).id};
    share(result.place, now);
}

/// Lets the other copies of the same extension, done or not, become takes of the shot that was added.
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
