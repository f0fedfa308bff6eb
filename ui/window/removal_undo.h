// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QObject>
#include <QStringList>

#include <vector>

#include "ui/studio.h"

class QAction;

namespace denoir::ui {

/// Undo and redo of the window: the steps of the project's undo stack and, at their places between them, removals of
/// runs and queue entries. Names and enables both actions.
class RemovalUndo : public QObject {
    Q_OBJECT
public:
    /// Borrows all; connects both actions.
    RemovalUndo(Studio& studio, QAction& undo, QAction& redo, QObject* parent = nullptr);

private:
    enum class What { runs, entries };
    struct Removal {
        int step = 0; ///< Project::step() when they were removed
        What what = What::runs;
        QStringList runs; ///< runs or `entries` that came back when it was undone
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
    std::vector<Removal> restored_; ///< removals that were undone; redo takes the last one
    int step_ = 0;
    bool redoing_ = false;
};

} // namespace denoir::ui
