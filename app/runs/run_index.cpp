// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_index.h"

#include <QDataStream>
#include <QFile>
#include <QIODevice>
#include <QSet>
#include <QSqlError>
#include <QSqlQuery>
#include <algorithm>

#include "app/base/low_priority.h"
#include "app/base/text.h"
#include "engine/pipeline/run_layout.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr int index_version = 8; ///< rises with each change of the table, of with_fields() or of haystacks
constexpr int scanner_nice = 10;
constexpr std::size_t batch = 256;

/// Calls each(field, …) with everything that is stored of a row except its entry, in the order of storage.
template <class Row, class Each> void with_fields(Row& r, Each each) {
    each(r.path, r.stamp, r.notes.name, r.prompt, r.negative, r.notes.prompt_template, r.standing, r.mode, r.model,
         r.sampler, r.created, r.seed, r.width, r.height, r.frames, r.steps, r.steps_done, r.branch_step, r.guidance,
         r.seconds, r.bytes, r.droppable, r.notes.starred, r.thumbnail, r.video, r.latents, r.issue.file, r.issue.field,
         r.issue.message, r.issue.hint, r.haystack);
}

QByteArray pack(const RunRow& row) {
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out.setVersion(QDataStream::Qt_6_4);
    with_fields(row, [&out](const auto&... field) { (out << ... << field); });
    return bytes;
}

/// Empty for folders that must be read again although no file has changed: a run at work, whose program may have been
/// killed, and one that could not be read, whose rights may have changed.
QString trusted_stamp(const RunRow& row) {
    const bool trusted = row.standing != RunStanding::running && row.standing != RunStanding::unreadable;
    return trusted ? row.stamp : QString();
}

/// Throws if there is no run.
RunRow read_or_tell(const fs::path& entry) try { return read_run(entry); } catch (const std::exception&) {
    std::error_code code;
    const bool is_run = fs::is_regular_file(entry / run_file::record, code);
    if (!is_run && code != std::errc::permission_denied) throw;
    return unreadable_run(entry, Issue::from_current_exception());
}

bool unpack(const QByteArray& bytes, RunRow& row) {
    QDataStream in(bytes);
    in.setVersion(QDataStream::Qt_6_4);
    with_fields(row, [&in](auto&... field) { (in >> ... >> field); });
    row.standing = std::clamp(row.standing, RunStanding{}, RunStanding::unreadable);
    return in.status() == QDataStream::Ok && in.atEnd();
}

} // namespace

RunIndex::RunIndex(const fs::path& file, const QString& connection) : connection_(connection) {
    const QString name = to_qstring(file);
    if (open(name)) return;
    // The index is deleted: everything in it can be read from the folders again.
    QSqlDatabase::removeDatabase(connection_);
    for (const char* part : {"", "-wal", "-shm", "-journal"}) QFile::remove(name + QString::fromLatin1(part));
    if (open(name)) return;
    issue_ = {name,
              {},
              QObject::tr("the index of the runs cannot be written"),
              QObject::tr("free some space or check the folder's rights; the runs are listed all the same")};
}

RunIndex::~RunIndex() {
    QSqlDatabase::database(connection_, false).close();
    QSqlDatabase::removeDatabase(connection_);
}

bool RunIndex::run(const char* statement) const {
    QSqlQuery query(QSqlDatabase::database(connection_));
    return query.exec(QString::fromLatin1(statement));
}

bool RunIndex::open(const QString& file) {
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection_);
    database.setDatabaseName(file);
    database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000"));
    if (!database.open() || !run("PRAGMA journal_mode=WAL") || !run("PRAGMA synchronous=NORMAL")) return false;
    QSqlQuery version(database);
    if (!version.exec(QStringLiteral("PRAGMA user_version")) || !version.next()) return false;
    const int found = version.value(0).toInt();
    version.finish();
    if (found == index_version) {
        QSqlQuery check(database);
        return check.exec(QStringLiteral("SELECT entry, row FROM runs LIMIT 1"));
    }
    return run("DROP TABLE IF EXISTS runs") && run("CREATE TABLE runs (entry TEXT PRIMARY KEY, row BLOB NOT NULL)") &&
           run(qPrintable(QStringLiteral("PRAGMA user_version=%1").arg(index_version)));
}

std::vector<RunRow> RunIndex::rows() const {
    std::vector<RunRow> out;
    QSqlQuery query(QSqlDatabase::database(connection_));
    query.setForwardOnly(true);
    if (!query.exec(QStringLiteral("SELECT entry, row FROM runs"))) return out;
    while (query.next()) {
        RunRow row;
        row.entry = query.value(0).toString();
        if (!unpack(query.value(1).toByteArray(), row)) continue; // the next scan will read its folder
        out.push_back(std::move(row));
    }
    return out;
}

void RunIndex::store(const std::vector<RunRow>& rows) {
    QSqlDatabase database = QSqlDatabase::database(connection_);
    database.transaction();
    QSqlQuery query(database);
    query.prepare(QStringLiteral("INSERT OR REPLACE INTO runs (entry, row) VALUES (?, ?)"));
    for (const RunRow& row : rows) {
        query.bindValue(0, row.entry);
        query.bindValue(1, pack(row));
        query.exec();
    }
    database.commit();
}

void RunIndex::remove(const QStringList& entries) {
    QSqlDatabase database = QSqlDatabase::database(connection_);
    database.transaction();
    QSqlQuery query(database);
    query.prepare(QStringLiteral("DELETE FROM runs WHERE entry = ?"));
    for (const QString& entry : entries) {
        query.bindValue(0, entry);
        query.exec();
    }
    database.commit();
}

void RunIndex::clear() { run("DELETE FROM runs"); }

RunScanner::RunScanner(fs::path runs, fs::path index, std::function<void(RunChanges)> tell)
    : runs_(std::move(runs)), index_file_(std::move(index)), tell_(std::move(tell)) {
    thread_ = std::jthread([this](const std::stop_token& end) { loop(end); });
}

void RunScanner::know(const std::vector<RunRow>& rows) {
    QHash<QString, QString> stamps;
    QHash<QString, QByteArray> told;
    for (const RunRow& row : rows) {
        const QString stamp = trusted_stamp(row);
        stamps.insert(row.entry, stamp);
        if (stamp.isEmpty()) told.insert(row.entry, pack(row));
    }
    post([this, stamps, told] {
        stamps_ = stamps;
        told_ = told;
    });
}

void RunScanner::scan() {
    {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(scan_waits_, true)) return; // another scan is about to begin
    }
    post([this] {
        {
            const std::scoped_lock lock(mutex_);
            scan_waits_ = false;
        }
        scan_now(end_);
    });
}

void RunScanner::rebuild() {
    post([this] {
        stamps_.clear();
        told_.clear();
        index_->clear();
        scan_now(end_);
    });
}

void RunScanner::look(const QStringList& entries) {
    post([this, entries] { look_now(entries); });
}

void RunScanner::look_again(const QStringList& entries, const QStringList& runs) {
    post([this, entries, runs] {
        look_now(entries);
        tell_({.back = runs});
    });
}

void RunScanner::note(const QString& entry, const RunNotes& notes) {
    post([this, entry, notes] {
        RunChanges changes;
        changes.noted = entry;
        try {
            notes.write(to_path(entry));
        } catch (...) {
            std::error_code code;
            // A run that went to the trash took its newest notes with it: nothing is lost.
            const bool is_gone = !fs::exists(to_path(entry), code) && !code;
            if (!is_gone) changes.issue = Issue::from_current_exception();
        }
        look_now({entry}, std::move(changes));
    });
}

void RunScanner::drop(const QStringList& entries) {
    post([this, entries] {
        RunChanges changes; // told in one message, after which the window computes what else could be dropped
        for (const QString& entry : entries) {
            if (end_.stop_requested()) break;
            try {
                drop_step_latents(to_path(entry));
            } catch (...) {
                changes.issue = Issue::from_current_exception();
            }
            try {
                changes.rows.push_back(read_or_tell(to_path(entry)));
                is_news(changes.rows.back());
            } catch (const std::exception&) { // it is gone by now; the next look at all folders will tell
            }
        }
        tell_(changes);
        index_->store(changes.rows);
    });
}

void RunScanner::forget(const QStringList& entries) {
    post([this, entries] {
        for (const QString& entry : entries) forget_row(entry);
        index_->remove(entries);
        tell_({.gone = entries}); // a look at every folder may have listed them again just before
    });
}

void RunScanner::purge(std::vector<fs::path> folders) {
    post([this, folders = std::move(folders)] {
        std::error_code code;
        for (const fs::path& folder : folders)
            if (!end_.stop_requested()) fs::remove_all(folder, code); // removes a link, not where it leads
    });
}

bool RunScanner::idle() const {
    const std::scoped_lock lock(mutex_);
    return tasks_.empty() && !working_;
}

void RunScanner::post(std::function<void()> task) {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    wake_.notify_all();
}

void RunScanner::loop(const std::stop_token& end) {
    lower_priority(scanner_nice);
    end_ = end;
    index_ = std::make_unique<RunIndex>(index_file_, QStringLiteral("denoir-runs-%1").arg(quintptr(this)));
    if (!index_->issue().isEmpty()) tell_({.issue = index_->issue()});
    for (;;) {
        std::function<void()> task;
        {
            std::unique_lock lock(mutex_);
            working_ = false;
            wake_.wait(lock, end, [&] { return !tasks_.empty(); });
            // Tasks that wait at the end are still done, since notes must be written; long ones look at `end`
            // themselves.
            if (tasks_.empty()) break;
            task = std::move(tasks_.front());
            tasks_.pop_front();
            working_ = true;
        }
        task();
    }
    index_.reset();
}

bool RunScanner::is_news(const RunRow& row) {
    const QString stamp = trusted_stamp(row);
    stamps_.insert(row.entry, stamp);
    if (!stamp.isEmpty()) {
        told_.remove(row.entry);
        return true;
    }
    const QByteArray now = pack(row);
    return std::exchange(told_[row.entry], now) != now;
}

void RunScanner::forget_row(const QString& entry) {
    stamps_.remove(entry);
    told_.remove(entry);
}

void RunScanner::look_now(const QStringList& entries, RunChanges changes) {
    const auto hand_over = [&] {
        if (changes.rows.empty() && changes.gone.isEmpty() && changes.noted.isEmpty()) return;
        tell_(changes); // first, so that the list does not wait for the disk
        if (!changes.rows.empty()) index_->store(changes.rows);
        if (!changes.gone.isEmpty()) index_->remove(changes.gone);
        changes = {};
    };
    for (const QString& entry : entries) {
        if (end_.stop_requested()) break;
        try {
            changes.rows.push_back(read_or_tell(to_path(entry)));
            is_news(changes.rows.back()); // only to remember it, as it is told in any case to whoever asked
        } catch (const std::exception&) { // there is no run (any more)
            if (!stamps_.contains(entry)) continue;
            forget_row(entry);
            changes.gone << entry;
        }
        if (changes.rows.size() >= batch) hand_over();
    }
    hand_over();
}

void RunScanner::scan_now(const std::stop_token& end) {
    RunChanges changes;
    QSet<QString> seen;
    const auto hand_over = [&] {
        if (changes.rows.empty()) return;
        tell_(changes);
        index_->store(std::exchange(changes, {}).rows);
    };
    std::error_code code;
    for (fs::directory_iterator it(runs_, code), last; !code && it != last; it.increment(code)) {
        if (end.stop_requested()) return;
        const std::string name = it->path().filename().string();
        if (name.starts_with('.')) continue;
        const QString entry = to_qstring(it->path()), stamp = run_stamp(it->path());
        if (stamp.isEmpty()) continue; // it is not a run, or one that is just being made
        seen << entry;
        if (stamps_.value(entry) == stamp) continue;
        try {
            RunRow row = read_or_tell(it->path());
            if (is_news(row)) changes.rows.push_back(std::move(row));
        } catch (const std::exception&) { // it is not a run
            seen.remove(entry);
        }
        if (changes.rows.size() >= batch) hand_over();
    }
    hand_over();
    for (const QString& entry : code ? QStringList() : stamps_.keys()) // if listing failed, nothing counts as gone
        if (!seen.contains(entry)) changes.gone << entry, forget_row(entry);
    index_->remove(changes.gone);
    changes.complete = true;
    tell_(std::move(changes));
}

} // namespace denoir::app
