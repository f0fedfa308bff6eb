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

/// Rows of run folders in a database file, so that a start need not read thousands of folders. It is one connection to
/// the database, for one thread.
class RunIndex {
public:
    /// Opens or makes `file`; a damaged one and one of another version is made anew. `connection` names it to Qt.
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

/// What the scanner found: rows that are new or have changed, and entries that are gone.
struct RunChanges {
    std::vector<RunRow> rows;
    QStringList gone;
    Issue issue;
    bool complete = false; ///< the end of a look at every folder
    QStringList back;      ///< runs that came back, which were told before this; nothing else is told with them
    QString noted;         ///< the entry whose notes were written; empty: none
};

/// Looks at run folders on a thread of low priority, on which `tell` is called.
class RunScanner {
public:
    RunScanner(std::filesystem::path runs, std::filesystem::path index, std::function<void(RunChanges)> tell);
    /// Rows that the index had at the start: their folders are read again only if their stamps have changed.
    void know(const std::vector<RunRow>& rows);
    void scan();    ///< every folder
    void rebuild(); ///< every folder, even if its stamp has not changed
    void look(const QStringList& entries);
    /// Looks at folders that came back, and tells `runs` once that is done, whatever was found.
    void look_again(const QStringList& entries, const QStringList& runs);
    /// Writes the notes of a run, then looks at it.
    void note(const QString& entry, const RunNotes& notes);
    void drop(const QStringList& entries);
    void forget(const QStringList& entries);
    /// Deletes folders, perhaps gigabytes of them. If the program ends meanwhile, the rest stays.
    void purge(std::vector<std::filesystem::path> folders);
    bool idle() const;

private:
    void post(std::function<void()> task);
    void loop(const std::stop_token& end);
    void scan_now(const std::stop_token& end);
    void look_now(const QStringList& entries, RunChanges changes = {});
    /// Remembers what was read. False if the row was told before just as it is: telling it again would only disturb the
    /// list.
    bool is_news(const RunRow& row);
    void forget_row(const QString& entry);

    const std::filesystem::path runs_, index_file_;
    std::function<void(RunChanges)> tell_;
    std::unique_ptr<RunIndex> index_;
    QHash<QString, QString> stamps_;  ///< by entry
    QHash<QString, QByteArray> told_; ///< the row last told, by entry, of folders that every look reads again
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<std::function<void()>> tasks_;
    bool working_ = false, scan_waits_ = false;
    std::stop_token end_;
    std::jthread thread_; ///< declared last, so that it is joined before the rest is destroyed
};

} // namespace denoir::app
