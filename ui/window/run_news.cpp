// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/run_news.h"

#include "app/base/background.h"
#include "app/base/engine_text.h"
#include "app/base/folder.h"
#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/runs/run_words.h"
#include "engine/core/error.h"
#include "ui/docks/log_panel.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/row_changes.h"
#include "ui/window/status_line.h"

namespace denoir::ui {

using Role = app::RunQueue::Role;
using State = app::RunQueue::State;

namespace {
const QString declined_key = QStringLiteral("runs/not-resumed"); ///< run folders
} // namespace

RunNews::RunNews(app::RunQueue& queue, const app::RunHistory& history, app::Settings& settings, Banners& banners,
                 StatusLine& status, const LogPanel& log, QObject* parent)
    : QObject(parent),
      queue_(queue),
      history_(history),
      settings_(settings),
      banners_(banners),
      status_(status),
      log_(log) {
    connect(&history_, &app::RunHistory::issue_changed, this, &RunNews::tell_history);
    connect(&queue_, &app::RunQueue::entry_ended, this, &RunNews::entry_ended);
    connect(&queue_, &app::RunQueue::failing, this, &RunNews::queue_failing);
    connect(&queue_, &app::RunQueue::paused_changed, this, [this](bool paused) {
        if (paused) return;
        tells_waiting_ = false;
        banners_.remove(QStringLiteral("failing"));
    });
    on_row_changes(queue_, this, [this] {
        follow_waiting();
        follow_offer();
    });
    connect(&queue_, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int first, int last) {
        for (int row = first; row <= last && !offered_.isEmpty(); ++row) {
            const QModelIndex entry = queue_.index(row);
            const bool waits = entry.data(Role::StateRole).toInt() == int(State::waiting);
            if (waits && entry.data(Role::RunRole).toString() == offered_) withdraw_offer();
        }
    });
    connect(&history_, &app::RunHistory::removed, this, [this](const QStringList& runs) {
        if (!offered_.isEmpty() && runs.contains(app::real_path(offered_))) withdraw_offer();
    });
}

/// Removes the offer, as the run was resumed in another way or deleted.
void RunNews::withdraw_offer() {
    offered_.clear();
    banners_.remove(QStringLiteral("resume"));
}

void RunNews::tell_history() {
    banners_.show_banner(QStringLiteral("history"), Banners::Kind::warning, history_.issue().line());
}

void RunNews::tell_state() {
    if (!history_.issue().isEmpty()) tell_history();
    if (const app::Issue issue = queue_.issue(); !issue.isEmpty())
        banners_.show_banner(QStringLiteral("queue-issue"), Banners::Kind::warning, issue.line());
    tells_waiting_ = queue_.paused() && queue_.waiting() > 0;
    if (tells_waiting_)
        banners_.show_banner(QStringLiteral("failing"), Banners::Kind::info, waiting_text(),
                             {{tr("Continue"), [this] { queue_.set_paused(false); }}});
}

QString RunNews::waiting_text() const { return tr("The queue is paused; %n run(s) wait.", nullptr, queue_.waiting()); }

void RunNews::follow_waiting() {
    if (!tells_waiting_) return;
    tells_waiting_ = queue_.waiting() > 0;
    tells_waiting_ ? banners_.set_text(QStringLiteral("failing"), waiting_text())
                   : banners_.remove(QStringLiteral("failing"));
}

void RunNews::entry_ended(quint64 id, int state) {
    const QModelIndex entry = queue_.index(queue_.row_of(id));
    const QString prompt = app::shortened(app::run_words::title({}, entry.data(Role::PromptRole).toString()), 60);
    if (state == int(State::done)) status_.announce(tr("A video is ready: %1").arg(prompt));
    if (state == int(State::failed)) {
        emit run_failed();
        status_.announce(tr("A run failed: %1").arg(app::words(entry.data(Role::IssueRole).value<app::Issue>())));
    }
}

void RunNews::queue_failing(const app::Issue& issue) {
    const bool told = !issue.file.isEmpty() && !app::RunHistory::is_own_name(issue.file);
    const QString file = told ? issue.file + QStringLiteral(": ") : QString();
    tells_waiting_ = false;
    banners_.show_banner(
        QStringLiteral("failing"), Banners::Kind::error,
        tr("The queue is paused: the last two runs failed for the same reason. %1").arg(file + app::words(issue)),
        {{tr("Continue all the same"), [this] { queue_.set_paused(false); }},
         {tr("Details"), [this] { emit log_asked(0); }}});
}

void RunNews::tell_failure(const QString& run) {
    for (int row = queue_.rowCount() - 1; row >= 0; --row) {
        const QModelIndex entry = queue_.index(row);
        const quint64 id = entry.data(Role::IdRole).toULongLong();
        if (entry.data(Role::RunRole).toString() == run && log_.knows(id)) return emit log_asked(id);
    }
    const QModelIndex at = history_.index(history_.row_of(run));
    const QString title = app::shortened(app::run_words::title({}, at.data(Qt::DisplayRole).toString()), 60);
    banners_.show_banner(
        QStringLiteral("failed-run"), Banners::Kind::error,
        tr("“%1” failed: %2").arg(title, at.data(app::RunHistory::IssueRole).value<app::Issue>().line()));
}

/// Also forgets that runs were declined if they could no longer be offered.
QStringList RunNews::left_at_work() const {
    QStringList runs, declined;
    const QStringList before = settings_.value(declined_key).toStringList();
    for (const quint64 id : queue_.interrupted()) {
        const QString run = queue_.index(queue_.row_of(id)).data(Role::RunRole).toString();
        if (!run.isEmpty()) (before.contains(run) ? declined : runs) << run;
    }
    settings_.set_value(declined_key, declined.isEmpty() ? QVariant() : declined);
    return runs;
}

void RunNews::decline(const QStringList& runs) {
    settings_.set_value(declined_key, settings_.value(declined_key).toStringList() + runs);
}

void RunNews::offer_to_resume() {
    const QStringList runs = left_at_work();
    if (runs.isEmpty()) return;
    offered_ = runs.constLast();
    others_ = runs.first(runs.size() - 1);
    const auto look = [run = offered_] { // reads the step, which the entry knows only while it is at work
        std::optional<RunRecord> record;
        try {
            record = app::RunHistory::record(run);
        } catch (const Error&) { // the folder is gone, as resuming will say
        }
        return record;
    };
    app::run_then(this, look, [this, runs](const std::optional<RunRecord>& record) {
        if (offered_ == runs.constLast()) offer(record.value_or(RunRecord()), runs); // unless it was withdrawn
    });
}

void RunNews::offer(const RunRecord& record, const QStringList& runs) {
    const QString prompt = app::shortened(app::run_words::title({}, app::to_qstring(record.request.prompt)), 60);
    const int step = record.steps.empty() ? 0 : record.steps.back().step;
    offer_ = (record.state == RunState::cancelled ? tr("“%1” was stopped at step %2 of %3. Nothing of it is lost.")
                                                  : tr("“%1” was interrupted at step %2 of %3. Nothing of it is lost."))
                 .arg(prompt, QString::number(step), QString::number(record.total_steps));
    banners_.show_banner(QStringLiteral("resume"), Banners::Kind::info, offer_text(),
                         {{tr("Resume"), [this, run = offered_] { emit resume_asked(run); }}}, 0, [this, runs] {
                             offered_.clear();
                             decline(runs);
                         });
}

QString RunNews::offer_text() const {
    int more = 0;
    for (const quint64 id : queue_.interrupted())
        more += others_.contains(queue_.index(queue_.row_of(id)).data(Role::RunRole).toString());
    return more > 0 ? offer_ + QLatin1Char(' ') + tr("%n more can be resumed from the queue.", nullptr, more) : offer_;
}

void RunNews::follow_offer() {
    if (!offered_.isEmpty() && !offer_.isEmpty()) banners_.set_text(QStringLiteral("resume"), offer_text());
}

} // namespace denoir::ui
