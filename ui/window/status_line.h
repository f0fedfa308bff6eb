// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include <array>
#include <chrono>

#include "engine/backend/device.h"
#include "ui/studio.h"

class QLabel;
class QProgressBar;
class QTimer;

namespace denoir::ui {

class Announcer;
class ElidedLabel;

/// The foot of the window: device and memory, what is being done with its ETA, and that Esc stops it.
class StatusLine : public QWidget {
    Q_OBJECT
public:
    /// What is at work beside the queue's run; each by itself, so that one's end does not hide another.
    enum class Task { verification, cut, comparison, draft, reading };

    explicit StatusLine(Studio& studio, QWidget* parent = nullptr);
    /// total at least 1. How long is left is told from how fast done has grown.
    void show_task(Task task, const QString& text, int done = 0, int total = 1);
    void end_task(Task task);
    /// A short word that goes away by itself.
    void say(const QString& text);
    void take_back(const QString& text);       ///< what was said, where it is still there: it is not so any more
    void set_cancel_keys(const QString& keys); ///< of what stops the work
    /// For who listens only: others see it.
    void announce(const QString& text);

private:
    using Clock = std::chrono::steady_clock;
    struct Work {
        QString text;
        int done = 0, total = 0, from = 0; ///< total 0: not at work; from: done when the clock was started
        Clock::time_point since;
        bool at_work() const { return total > 0; }
        QString words() const;
    };

    int running_row(bool task) const;
    void show_progress(double done, double total);
    void refresh();
    void refresh_memory();
    void ask_card(const Device& device);

    Studio& studio_;
    QLabel *device_, *cancel_;
    ElidedLabel* stage_;
    /// As its driver told a moment ago.
    struct {
        Device device;
        QString name;                ///< "H100 80GB HBM3"; empty: there is no such card
        double used = 0, memory = 0; ///< bytes; used 0: not known
    } card_;
    bool asking_ = false; ///< the driver, on a thread
    QProgressBar* bar_;
    Announcer* announcer_;
    QTimer *memory_timer_, *said_timer_;
    QString said_;
    std::array<Work, 5> tasks_;
};

} // namespace denoir::ui
