// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include <utility>
#include <vector>

#include "ui/studio.h"

class QAction;

namespace denoir::ui {

/// Undo and redo of the window: the steps of the project's stack, and between them the runs and queue entries that were
/// removed, which come back in their turn. Names and enables both actions.
class RemovalUndo : public QObject {
    Q_OBJECT
public:
    /// Borrows all; `undo` is connected here, `redo` too.
    RemovalUndo(Studio& studio, QAction& undo, QAction& redo, QObject* parent = nullptr);

private:
    enum class Removed { runs, entries };
    void undo();
    void removed(Removed what);
    void restored(Removed what);
    bool removed_last() const;
    void name_actions();

    Studio& studio_;
    QAction &undo_, &redo_;
    std::vector<std::pair<int, Removed>> removed_; ///< newest last, with Project::step() when they went
};

} // namespace denoir::ui
