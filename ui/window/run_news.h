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

/// Reports on runs: that one is ready or why it failed, that the queue is paused, which runs a crash interrupted.
/// Borrows all.
class RunNews : public QObject {
    Q_OBJECT
public:
    RunNews(app::RunQueue& queue, const app::RunHistory& history, app::Settings& settings, Banners& banners,
            StatusLine& status, const LogPanel& log, QObject* parent = nullptr);
    /// Offers to resume the newest run that a crash or the end of the program interrupted, unless it was declined
    /// before.
    void offer_to_resume();
    void tell_state(); ///< at the start: what is wrong with history and queue, and whether the queue is paused
    /// Shows why a run failed: in the log, which also says what was done before, or, for a run of an earlier session,
    /// in a banner.
    void tell_failure(const QString& run);

signals:
    void run_failed();
    void resume_asked(const QString& run);
    void log_asked(quint64 entry); ///< of a queue entry; 0 for everything

private:
    void entry_ended(quint64 id, int state);
    void queue_failing(const app::Issue& issue);
    void tell_history();
    void follow_waiting(); ///< updates the banner that says how many wait
    QString waiting_text() const;
    QStringList left_at_work() const; ///< runs to offer, oldest first
    void decline(const QStringList& runs);
    void withdraw_offer();
    void offer(const RunRecord& record, const QStringList& runs);
    QString offer_text() const;
    void follow_offer(); ///< updates the banner's number of other runs that can be resumed

    app::RunQueue& queue_;
    const app::RunHistory& history_;
    app::Settings& settings_;
    Banners& banners_;
    StatusLine& status_;
    const LogPanel& log_;
    bool tells_waiting_ = false;
    QString offered_;    ///< the run that a banner offers to resume; empty if none
    QString offer_;      ///< the banner's text about it; empty before it is shown
    QStringList others_; ///< other runs that were interrupted and not declined
};

} // namespace denoir::ui
