// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RunHistory: its thread, with the SQLite index that belongs to it.
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

/// Rows of run folders in a database file, so that a start need not read thousands of folders. One connection, one
/// thread.
class RunIndex {
public:
    /// Opens or makes `file`; one that is damaged or of another version is made anew. `connection` names it to Qt.
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

/// What the scanner found: rows to put in place, entries that are gone.
struct RunChanges {
    std::vector<RunRow> rows;
    QStringList gone;
    Issue issue;
    bool complete = false; ///< a look at every folder ends with this
    QString noted;         ///< the run whose notes were written, in the order of note()
};

/// Looks at run folders on a thread of low priority. `tell` is called there.
class RunScanner {
public:
    RunScanner(std::filesystem::path runs, std::filesystem::path index, std::function<void(RunChanges)> tell);
    /// The stamps that are known, from the first read of the index.
    void know(const std::vector<RunRow>& rows);
    void scan();    ///< every folder
    void rebuild(); ///< every folder, whatever is known
    void look(const QStringList& entries);
    /// Changes the notes of a run, then looks at it.
    void note(const QString& entry, const RunNotes& notes);
    void drop(const QStringList& entries);
    void forget(const QStringList& entries);
    /// Deletes folders, gigabytes perhaps; what is left at the end stays.
    void purge(std::vector<std::filesystem::path> folders);
    bool idle() const;

private:
    void post(std::function<void()> task);
    void loop(const std::stop_token& end);
    void scan_now(const std::stop_token& end);
    void look_now(const QStringList& entries, RunChanges changes = {});
    void tell(RunChanges changes);
    /// Notes what was read. False: it is as it was told last, and told again it would only disturb the list.
    bool is_news(const RunRow& row);
    void forget_row(const QString& entry);

    const std::filesystem::path runs_, index_file_;
    std::function<void(RunChanges)> tell_;
    std::unique_ptr<RunIndex> index_;
    QHash<QString, QString> stamps_;  ///< by entry
    QHash<QString, QByteArray> told_; ///< by entry, of those that every look reads again
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<std::function<void()>> tasks_;
    bool working_ = false, scan_waits_ = false;
    std::stop_token end_;
    std::jthread thread_; ///< last: joined before the rest goes
};

} // namespace denoir::app
