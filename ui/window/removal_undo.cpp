// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/removal_undo.h"

#include <QAction>
#include <QUndoStack>

#include <algorithm>

#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"

namespace denoir::ui {

RemovalUndo::RemovalUndo(Studio& studio, QAction& undo, QAction& redo, QObject* parent)
    : QObject(parent), studio_(studio), undo_(undo), redo_(redo) {
    QUndoStack& stack = studio_.project.undo();
    connect(&undo_, &QAction::triggered, this, &RemovalUndo::undo);
    connect(&redo_, &QAction::triggered, &stack, &QUndoStack::redo);
    connect(&stack, &QUndoStack::indexChanged, this, &RemovalUndo::name_actions);
    connect(&stack, &QUndoStack::canUndoChanged, this, &RemovalUndo::name_actions);
    connect(&studio_.history, &app::RunHistory::removed, this, [this] { removed(Removed::runs); });
    connect(&studio_.history, &app::RunHistory::restored, this, [this] { restored(Removed::runs); });
    connect(&studio_.queue, &app::RunQueue::entries_removed, this, [this] { removed(Removed::entries); });
    connect(&studio_.queue, &app::RunQueue::entries_restored, this, [this] { restored(Removed::entries); });
    connect(&studio_.project, &app::Project::loaded, this, [this] {
        removed_.clear(); // the steps that it stood between are gone
        name_actions();
    });
    name_actions();
}

void RemovalUndo::undo() {
    if (!removed_last()) return studio_.project.undo().undo();
    const std::size_t before = removed_.size();
    const Removed what = removed_.back().second;
    what == Removed::runs ? studio_.history.restore() : studio_.queue.undo_clear();
    if (removed_.size() == before) restored(what); // it cannot be brought back: what was before it is next
}

void RemovalUndo::removed(Removed what) {
    studio_.document.settle(); // what is changed next is a step of its own, after this
    removed_.emplace_back(studio_.project.step(), what);
    name_actions();
}

void RemovalUndo::restored(Removed what) {
    const auto last =
        std::find_if(removed_.rbegin(), removed_.rend(), [what](const auto& each) { return each.second == what; });
    if (last != removed_.rend()) removed_.erase(std::next(last).base());
    name_actions();
}

/// Something was removed after whatever else can be undone.
bool RemovalUndo::removed_last() const {
    return !removed_.empty() && removed_.back().first == studio_.project.step() &&
           (removed_.back().second == Removed::runs ? studio_.history.can_restore() : studio_.queue.can_undo_clear());
}

void RemovalUndo::name_actions() {
    const QUndoStack& stack = studio_.project.undo();
    const bool last = removed_last();
    const QString step = !last                                     ? stack.undoText()
                         : removed_.back().second == Removed::runs ? tr("deleting runs")
                                                                   : tr("removing from the queue");
    undo_.setEnabled(last || stack.canUndo());
    redo_.setEnabled(stack.canRedo());
    undo_.setText(step.isEmpty() ? tr("&Undo") : tr("&Undo %1").arg(step));
    redo_.setText(stack.redoText().isEmpty() ? tr("&Redo") : tr("&Redo %1").arg(stack.redoText()));
}

} // namespace denoir::ui
