// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <atomic>
#include <optional>
#include <type_traits>
#include <utility>

#include "app/base/background.h"
#include "app/base/issue.h"

namespace denoir::app {

/// Work on files that must be done before the document can change: storing a pasted picture, decoding a shot's last
/// frame, hashing the files of a branch. Done one at a time on a thread of its own, so that a slow disk never holds up
/// the window; a run is not started while busy(). Destroying it waits only for the work that has begun. GUI thread.
class Preparations : public QObject {
    Q_OBJECT
public:
    explicit Preparations(QObject* parent = nullptr) : QObject(parent) { pool_.setMaxThreadCount(1); }
    ~Preparations() override { ++round_; }

    /// Runs `work` on the other thread, then `use` with its result on this one, unless `owner` has been destroyed by
    /// then. If `work` throws, failed() is emitted instead.
    template <class Work, class Use> void put(QObject* owner, Work work, Use use) {
        struct Outcome {
            std::optional<std::invoke_result_t<Work>> value;
            Issue issue;
        };
        ++open_;
        auto attempt = [this, work = std::move(work), round = round_.load()]() mutable {
            Outcome outcome;
            if (round != round_) return outcome; // dropped: what comes after does not wait for it
            try {
                outcome.value = work();
            } catch (...) {
                outcome.issue = Issue::from_current_exception();
            }
            return outcome;
        };
        auto end = [this, owner = QPointer<QObject>(owner), use = std::move(use),
                    round = round_.load()](const Outcome& outcome) mutable {
            if (round != round_) return; // it was dropped
            if (!outcome.value)
                emit failed(outcome.issue);
            else if (owner)
                use(*outcome.value);
            if (round == round_ && --open_ == 0) emit finished(); // else what was told has dropped them
        };
        run_then(this, std::move(attempt), std::move(end), &pool_);
    }
    bool busy() const { return open_ > 0; }
    /// Forgets all work, as what it was for is gone: nothing more is begun, and neither `use` nor failed() follows.
    void drop() {
        ++round_;
        open_ = 0;
        emit dropped();
    }

signals:
    void dropped();
    void failed(const denoir::app::Issue& issue);
    void finished(); ///< none is left

private:
    int open_ = 0;
    std::atomic<int> round_ = 0; ///< how often they were dropped; its thread looks, too
    QThreadPool pool_;           ///< last: joined before the rest goes
};

} // namespace denoir::app
