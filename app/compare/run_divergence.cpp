// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/run_divergence.h"

#include <QMetaObject>

#include "app/base/text.h"

namespace denoir::app {

RunDivergence::RunDivergence(QObject* parent) : QObject(parent) {}

RunDivergence::~RunDivergence() { stop_.request_stop(); }

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
    stop_.request_stop();
    stop_ = std::stop_source();
    found_ = {};
    steps_ = 0;
    issue_ = {};
    reading_ = !a_.isEmpty() && !b_.isEmpty();
    if (reading_) thread_.put([this, a = a_, b = b_, stop = stop_.get_token()] { read(a, b, stop); });
    emit changed();
}

/// On the thread.
void RunDivergence::read(const QString& run_a, const QString& run_b, const std::stop_token& stop) {
    StepDivergences found;
    int steps = 0;
    Issue issue;
    try {
        if (stop.stop_requested()) return;
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
        [this, stop, found = std::move(found), steps, issue] {
            if (stop.stop_requested()) return;
            found_ = found;
            steps_ = steps;
            issue_ = issue;
            reading_ = false;
            emit changed();
        },
        Qt::QueuedConnection);
}

} // namespace denoir::app
