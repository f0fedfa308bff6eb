// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RunQueue: an entry and how it is stored.
#include "app/runs/run_queue.h"
#include "engine/core/json.h"

namespace denoir::app {

struct RunQueue::Entry {
    quint64 id = 0;
    bool resume = false;
    State state = State::waiting;
    Request request;                            ///< of a resumed run: what is stored there
    QString prompt_template, negative_template; ///< empty: no wildcards
    QString tag, label;                         ///< RunQueue::TagRole, LabelRole
    QString run;                                ///< folder; known before the first step
    Issue issue;
    bool left_at_work = false; ///< by the program's end before this start; not stored

    // While it is at work; not stored.
    JobId job = 0;
    bool begun = false; ///< the engine does nothing else before it
    JobProgress progress;
    int step = 0, steps = 0;
    int steps_taken = 0;
    double steps_seconds = 0;
    Expected expected;

    void take(const RequestDocument::Snapshot& snapshot);
    RequestDocument::Snapshot snapshot() const { return {request, prompt_template, negative_template}; }

    /// True where the entry's folder holds a run.
    bool has_run() const;
    /// False: of a run that is to go on and could never be read.
    bool can_begin_anew() const { return request.seed.has_value(); }
    /// Forgets its folder where there is no run, and removes it where nothing was put there.
    void drop_empty_run();
    /// The program ended while it was at work: waits again, or ended as the run says where there is one.
    void after_crash();

    bool ended() const { return state != State::waiting && state != State::running; }
    /// 0 … 1 over all stages; -1: not known yet.
    double fraction() const;
    /// Seconds left of all stages; negative: not known yet.
    double seconds_left() const;
    bool left_of_denoising() const;

    Json to_json() const;
    /// `id`: where it has none. Throws Error naming `file`.
    static Entry from_json(const Json& json, const std::string& file, quint64 id);
};

} // namespace denoir::app
