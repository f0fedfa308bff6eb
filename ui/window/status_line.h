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

/// The line at the bottom of the window: device and memory, what is being done with its ETA, and the keys to stop it.
class StatusLine : public QWidget {
    Q_OBJECT
public:
    /// What may be at work beside the queue's run. Each is shown separately, so that one's end does not hide another.
    enum class Task { verification, cut, comparison, draft, reading };

    explicit StatusLine(Studio& studio, QWidget* parent = nullptr);
    /// `total` is at least 1. The time left is estimated from the growth of `done`.
    void show_task(Task task, const QString& text, int done = 0, int total = 1);
    void end_task(Task task);
    /// Shows a short message that disappears by itself.
    void say(const QString& text);
    void take_back(const QString& text);       ///< removes a message that is no longer true, if it is still shown
    void set_cancel_keys(const QString& keys); ///< the keys of the action that stops the work
    /// Tells a screen reader something that can be seen elsewhere.
    void announce(const QString& text);

private:
    using Clock = std::chrono::steady_clock;
    struct Work {
        QString text;
        int done = 0, total = 0, from = 0; ///< total 0: not at work; from: `done` when the clock was started
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
    /// A card as its driver described it last.
    struct {
        Device device;
        QString name;                ///< "H100 80GB HBM3"; empty if there is no such card
        double used = 0, memory = 0; ///< bytes; used 0: not known
    } card_;
    bool asking_ = false; ///< whether the driver is being asked, on another thread
    QProgressBar* bar_;
    Announcer* announcer_;
    QTimer *memory_timer_, *said_timer_;
    QString said_;
    std::array<Work, 5> tasks_;
};

} // namespace denoir::ui
