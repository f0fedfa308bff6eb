// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RunHistory: the thread that looks at run folders, and the SQLite index that it keeps.
#include <QHash>
#include <QSqlDatabase>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "app/runs/run_row.h"

namespace denoir::app {

/// The rows of run folders in a database file, so that the studio need not read thousands of folders as it starts. Use
/// from one thread.
class RunIndex {
public:
    /// Opens or makes `file`; a file that is damaged or of another version is replaced. `connection` is the name for
    /// Qt's connection, which must be unique.
    RunIndex(const std::filesystem::path& file, const QString& connection);
    ~RunIndex();
    std::vector<RunRow> rows() const;
    void store(const std::vector<RunRow>& rows);
    void remove(const QStringList& entries);
    void clear();
    const Issue& issue() const { return issue_; }

private:
    bool open(const QString& file);
    bool run(const char* statement) const;
    QString connection_;
    Issue issue_;
};

/// What the scanner found: new or changed rows, and entries that are gone.
struct RunChanges {
    std::vector<RunRow> rows;
    QStringList gone;
    Issue issue;
    bool complete = false; ///< ends a scan of every folder
    QString noted;         ///< the run whose notes were written; one message for each note(), in their order
};

/// Looks at run folders on a thread of low priority, on which `tell` is called.
class RunScanner {
public:
    RunScanner(std::filesystem::path runs, std::filesystem::path index, std::function<void(RunChanges)> tell);
    /// Takes the stamps of rows that were read from the index.
    void know(const std::vector<RunRow>& rows);
    void scan();    ///< looks at every folder, and reads those whose stamp has changed
    void rebuild(); ///< reads every folder, whatever its stamp
    void look(const QStringList& entries);
    /// Writes the notes of a run, then looks at it.
    void note(const QString& entry, const RunNotes& notes);
    void drop(const QStringList& entries);
    void forget(const QStringList& entries);
    /// Deletes folders, which may hold gigabytes. Those that are left when the scanner is destroyed stay.
    void purge(std::vector<std::filesystem::path> folders);
    bool idle() const;

private:
    void post(std::function<void()> task);
    void loop(const std::stop_token& end);
    void scan_now(const std::stop_token& end);
    void look_now(const QStringList& entries, RunChanges changes = {});
    void tell(RunChanges changes);
    /// Remembers what was read. Returns false if the row is the same as last time: sending it again would only disturb
    /// the list.
    bool is_news(const RunRow& row);
    void forget_row(const QString& entry);

    const std::filesystem::path runs_, index_file_;
    std::function<void(RunChanges)> tell_;
    std::unique_ptr<RunIndex> index_;
    QHash<QString, QString> stamps_;  ///< by entry
    QHash<QString, QByteArray> told_; ///< the rows sent last, by entry; only of runs that every scan reads again
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<std::function<void()>> tasks_;
    bool working_ = false, scan_waits_ = false;
    std::stop_token end_;
    std::jthread thread_; ///< declared last, so that it is joined before the rest is destroyed
};

} // namespace denoir::app
