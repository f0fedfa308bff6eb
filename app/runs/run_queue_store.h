// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RunQueue: its entries, their file, and their way through the worker.
#include <functional>
#include <utility>
#include <vector>

#include "app/base/file_saver.h"
#include "app/runs/run_queue_entry.h"

namespace denoir::app {

struct RunQueue::Store {
    Store(RunQueue& queue, EngineWorker& engine);
    int find(quint64 id) const;    ///< row; -1 if there is none
    int find_job(JobId job) const; ///< row; -1 if there is none
    Entry& at(int row) { return entries[std::size_t(row)]; }
    /// Changes the entry of a job, if the job is one of the queue's.
    template <class Change> void change(JobId job, Change&& by) {
        const int row = find_job(job);
        if (row < 0) return;
        by(at(row));
        changed(row);
    }
    const Entry* at_work() const; ///< null if there is none
    int first_waiting() const;    ///< row; the number of entries if none waits
    void changed(int row);
    quint64 save();                     ///< begins to write the file; returns the serial for saved()
    void read(const std::string& text); ///< reads the file's text. Throws Error naming the file.
    /// Begins the next entry, unless one is at work: saved() gives it to the worker once the file says that it is at
    /// work.
    void pump();
    void saved(quint64 serial); ///< all saves up to this one are in the file
    void end(int row, State state);
    /// Pauses the queue if the waiting entries would probably fail for the same reason as the last ones, such as a
    /// missing model or disk.
    void pause_if_failing(State state, const Issue& why, const QString& run);
    QString reason(const Issue& failure, const QString& run) const;
    void trim(); ///< removes the oldest ended entries if there are very many
    Entry take(int row);
    void put(int row, Entry e);
    void put(int row, std::vector<Entry> several); ///< inserts them at `row`
    quint64 add(Entry e, bool next);
    /// Takes entries out; undo_clear() brings them back.
    void remove_if(const std::function<bool(const Entry&)>& goes);

    static constexpr std::size_t most_removed = 200;    ///< removals that can be undone
    static constexpr std::size_t most_forgotten = 1000; ///< entries that can be remembered

    RunQueue& self;
    EngineWorker& worker;
    std::filesystem::path file;
    std::vector<Entry> entries;
    std::vector<std::vector<std::pair<int, Entry>>> removed; ///< newest removal last; rows descend within each
    std::vector<std::pair<int, Entry>> forgotten;            ///< with their rows, newest last
    quint64 next_id = 1;
    quint64 start_after = 0; ///< the save after which an entry is given to the worker; 0: none
    bool paused = false, started = false;
    int failures = 0;    ///< in a row, for the reason below
    bool told = false;   ///< whether failing() was emitted for that reason
    QString failed_last; ///< reason() of the last failure
    Issue issue;
    FileSaver saver; ///< declared last, so that it writes what waits before the rest is destroyed
};

} // namespace denoir::app
