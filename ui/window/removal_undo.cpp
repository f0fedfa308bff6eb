// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/removal_undo.h"

#include <QAction>
#include <QFileInfo>
#include <QScopedValueRollback>
#include <QUndoStack>

#include <algorithm>

#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "ui/widgets/literal.h"

namespace denoir::ui {

RemovalUndo::RemovalUndo(Studio& studio, QAction& undo, QAction& redo, QObject* parent)
    : QObject(parent), studio_(studio), undo_(undo), redo_(redo), step_(studio.project.step()) {
    const QUndoStack& stack = studio_.project.undo();
    const auto& history = studio_.history;
    const auto& queue = studio_.queue;
    connect(&undo_, &QAction::triggered, this, &RemovalUndo::undo);
    connect(&redo_, &QAction::triggered, this, &RemovalUndo::redo);
    connect(&stack, &QUndoStack::indexChanged, this, &RemovalUndo::step_changed);
    connect(&stack, &QUndoStack::canUndoChanged, this, &RemovalUndo::name_actions);
    connect(&history, &app::RunHistory::removed, this, [this] { removed(What::runs); });
    connect(&history, &app::RunHistory::restored, this, [this](const QStringList& runs) {
        restored({0, What::runs, runs, {}});
    });
    connect(&queue, &app::RunQueue::entries_removed, this, [this] { removed(What::entries); });
    connect(&queue, &app::RunQueue::entries_restored, this, [this](const QList<quint64>& entries) {
        restored({0, What::entries, {}, entries});
    });
    connect(&studio_.project, &app::Project::loaded, this, [this] {
        removed_.clear(); // their places between the steps of the old project mean nothing any more
        restored_.clear();
        name_actions();
    });
    name_actions();
}

void RemovalUndo::undo() {
    if (!removed_last()) return studio_.project.undo().undo();
    const std::size_t before = removed_.size();
    const What what = removed_.back().what;
    what == What::runs ? studio_.history.restore() : studio_.queue.undo_clear();
    if (removed_.size() == before) restored({0, what, {}, {}}); // nothing came back, so that the removal before is next
}

void RemovalUndo::redo() {
    const QScopedValueRollback redoing(redoing_, true);
    if (!restored_last()) return studio_.project.undo().redo();
    const Removal next = restored_.back();
    restored_.pop_back();
    // Runs that have just come back are listed only after their folders have been read.
    const bool too_soon = std::any_of(next.runs.begin(), next.runs.end(), [this](const QString& run) {
        return !studio_.history.contains(run) && QFileInfo::exists(run);
    });
    if (too_soon)
        restored_.push_back(next);
    else if (next.what == What::runs)
        (void)studio_.history.remove(next.runs);
    else
        studio_.queue.remove(next.entries);
    name_actions();
}

void RemovalUndo::removed(What what) {
    studio_.document.settle(); // so that the next edit does not merge with one before the removal
    if (!redoing_) restored_.clear();
    removed_.push_back({studio_.project.step(), what, {}, {}});
    name_actions();
}

void RemovalUndo::restored(const Removal& back) {
    studio_.document.settle();
    const auto last = std::find_if(removed_.rbegin(), removed_.rend(),
                                   [&back](const Removal& each) { return each.what == back.what; });
    if (last != removed_.rend()) {
        // What was brought back by another button after other steps was not undone, so that it cannot be redone.
        const bool undone = last->step == studio_.project.step() && !(back.runs.isEmpty() && back.entries.isEmpty());
        if (undone) restored_.push_back({last->step, back.what, back.runs, back.entries});
        removed_.erase(std::next(last).base());
    }
    name_actions();
}

/// After a new step, what was undone cannot be redone.
void RemovalUndo::step_changed() {
    const int step = studio_.project.step();
    if (step > step_ && !redoing_) restored_.clear();
    step_ = step;
    name_actions();
}

/// Whether undo would take back a removal next.
bool RemovalUndo::removed_last() const {
    return !removed_.empty() && removed_.back().step == studio_.project.step() &&
           (removed_.back().what == What::runs ? studio_.history.can_restore() : studio_.queue.can_undo_clear());
}

/// Whether redo would repeat a removal next.
bool RemovalUndo::restored_last() const {
    return !restored_.empty() && restored_.back().step == studio_.project.step();
}

void RemovalUndo::name_actions() {
    const QUndoStack& stack = studio_.project.undo();
    const auto name = [](const Removal& removal) {
        return removal.what == What::runs ? tr("deleting runs") : tr("removing from the queue");
    };
    const QString before = removed_last() ? name(removed_.back()) : stack.undoText();
    const QString after = restored_last() ? name(restored_.back()) : stack.redoText();
    undo_.setEnabled(removed_last() || stack.canUndo());
    redo_.setEnabled(restored_last() || stack.canRedo());
    undo_.setText(before.isEmpty() ? tr("&Undo") : tr("&Undo %1").arg(literal(before)));
    redo_.setText(after.isEmpty() ? tr("&Redo") : tr("&Redo %1").arg(literal(after)));
}

} // namespace denoir::ui
