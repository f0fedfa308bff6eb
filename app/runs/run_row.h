// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RunHistory: a run as the list shows it.
#include <QByteArray>
#include <QList>
#include <QString>
#include <filesystem>

#include "app/base/issue.h"
#include "app/runs/run_standing.h"

namespace denoir::app {

/// What the user adds to a run, in its `studio.json`.
struct RunNotes {
    bool starred = false;
    QString name, prompt_template;
    /// Empty notes if there are none or they are damaged.
    static RunNotes read(const std::filesystem::path& run);
    void write(const std::filesystem::path& run) const;
};

struct RunRow {
    QString entry; ///< path in the folder of runs; may be a link
    QString path;  ///< the run folder itself
    QString stamp; ///< run_stamp() from before its files were read
    RunNotes notes;
    QString prompt, negative, mode, model, sampler;
    RunStanding standing = RunStanding::waiting;
    qint64 created = 0; ///< milliseconds since 1970, UTC
    quint64 seed = 0;
    int width = 0, height = 0, frames = 0, steps = 0, steps_done = 0;
    int branch_step = -1;             ///< the step of the other run at which a branch begins; -1 if it is no branch
    double guidance = 0, seconds = 0; ///< seconds spent on making it
    quint64 bytes = 0, droppable = 0; ///< on disk; what drop_step_latents() would free
    bool thumbnail = false, video = false, latents = false;
    Issue issue;
    QByteArray haystack; ///< the text that a search looks at, in lower case; UTF-8, which is half as long as QString

    void make_haystack();
    /// "256x144 · 33 f · 20 steps · CFG 5 · seed 7"; for a branch with its step.
    QString summary() const;
};

/// What a haystack must contain to match a search: of each inner list at least one. An inner list holds a word of
/// `text` and what it may stand for: words that rows show in the studio's language ("CFG 3", "3 steps", "stopped") also
/// stand for a field or a state.
QList<QList<QByteArray>> search_words(const QString& text);

/// Reads a run folder. Throws Error if there is no run or it cannot be read.
RunRow read_run(const std::filesystem::path& entry);
/// The row of a run whose record cannot be read, under its folder's name, so that nobody thinks that it is lost.
RunRow unreadable_run(const std::filesystem::path& entry, const Issue& issue);
/// A text that changes when the files change that a row is made of. Cheap. Empty if there is no run.
QString run_stamp(const std::filesystem::path& entry);

/// Removes the latents and solver states of every step but the last. Returns the bytes freed.
quint64 drop_step_latents(const std::filesystem::path& run);

} // namespace denoir::app
