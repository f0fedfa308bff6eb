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
/// frame, hashing the files of a branch. It is done one piece at a time on a thread of its own, so that a slow disk
/// never holds up the window. No run is started while busy(). Destroying it waits only for work that has begun. GUI
/// thread.
class Preparations : public QObject {
    Q_OBJECT
public:
    explicit Preparations(QObject* parent = nullptr) : QObject(parent) { pool_.setMaxThreadCount(1); }
    ~Preparations() override { ++round_; }

    /// Runs `work` on the other thread, then `use` with its result on this one. `use` is left out if `owner` has been
    /// destroyed by then. If `work` throws, failed() is emitted instead.
    template <class Work, class Use> void put(QObject* owner, Work work, Use use) {
        struct Outcome {
            std::optional<std::invoke_result_t<Work>> value;
            Issue issue;
        };
        ++open_;
        auto attempt = [this, work = std::move(work), round = round_.load()]() mutable {
            Outcome outcome;
            if (round != round_) return outcome; // dropped, so later work need not wait for it
            try {
                outcome.value = work();
            } catch (...) {
                outcome.issue = Issue::from_current_exception();
            }
            return outcome;
        };
        auto end = [this, owner = QPointer<QObject>(owner), use = std::move(use),
                    round = round_.load()](const Outcome& outcome) mutable {
            if (round != round_) return; // dropped
            if (!outcome.value)
                emit failed(outcome.issue);
            else if (owner)
                use(*outcome.value);
            if (round == round_ && --open_ == 0) emit finished(); // `use` or a slot may have called drop()
        };
        run_then(this, std::move(attempt), std::move(end), &pool_);
    }
    bool busy() const { return open_ > 0; }
    /// Drops all work, for example because the document it was for is closed: nothing more is begun, and neither `use`
    /// nor failed() follows.
    void drop() {
        ++round_;
        open_ = 0;
        emit dropped();
    }

signals:
    void dropped();
    void failed(const denoir::app::Issue& issue);
    void finished(); ///< no work is left

private:
    int open_ = 0;
    std::atomic<int> round_ = 0; ///< how often drop() was called; read on the pool's thread as well
    QThreadPool pool_;           ///< declared last, so that it is joined before the rest is destroyed
};

} // namespace denoir::app
