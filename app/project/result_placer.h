// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <deque>
#include <vector>

#include "app/project/shot_requests.h"

namespace denoir::app {

class RunQueue;

/// Puts the result of a queue entry that has a ResultPlace on the timeline when it is done, as an undo step. As such a
/// step would make it impossible to redo what was undone, results are held back while there is something to redo: until
/// it has been redone, until the user's next edit, or until place_held(). Results that belong to a cut which may still
/// be recovered wait for that. GUI thread; borrows both.
class ResultPlacer : public QObject {
    Q_OBJECT
public:
    ResultPlacer(Project& project, RunQueue& queue, QObject* parent = nullptr);
    int held() const { return int(held_.size()); }
    void place_held(); ///< places them in the order they came in; after that nothing can be redone
    /// Tells whether the user is being offered to recover a cut. Until that is answered, results whose shot is missing
    /// are kept, including those that an earlier session left, as the shot may be in that cut.
    void set_recovery_offered(bool offered);
    void withdraw_recovery(); ///< there is no such cut after all: the entries keep their tags for another session

signals:
    void held_changed(int held);
    void said(const QString& text); ///< says why a result is not on the timeline

private:
    struct Result {
        ResultPlace place;
        QString run;
        quint64 entry; ///< of the queue; its tag is removed once the result is placed or cannot be
    };
    void entry_ended(quint64 entry, int state, const QString& run);
    void redo_changed(bool can);
    void shot_split(const QString& first, const QString& second);
    void find_unplaced();
    void place(const Result& result);
    void add_take(std::vector<int> rows, const Take& take);
    void add_shot(int row, const Take& take, const Result& result);
    void say_too_long();
    void share(const ResultPlace& before, const ResultPlace& now);

    Project& project_;
    RunQueue& queue_;
    std::deque<Result> held_, shotless_; ///< shotless_: kept until the recovery is answered
    bool recovery_offered_ = false;
};

} // namespace denoir::app
