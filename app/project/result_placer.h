// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <deque>

#include "app/project/shot_requests.h"

namespace denoir::app {

class RunQueue;

/// Puts the result of a queue entry with a ResultPlace on the timeline when it is done, as an undo step. While there is
/// something to redo, which such a step would end, results are held back: until redo is used up, until the user's next
/// edit ends it, or place_held(). Those of a cut that may yet be recovered wait for that. GUI thread; borrows both.
class ResultPlacer : public QObject {
    Q_OBJECT
public:
    ResultPlacer(Project& project, RunQueue& queue, QObject* parent = nullptr);
    int held() const { return int(held_.size()); }
    void place_held(); ///< now, in the order they came in; what was undone cannot be done again
    /// While it is, a result whose shot is not there may be of the cut that comes back, as may those that an earlier
    /// session left unplaced.
    void set_recovery_offered(bool offered);

signals:
    void held_changed(int held);
    void said(const QString& text); ///< why a result is not on the timeline

private:
    struct Result {
        ResultPlace place;
        QString run;
        quint64 entry; ///< of the queue; its tag goes once that is answered
    };
    void entry_ended(quint64 entry, int state, const QString& run);
    void redo_changed(bool can);
    void find_unplaced();
    void place(const Result& result);
    void add_take(int row, const Take& take);
    void add_shot(int row, const Take& take, const Result& result);
    void share(const ResultPlace& before, const ResultPlace& now);

    Project& project_;
    RunQueue& queue_;
    std::deque<Result> held_, shotless_; ///< shotless: until the recovery is answered
    bool recovery_offered_ = false;
};

} // namespace denoir::app
