// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/status_line.h"

#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>

#include <algorithm>
#include <tuple>
#include <utility>

#include <unistd.h>

#include "app/base/background.h"
#include "app/base/text.h"
#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_queue.h"
#include "app/runs/stage_text.h"
#include "engine/backend/cards.h"
#include "ui/theme/colours.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/row_changes.h"

namespace denoir::ui {

namespace {

/// Bytes of memory that this process uses; 0 if the system does not say.
double resident_bytes() {
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QList<QByteArray> fields = file.readAll().split(' ');
    return fields.size() > 1 ? fields[1].toDouble() * double(::sysconf(_SC_PAGESIZE)) : 0;
}

constexpr int bar_range = 1000;                  ///< fine enough for the bar to move smoothly
const QString separator = QStringLiteral(" — "); ///< between different work

/// What the queue's current entry is doing: "denoising · step 6/20 · 0.41 s a step · 5 s left".
QString run_text(const QModelIndex& entry) {
    using Role = app::RunQueue::Role;
    const QVariant stage = entry.data(Role::StageRole);
    QStringList parts{stage.isValid() ? app::stage_text(static_cast<Stage>(stage.toInt()))
                                      : StatusLine::tr("waits for the engine")};
    const int step = entry.data(Role::StepRole).toInt(), steps = entry.data(Role::StepsRole).toInt();
    if (steps > 0) parts << StatusLine::tr("step %1/%2").arg(step).arg(steps);
    const double pace = entry.data(Role::PaceRole).toDouble();
    const bool denoising = stage.isValid() && stage.toInt() == int(Stage::denoise);
    if (pace > 0 && denoising) parts << StatusLine::tr("%1 a step").arg(app::duration_text(pace, 2));
    if (const QString left = app::time_left(entry); !left.isEmpty()) parts << left;
    return parts.join(QStringLiteral(" · "));
}

double memory_bytes() { return double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE)); }

} // namespace

StatusLine::StatusLine(Studio& studio, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      device_(new QLabel(this)),
      cancel_(new QLabel(this)),
      stage_(new ElidedLabel(this, Qt::ElideMiddle)), // a path may be at the end
      bar_(new QProgressBar(this)),
      announcer_(new Announcer(this)),
      memory_timer_(new QTimer(this)),
      said_timer_(new QTimer(this)) {
    setObjectName(QStringLiteral("status-line"));
    device_->setObjectName(QStringLiteral("status-device"));
    stage_->setObjectName(QStringLiteral("status-stage"));
    bar_->setTextVisible(false);
    bar_->setFixedWidth(160);
    bar_->setRange(0, bar_range);
    bar_->setAccessibleName(tr("Progress of the run"));
    auto* row = make_layout<QHBoxLayout>(this, grid::two, {grid::unit, 2, grid::unit, 2});
    row->addWidget(device_);
    row->addWidget(bar_, 0, Qt::AlignVCenter);
    row->addWidget(stage_, 1);
    row->addWidget(cancel_);
    memory_timer_->setInterval(1000);
    connect(memory_timer_, &QTimer::timeout, this, &StatusLine::refresh_memory);
    memory_timer_->start();
    said_timer_->setSingleShot(true);
    connect(said_timer_, &QTimer::timeout, this, [this] {
        said_.clear();
        refresh();
    });
    on_row_changes(studio_.queue, this, [this] { refresh(); });
    connect(&studio_.document, &app::RequestDocument::resolved_changed, this, &StatusLine::refresh_memory);
    refresh();
    refresh_memory();
}

QString StatusLine::Work::words() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - since).count();
    if (done <= from || done >= total || seconds < 1) return text;
    const QString left = app::time_left(seconds * (total - done) / (done - from));
    return left.isEmpty() ? text : text + QStringLiteral(" · ") + left;
}

void StatusLine::show_task(Task task, const QString& text, int done, int total) {
    Work& work = tasks_[std::size_t(task)];
    // A new stage of the task has begun, from which time is measured.
    if (work.total != total || done < work.done) work.from = done, work.since = Clock::now();
    work.text = text;
    work.done = done;
    work.total = total;
    refresh();
}

void StatusLine::end_task(Task task) {
    tasks_[std::size_t(task)] = {};
    refresh();
}

void StatusLine::say(const QString& text) {
    said_ = text;
    said_timer_->start(8000);
    refresh();
    announcer_->announce(text);
}

void StatusLine::take_back(const QString& text) {
    if (said_ != text) return;
    said_.clear();
    said_timer_->stop();
    refresh();
}

void StatusLine::set_cancel_keys(const QString& keys) {
    cancel_->setText(keys.isEmpty() ? QString() : tr("%1 stops it").arg(keys));
}

void StatusLine::announce(const QString& text) { announcer_->announce(text); }

void StatusLine::refresh_memory() {
    const Device device = studio_.document.device().value_or(Device{});
    const QString name = app::to_qstring(device.name());
    const QString here = app::bytes_text(resident_bytes()), all = app::bytes_text(memory_bytes());
    if (device.uses_host_memory()) {
        device_->setText(tr("%1 · %2 of %3").arg(name, here, all));
        device_->setToolTip(tr("Device · memory of Denoir, and of this machine"));
        return;
    }
    if (card_.device == device && !card_.name.isEmpty()) {
        const QString memory = app::bytes_text(card_.memory);
        device_->setText(card_.used > 0
                             ? tr("%1 %2 · %3 of %4").arg(name, card_.name, app::bytes_text(card_.used), memory)
                             : tr("%1 %2 · %3").arg(name, card_.name, memory));
    } else {
        device_->setText(tr("%1 · host %2 of %3").arg(name, here, all));
    }
    device_->setToolTip(
        tr("Device · its memory, and what all programs use of it. Denoir has %1 of this machine's %2.").arg(here, all));
    ask_card(device);
}

/// Asks the card's driver on another thread; the next refresh_memory() shows the answer.
void StatusLine::ask_card(const Device& device) {
    if (std::exchange(asking_, true)) return;
    // A driver that was asleep takes a second or two.
    const auto look = [device] {
        for (const Card& card : cards())
            if (card.device == device)
                return std::tuple(app::to_qstring(card.short_name()), double(card.used().value_or(0)),
                                  double(card.memory));
        return std::tuple(QString(), 0.0, 0.0);
    };
    app::run_then(this, look, [this, device](const std::tuple<QString, double, double>& found) {
        asking_ = false;
        card_.device = device;
        std::tie(card_.name, card_.used, card_.memory) = found;
    });
}

/// Row of the queue's current entry; -1 if there is none. If another `task` is at work, an entry that still waits for
/// the engine does not count.
int StatusLine::running_row(bool task) const {
    const quint64 id = studio_.queue.running();
    const int row = id != 0 ? studio_.queue.row_of(id) : -1;
    const bool waits = row >= 0 && !studio_.queue.index(row).data(app::RunQueue::StageRole).isValid();
    return task && waits ? -1 : row;
}

/// Shows `done` of `total`; a negative `done` is not known.
void StatusLine::show_progress(double done, double total) {
    bar_->setRange(0, done < 0 ? 0 : bar_range);
    bar_->setValue(int(bar_range * std::clamp(done, 0.0, total) / total));
}

void StatusLine::refresh() {
    const auto first = std::ranges::find_if(tasks_, &Work::at_work);
    const int row = running_row(first != tasks_.end());
    const bool working = row >= 0 || first != tasks_.end();
    QStringList parts;
    if (row >= 0) {
        const QModelIndex entry = studio_.queue.index(row);
        show_progress(entry.data(app::RunQueue::ProgressRole).toDouble(), 1);
        parts << run_text(entry);
    } else if (working) {
        show_progress(first->done, first->total);
    }
    for (const Work& work : tasks_) // exports beside the run
        if (work.at_work()) parts << work.words();
    bar_->setVisible(working);
    cancel_->setVisible(working);
    QString text = parts.join(separator);
    if (!working) {
        text = said_.isEmpty() ? tr("ready") : said_;
    } else if (!said_.isEmpty()) {
        // Shows both texts if there is room. If not, only the message: the bar and the queue still show the run.
        const QString both = text + separator + said_;
        const bool fits = stage_->fontMetrics().horizontalAdvance(both) <= stage_->width();
        text = fits ? both : said_;
    }
    stage_->set_text(text);
}

} // namespace denoir::ui
