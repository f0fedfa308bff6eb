// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QObject>
#include <QStringList>

#include <vector>

#include "ui/studio.h"

class QAction;

namespace denoir::ui {

/// Undo and redo of the window: the steps of the project's stack, and between them the runs and queue entries that were
/// removed, which come back in their turn and go again. Names and enables both actions.
class RemovalUndo : public QObject {
    Q_OBJECT
public:
    /// Borrows all; both actions are connected here.
    RemovalUndo(Studio& studio, QAction& undo, QAction& redo, QObject* parent = nullptr);

private:
    enum class What { runs, entries };
    struct Removal {
        int step = 0; ///< Project::step() when they went
        What what = What::runs;
        QStringList runs; ///< of one that was undone: what came back
        QList<quint64> entries;
    };
    void undo();
    void redo();
    void removed(What what);
    void restored(const Removal& back);
    void step_changed();
    bool removed_last() const;
    bool restored_last() const;
    void name_actions();

    Studio& studio_;
    QAction &undo_, &redo_;
    std::vector<Removal> removed_;  ///< newest last
    std::vector<Removal> restored_; ///< by undo: what redo removes again, next one last
    int step_ = 0;
    bool redoing_ = false;
};

} // namespace denoir::ui
