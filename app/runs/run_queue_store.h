// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RunQueue: its entries, their file, and what becomes of them.
#include <functional>
#include <utility>
#include <vector>

#include "app/base/file_saver.h"
#include "app/runs/run_queue_entry.h"

namespace denoir::app {

struct RunQueue::Store {
    Store(RunQueue& queue, EngineWorker& engine);
    int find(quint64 id) const;    ///< row; -1: none
    int find_job(JobId job) const; ///< row; -1: none
    Entry& at(int row) { return entries[std::size_t(row)]; }
    /// The entry of a job, if it is one of the queue's.
    template <class Change> void change(JobId job, Change&& by) {
        const int row = find_job(job);
        if (row < 0) return;
        by(at(row));
        changed(row);
    }
    const Entry* at_work() const; ///< null: none
    int first_waiting() const;    ///< row; the number of entries where none waits
    void changed(int row);
    quint64 save();                     ///< begins to write the file; its serial for saved()
    void read(const std::string& text); ///< the file's. Throws Error naming it.
    /// Gives the next entry to the worker, once it stands in the file that it is at work.
    void pump();
    void saved(quint64 serial); ///< the file is written up to there
    void end(int row, State state);
    /// Pauses where what waits would likely fail for the reason of the last ones: a model or a disk that is gone.
    void mind_failures(State state, const Issue& why, const QString& run);
    QString reason(const Issue& failure, const QString& run) const;
    void trim(); ///< forgets the oldest of very many that ended
    Entry take(int row);
    void put(int row, Entry e);
    void put(int row, std::vector<Entry> several); ///< the first at `row`
    quint64 add(Entry e, bool next);
    /// Takes entries out, to be brought back by undo_clear().
    void remove_if(const std::function<bool(const Entry&)>& goes);

    static constexpr std::size_t most_removed = 200;    ///< removals that can be undone
    static constexpr std::size_t most_forgotten = 1000; ///< entries that can be remembered

    RunQueue& self;
    EngineWorker& worker;
    std::filesystem::path file;
    std::vector<Entry> entries;
    std::vector<std::vector<std::pair<int, Entry>>> removed; ///< newest last; in each from the last row to the first
    std::vector<std::pair<int, Entry>> forgotten;            ///< with their rows, newest last
    quint64 next_id = 1, start_after = 0; ///< start_after: serial of the file that must be written first; 0: none
    bool paused = false, started = false;
    int failures = 0;    ///< in a row, for the reason below
    bool told = false;   ///< of that reason
    QString failed_last; ///< reason()
    Issue issue;
    FileSaver saver; ///< last: writes what is waiting before the rest goes
};

} // namespace denoir::app
