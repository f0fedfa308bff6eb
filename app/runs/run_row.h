// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RunHistory: one run as the list shows it.
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
    /// Nothing where there are none; damaged ones count as none.
    static RunNotes read(const std::filesystem::path& run);
    void write(const std::filesystem::path& run) const;
};

struct RunRow {
    QString entry; ///< path below the data folder's `runs`, perhaps a link
    QString path;  ///< the run folder itself
    QString stamp; ///< changes with its files
    RunNotes notes;
    QString prompt, negative, mode, model, sampler;
    RunStanding standing = RunStanding::waiting;
    qint64 created = 0; ///< milliseconds since 1970, UTC
    quint64 seed = 0;
    int width = 0, height = 0, frames = 0, steps = 0, steps_done = 0;
    int branch_step = -1;             ///< of a branch: the step of its run that it begins at; else -1
    double guidance = 0, seconds = 0; ///< seconds: of work on it
    quint64 bytes = 0, droppable = 0; ///< on disk
    bool thumbnail = false, video = false, latents = false;
    Issue issue;
    QByteArray haystack; ///< what a search looks at, in small letters: UTF-8, half as long to read through

    void make_haystack();
    /// "256x144 · 33 f · 20 steps · CFG 5 · seed 7", of a branch with its step
    QString summary() const;
};

/// What a search for this text looks for in haystacks: each of the words, or one of what stands beside it there, as the
/// words of a row ("CFG 3", "3 steps", "stopped") in the studio's language stand for a field or a state.
QList<QList<QByteArray>> search_words(const QString& text);

/// Looks at a run folder. Throws Error where there is no run that can be read.
RunRow read_run(const std::filesystem::path& entry);
/// The row of a run whose record cannot be read, under its folder's name: nobody shall think that it is lost.
RunRow unreadable_run(const std::filesystem::path& entry, const Issue& issue);
/// A stamp of the files that decide whether a row is still right. Cheap; empty where there is no run.
QString run_stamp(const std::filesystem::path& entry);

/// Removes the latents and solver states of every step but the last. Returns the bytes freed.
quint64 drop_step_latents(const std::filesystem::path& run);

} // namespace denoir::app
