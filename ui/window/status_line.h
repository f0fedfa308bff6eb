// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "ui/studio.h"

class QLabel;
class QProgressBar;
class QTimer;

namespace denoir::ui {

class Announcer;

/// The foot of the window: device and memory, what is being done with its ETA, and that Esc stops it.
class StatusLine : public QWidget {
    Q_OBJECT
public:
    explicit StatusLine(Studio& studio, QWidget* parent = nullptr);
    /// Something beside the engine: an export. total 0: over.
    void show_task(const QString& text, int done, int total);
    /// A short word that goes away by itself.
    void say(const QString& text);
    /// For who listens only: others see it.
    void announce(const QString& text);

private:
    void refresh();
    void refresh_memory();

    Studio& studio_;
    QLabel *device_, *stage_, *cancel_;
    QProgressBar* bar_;
    Announcer* announcer_;
    QTimer *memory_timer_, *said_timer_;
    QString task_, said_;
    int task_done_ = 0, task_total_ = 0;
};

} // namespace denoir::ui
