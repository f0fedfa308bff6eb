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
    /// Missing and damaged notes count as empty.
    static RunNotes read(const std::filesystem::path& run);
    /// Throws Error.
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
    int branch_step = -1;             ///< of a branch: the step of its run that it begins at; else -1
    double guidance = 0, seconds = 0; ///< seconds of work on it
    quint64 bytes = 0, droppable = 0; ///< on disk
    bool thumbnail = false, video = false, latents = false;
    Issue issue;
    QByteArray haystack; ///< what a search looks at, in lower case: UTF-8, which is half as long as UTF-16

    void make_haystack();
    /// "256x144 · 33 f · 20 steps · CFG 5 · seed 7", for a branch with the step that it begins at
    QString summary() const;
};

/// What a search for this text looks for in haystacks: for each word a list, of which one must occur. Besides the word
/// itself it holds the field or state that the words of a row mean in the studio's language ("CFG 3", "3 steps",
/// "stopped").
QList<QList<QByteArray>> search_words(const QString& text);

/// Reads a run folder. Throws Error if there is no run, or if its record cannot be read.
RunRow read_run(const std::filesystem::path& entry);
/// The row of a run whose record cannot be read, with its folder's name, so that nobody thinks it is lost.
RunRow unreadable_run(const std::filesystem::path& entry, const Issue& issue);
/// A stamp of the files that a row was read from: the row is right as long as the stamp stays. Cheap; empty if there is
/// no run.
QString run_stamp(const std::filesystem::path& entry);

/// Removes the latents of every step but the last of each window, and all solver states. Returns the bytes freed.
/// Throws Error, also while a process is at work on the run.
quint64 drop_step_latents(const std::filesystem::path& run);

} // namespace denoir::app
