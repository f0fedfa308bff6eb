// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>

#include "app/base/issue.h"

namespace denoir {
struct RunRecord;
}

namespace denoir::app {
class RunHistory;
class RunQueue;
class Settings;
} // namespace denoir::app

namespace denoir::ui {

class Banners;
class LogPanel;
class StatusLine;

/// Tells what became of runs: that one is ready or failed and why, that the queue stands, what a crash interrupted.
/// Borrows all.
class RunNews : public QObject {
    Q_OBJECT
public:
    RunNews(app::RunQueue& queue, const app::RunHistory& history, app::Settings& settings, Banners& banners,
            StatusLine& status, const LogPanel& log, QObject* parent = nullptr);
    /// The newest run that a crash interrupted, or the end of the program; what was declined is not offered again.
    void offer_to_resume();
    void tell_state(); ///< at the start: what is wrong with history and queue, and that the queue is paused
    /// Why it failed: in the log, which tells what was done before it; of a run from before the program was started the
    /// log tells nothing.
    void tell_failure(const QString& run);

signals:
    void run_failed();
    void resume_asked(const QString& run);
    void log_asked(quint64 entry); ///< of the queue; 0: everything

private:
    void entry_ended(quint64 id, int state);
    void queue_failing(const app::Issue& issue);
    void tell_history();
    void follow_waiting(); ///< how many wait, in the banner that says so
    QString waiting_text() const;
    QStringList left_at_work() const; ///< runs to offer, oldest first
    void decline(const QStringList& runs);
    void withdraw_offer();
    void offer(const RunRecord& record, const QStringList& runs);
    QString offer_text() const;
    void follow_offer(); ///< how many others can be resumed, in the banner that says so

    app::RunQueue& queue_;
    const app::RunHistory& history_;
    app::Settings& settings_;
    Banners& banners_;
    StatusLine& status_;
    const LogPanel& log_;
    bool tells_waiting_ = false;
    QString offered_;    ///< the run that a banner offers to resume; empty: none
    QString offer_;      ///< what the banner says of it; empty: it is not there yet
    QStringList others_; ///< that were interrupted, too, and not declined
};

} // namespace denoir::ui
