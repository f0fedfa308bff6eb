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
    Request request;                            ///< for a resumed run, the request stored in its folder
    QString prompt_template, negative_template; ///< empty if there are no wildcards
    QString tag, label;                         ///< RunQueue::TagRole, LabelRole
    QString run;                                ///< folder; known before the first step
    Issue issue;
    bool left_at_work = false; ///< it was at work when the program ended last; not stored

    // Valid while it is at work; not stored.
    JobId job = 0;
    bool begun = false; ///< the engine has taken the job
    JobProgress progress;
    int step = 0, steps = 0;
    int steps_taken = 0;
    double steps_seconds = 0;
    Expected expected;

    void take(const RequestDocument::Snapshot& snapshot);
    RequestDocument::Snapshot snapshot() const { return {request, prompt_template, negative_template}; }

    /// Whether the entry's folder holds a run.
    bool has_run() const;
    /// Whether its request is known; false for a resumed run whose folder could never be read.
    bool can_begin_anew() const { return request.seed.has_value(); }
    /// If the folder holds no run, forgets it, and removes it if it is empty.
    void drop_empty_run();
    /// For an entry that was at work when the program ended: lets it wait again, or if there is a run, takes the state
    /// from its record.
    void after_crash();

    bool ended() const { return state != State::waiting && state != State::running; }
    /// Progress over all stages, 0 … 1; -1: not known yet.
    double fraction() const;
    /// Seconds left for all stages; negative: not known yet.
    double seconds_left() const;
    bool left_of_denoising() const;

    Json to_json() const;
    /// `id` is used if the entry has none. Throws Error naming `file`.
    static Entry from_json(const Json& json, const std::string& file, quint64 id);
};

} // namespace denoir::app
