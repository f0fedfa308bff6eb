// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <stop_token>

#include "app/base/issue.h"
#include "app/base/newest_question.h"
#include "engine/compare/step_divergence.h"

namespace denoir::app {

/// How the stored latents of two runs drift apart, step by step; read on a thread of its own. GUI thread; destroying it
/// cancels and joins.
class RunDivergence : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Run folders; an empty one: nothing is compared. B is the one that differences are measured against.
    void set_runs(const QString& a, const QString& b);
    /// A run that has more steps now: read anew where it is one of the two.
    void look_again(const QString& run);

    const StepDivergences& found() const { return found_; }
    int steps() const { return steps_; } ///< of A; 0: nothing is compared
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
    TaskThread thread_; ///< last but one: joined before the rest goes
    NewestQuestion question_{thread_};
};

} // namespace denoir::app
