// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/run_divergence.h"

#include <QMetaObject>

#include "app/base/text.h"

namespace denoir::app {

void RunDivergence::set_runs(const QString& a, const QString& b) {
    if (a == a_ && b == b_) return;
    a_ = a;
    b_ = b;
    begin();
}

void RunDivergence::look_again(const QString& run) {
    if (run == a_ || run == b_) begin();
}

void RunDivergence::begin() {
    question_.withdraw();
    found_ = {};
    steps_ = 0;
    issue_ = {};
    reading_ = !a_.isEmpty() && !b_.isEmpty();
    if (reading_)
        question_.ask([this, a = a_, b = b_](NewestQuestion::Number number, const std::stop_token& stop) {
            read(number, a, b, stop);
        });
    emit changed();
}

/// Runs on the thread.
void RunDivergence::read(NewestQuestion::Number number, const QString& run_a, const QString& run_b,
                         const std::stop_token& stop) {
    StepDivergences found;
    int steps = 0;
    Issue issue;
    try {
        const RunFolder a = RunFolder::open(to_path(run_a)), b = RunFolder::open(to_path(run_b));
        steps = a.record().total_steps;
        found = step_divergence(a, b, {}, stop);
    } catch (const Cancelled&) {
        return;
    } catch (...) {
        issue = Issue::from_current_exception();
    }
    QMetaObject::invokeMethod(
        this,
        [this, number, found = std::move(found), steps, issue] {
            if (number != question_.newest()) return;
            found_ = found;
            steps_ = steps;
            issue_ = issue;
            reading_ = false;
            emit changed();
        },
        Qt::QueuedConnection);
}

} // namespace denoir::app
