// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RunQueue: an entry and how it is stored.
#include "app/run_queue.h"
#include "engine/core/json.h"

namespace denoir::app {

struct RunQueue::Entry {
    quint64 id = 0;
    bool resume = false;
    State state = State::waiting;
    Request request;                            ///< of a resumed run: what is stored there
    QString prompt_template, negative_template; ///< empty: no wildcards
    QString tag;                                ///< RunQueue::TagRole
    QString run;                                ///< folder; known before the first step
    Issue issue;

    // While it is at work; not stored.
    JobId job = 0;
    bool begun = false; ///< the engine does nothing else before it
    JobProgress progress;
    int step = 0, steps = 0;
    Expected expected;

    bool ended() const { return state != State::waiting && state != State::running; }
    /// 0 … 1 over all stages; -1: not known yet.
    double fraction() const;
    /// Seconds left of all stages; negative: not known yet.
    double seconds_left() const;
};

Json to_json(const Issue& issue);
Issue issue_from_json(const Json& json);

} // namespace denoir::app
