// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <stop_token>

#include "app/base/issue.h"
#include "app/base/newest_question.h"
#include "engine/compare/step_divergence.h"

namespace denoir::app {

/// How the stored latents of two runs drift apart, step by step, read on a thread of its own. Destroying it cancels
/// that and joins the thread. GUI thread.
class RunDivergence : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// The run folders to compare; nothing is compared if one is empty. Differences are those of A relative to B.
    void set_runs(const QString& a, const QString& b);
    /// To be called when a run has more steps: reads them again if it is one of the two.
    void look_again(const QString& run);

    const StepDivergences& found() const { return found_; }
    int steps() const { return steps_; } ///< of A; 0 if nothing is compared
    bool reading() const { return reading_; }
    const Issue& issue() const { return issue_; }

signals:
    void changed();

private:
    void begin();
    void read(NewestQuestion::Number number, const QString& run_a, const QString& run_b, const std::stop_token& stop);

    QString a_, b_;
    StepDivergences found_;
    int steps_ = 0;
    bool reading_ = false;
    Issue issue_;
    TaskThread thread_; ///< last but for what borrows it, so that it is joined before the rest is destroyed
    NewestQuestion question_{thread_};
};

} // namespace denoir::app
