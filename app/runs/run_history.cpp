// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_history.h"

#include <QDateTime>
#include <QEventLoop>
#include <QFileSystemWatcher>
#include <QHash>
#include <QSet>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "app/base/folder.h"
#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/base/wait_until.h"
#include "app/runs/run_index.h"
#include "app/runs/run_trash.h"
#include "engine/core/own_folders.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_folder.h"
#include "engine/session/sweep_plan.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr int rows_shown_one_by_one = 24; ///< if more change at once, resetting the model is faster
constexpr int look_again_ms = 400;        ///< how long after a change of a folder it is read
constexpr int look_at_followed_ms = 2000; ///< how often runs that other programs are at work on are read

/// Newest first; runs of the same second by name.
bool before(const RunRow& a, const RunRow& b) {
    return a.created != b.created ? a.created > b.created : a.path < b.path;
}

fs::path runs_folder() {
    try {
        return Settings::runs_folder();
    } catch (const Error&) { // there is nothing to list then
        return {};
    }
}

} // namespace

struct RunHistory::Store {
    explicit Store(RunHistory& history)
        : self(history),
          runs(runs_folder()),
          trash(runs),
          rows(first_rows()),
          scanner(runs, data_folder() / "history.sqlite", [this](RunChanges changes) {
              QMetaObject::invokeMethod(&self, [this, c = std::move(changes)]() mutable { apply(std::move(c)); });
          }) {}

    bool is_shown(const RunRow& row) const {
        if (starred_only && !row.notes.starred) return false;
        const auto has = [&row](const QByteArray& word) { return row.haystack.contains(word); };
        return std::ranges::all_of(words, [&](const auto& any) { return std::ranges::any_of(any, has); });
    }
    void find_shown() {
        shown.clear();
        for (int i = 0; i < int(rows.size()); ++i)
            if (is_shown(rows[std::size_t(i)])) shown.push_back(i);
    }
    void filter() {
        self.beginResetModel();
        find_shown();
        self.endResetModel();
    }
    int find(const QString& run) const {
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].path == run || rows[i].entry == run) return int(i);
        std::error_code code; // perhaps another spelling
        const fs::path real = fs::canonical(to_path(run), code);
        if (code || to_qstring(real) == run) return -1;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].path == to_qstring(real)) return int(i);
        return -1;
    }
    int find_entry(const QString& entry) const {
        const auto it = std::find_if(rows.begin(), rows.end(), [&](const RunRow& r) { return r.entry == entry; });
        return it == rows.end() ? -1 : int(it - rows.begin());
    }
    int shown_row(int index) const {
        const auto it = std::lower_bound(shown.begin(), shown.end(), index);
        return it != shown.end() && *it == index ? int(it - shown.begin()) : -1;
    }
    /// The path of the run that follows `row`, which is not listed any more, or of the last run if none follows. Looks
    /// among the runs that are shown or, if there is none, among all.
    QString next_to(const RunRow& row) const {
        const int index = int(std::lower_bound(rows.begin(), rows.end(), row, before) - rows.begin());
        if (const auto it = std::lower_bound(shown.begin(), shown.end(), index); it != shown.end())
            return rows[std::size_t(*it)].path;
        if (!shown.empty()) return rows[std::size_t(shown.back())].path;
        if (rows.empty()) return {};
        return rows[std::min(std::size_t(index), rows.size() - 1)].path;
    }
    const RunRow& at(int row) const { return rows[std::size_t(shown[std::size_t(row)])]; }

    void take(int index) {
        if (const int row = shown_row(index); row >= 0) {
            self.beginRemoveRows({}, row, row);
            shown.erase(shown.begin() + row);
            for (int& i : shown) i -= i > index;
            rows.erase(rows.begin() + index);
            self.endRemoveRows();
            return;
        }
        for (int& i : shown) i -= i > index;
        rows.erase(rows.begin() + index);
    }
    void take(const QStringList& entries) {
        if (entries.size() > rows_shown_one_by_one) return apply_at_once({.gone = entries});
        for (const QString& entry : entries)
            if (const int index = find_entry(entry); index >= 0) take(index);
    }
    void put(RunRow row) {
        const auto place = std::lower_bound(rows.begin(), rows.end(), row, before);
        const int index = int(place - rows.begin());
        const bool seen = is_shown(row);
        const int at = int(std::lower_bound(shown.begin(), shown.end(), index) - shown.begin());
        if (seen) self.beginInsertRows({}, at, at);
        rows.insert(place, std::move(row));
        for (int& i : shown) i += i >= index;
        if (seen) {
            shown.insert(shown.begin() + at, index);
            self.endInsertRows();
        }
    }
    void replace(int index, RunRow row) {
        const bool stays = shown_row(index) >= 0 && is_shown(row) && row.created == rows[std::size_t(index)].created;
        if (!stays) {
            take(index);
            put(std::move(row));
            return;
        }
        rows[std::size_t(index)] = std::move(row);
        const QModelIndex changed = self.index(shown_row(index));
        emit self.dataChanged(changed, changed);
    }

    /// The run at work may have got further since its folder was read.
    void update_step(RunRow& row) const {
        if (row.standing == RunStanding::running && (row.path == at_work || row.entry == at_work))
            row.steps_done = std::max(row.steps_done, step_at_work);
    }

    /// Writes notes to the run's folder, on the scanner's thread.
    void write_notes(const QString& entry, const RunNotes& notes) {
        Unwritten& waits = unwritten[entry];
        ++waits.writes;
        waits.newest = notes;
        scanner.note(entry, notes);
    }
    /// Writes notes that wait for the scanner, as it would not find the run any more, which lies at `place` now.
    void write_waiting_notes(const QString& entry, const fs::path& place) {
        const auto waits = unwritten.find(entry);
        if (waits == unwritten.end()) return;
        try {
            waits->newest.write(place);
        } catch (const Error& e) {
            issue = Issue::from(e);
            emit self.issue_changed();
        }
    }
    /// The row may have been read before the newest notes were written.
    void put_newest_notes(RunRow& row) const {
        const auto waits = unwritten.find(row.entry);
        if (waits == unwritten.end()) return;
        row.notes = waits->newest;
        row.make_haystack();
    }

    void apply(RunChanges changes) {
        if (!changes.back.isEmpty()) return emit self.read_again(changes.back);
        if (const auto waits = unwritten.find(changes.noted); waits != unwritten.end() && --waits->writes == 0)
            unwritten.erase(waits);
        for (RunRow& row : changes.rows) {
            update_step(row);
            put_newest_notes(row);
        }
        if (!changes.issue.isEmpty()) {
            issue = changes.issue;
            emit self.issue_changed();
        }
        const bool any = !changes.rows.empty() || !changes.gone.isEmpty(), complete = changes.complete;
        QStringList lost; // without what remove() took out already
        for (const QSet<QString> gone(changes.gone.begin(), changes.gone.end()); const RunRow& row : rows)
            if (gone.contains(row.entry)) lost << row.path;
        if (int(changes.rows.size()) + changes.gone.size() > rows_shown_one_by_one) {
            apply_at_once(std::move(changes));
        } else {
            take(changes.gone);
            for (RunRow& row : changes.rows) {
                const int index = find_entry(row.entry);
                index >= 0 ? replace(index, std::move(row)) : put(std::move(row));
            }
        }
        if (any || complete) follow_others();
        if (any) emit self.totals_changed();
        if (!lost.isEmpty()) emit self.lost(lost);
        if (complete) {
            looked = true;
            emit self.scanned();
        }
    }
    void apply_at_once(RunChanges changes) {
        const QSet<QString> gone(changes.gone.begin(), changes.gone.end());
        const auto is_gone = [&](const RunRow& row) { return gone.contains(row.entry); };
        if (changes.rows.empty() && std::ranges::none_of(rows, is_gone)) return; // remove() took the rows out already
        self.beginResetModel();
        QHash<QString, int> places;
        for (std::size_t i = 0; i < rows.size(); ++i) places.insert(rows[i].entry, int(i));
        for (RunRow& row : changes.rows) {
            if (const auto it = places.find(row.entry); it != places.end())
                rows[std::size_t(*it)] = std::move(row);
            else
                rows.push_back(std::move(row));
        }
        std::erase_if(rows, is_gone);
        std::sort(rows.begin(), rows.end(), before);
        find_shown();
        self.endResetModel();
    }

    /// Watches the folders of runs that another program is at work on, and reads them from time to time as well: a
    /// program that is killed changes nothing, and one may end before its folder is watched.
    void follow_others() {
        QStringList others;
        for (const RunRow& row : rows)
            if (row.standing == RunStanding::running && row.path != at_work && row.entry != at_work)
                others << row.entry;
        for (const QString& entry : std::as_const(followed))
            if (!others.contains(entry)) watcher.removePath(entry);
        for (const QString& entry : std::as_const(others))
            if (!followed.contains(entry)) watcher.addPath(entry);
        followed = others;
        if (followed.isEmpty()) return look_at_followed.stop();
        if (!look_at_followed.isActive()) look_at_followed.start();
    }
    void folder_changed(const QString& folder) {
        if (folder == to_qstring(runs)) {
            look_again.start();
        } else {
            grown << folder;
            if (!look_at_grown.isActive()) look_at_grown.start(); // not restarted: steps may follow without a pause
        }
    }
    void look_at_others() {
        grown.removeDuplicates();
        scanner.look(std::exchange(grown, {}));
    }

    /// The rows of the index, so that the list is there at once. Opens a connection of its own, since the scanner's
    /// belongs to the scanner's thread.
    static std::vector<RunRow> first_rows() {
        return RunIndex(data_folder() / "history.sqlite", QStringLiteral("denoir-runs-first")).rows();
    }
    void load() {
        std::sort(rows.begin(), rows.end(), before);
        find_shown();
        scanner.know(rows);
    }

    RunHistory& self;
    const fs::path runs;
    RunTrash trash;
    std::vector<RunRow> rows; ///< all, newest first
    std::vector<int> shown;   ///< indices into rows, ascending
    QString search;
    QList<QList<QByteArray>> words; ///< search_words() of the search
    bool starred_only = false, looked = false;
    QString at_work; ///< the run of the last set_step()
    int step_at_work = 0;
    struct Unwritten {
        int writes = 0; ///< how many the scanner has not reported yet
        RunNotes newest;
    };
    QHash<QString, Unwritten> unwritten; ///< by entry
    Issue issue;
    QFileSystemWatcher watcher;
    QTimer look_again;
    QStringList followed; ///< entries that other programs are at work on
    QStringList grown;    ///< those of them that have changed
    QTimer look_at_grown;
    QTimer look_at_followed;
    RunScanner scanner; ///< last: its thread ends before the rest goes
};

RunHistory::RunHistory(QObject* parent) : QAbstractListModel(parent), store_(std::make_unique<Store>(*this)) {
    store_->load();
    for (QTimer* timer : {&store_->look_again, &store_->look_at_grown}) {
        timer->setSingleShot(true);
        timer->setInterval(look_again_ms);
    }
    connect(&store_->look_again, &QTimer::timeout, this, &RunHistory::refresh);
    connect(&store_->look_at_grown, &QTimer::timeout, this, [this] { store_->look_at_others(); });
    store_->look_at_followed.setInterval(look_at_followed_ms);
    connect(&store_->look_at_followed, &QTimer::timeout, this, [this] {
        if (store_->scanner.idle()) store_->scanner.look(store_->followed);
    });
    if (!store_->runs.empty()) store_->watcher.addPath(to_qstring(store_->runs));
    connect(&store_->watcher, &QFileSystemWatcher::directoryChanged, this,
            [this](const QString& folder) { store_->folder_changed(folder); });
    refresh();
}

RunHistory::~RunHistory() = default;

int RunHistory::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(store_->shown.size()); }

QVariant RunHistory::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const RunRow& r = store_->at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return r.notes.name.isEmpty() ? r.prompt : r.notes.name;
    case Qt::EditRole:
    case NameRole:
        return r.notes.name;
    case Qt::ToolTipRole:
        return QString(r.prompt + (r.steps > 0 ? QLatin1Char('\n') + r.summary() : QString()) +
                       (r.issue.isEmpty() ? QString() : QLatin1Char('\n') + r.issue.line()));
    case PathRole:
        return r.path;
    case PromptRole:
        return r.prompt;
    case TemplateRole:
        return r.notes.prompt_template;
    case StandingRole:
        return int(r.standing);
    case CreatedRole:
        return QDateTime::fromMSecsSinceEpoch(r.created).toUTC();
    case SeedRole:
        return QVariant::fromValue<quint64>(r.seed);
    case WidthRole:
        return r.width;
    case HeightRole:
        return r.height;
    case FramesRole:
        return r.frames;
    case StepsRole:
        return r.steps;
    case StepsDoneRole:
        return r.steps_done;
    case BranchStepRole:
        return r.branch_step;
    case GuidanceRole:
        return r.guidance;
    case SecondsRole:
        return r.seconds;
    case StarredRole:
        return r.notes.starred;
    case BytesRole:
        return QVariant::fromValue<quint64>(r.bytes);
    case ThumbnailRole:
        return r.thumbnail ? file_in(r.path, run_file::thumbnail) : QString();
    case VideoRole:
        return r.video ? file_in(r.path, run_file::video) : QString();
    case IssueRole:
        return QVariant::fromValue(r.issue);
    case SummaryRole:
        return r.summary();
    case LatentsRole:
        return r.latents;
    default:
        return {};
    }
}

bool RunHistory::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return false;
    const QString run = store_->at(index.row()).path;
    if (role == StarredRole)
        set_starred(run, value.toBool());
    else if (role == NameRole || role == Qt::EditRole)
        set_name(run, value.toString().trimmed());
    else
        return false;
    return true;
}

Qt::ItemFlags RunHistory::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    return QAbstractListModel::flags(index) | Qt::ItemIsEditable | Qt::ItemIsDragEnabled | Qt::ItemNeverHasChildren;
}

void RunHistory::set_search(const QString& text) {
    if (store_->search == text) return;
    store_->search = text;
    store_->words = search_words(text);
    store_->filter();
}
QString RunHistory::search() const { return store_->search; }

void RunHistory::set_starred_only(bool only) {
    if (store_->starred_only == only) return;
    store_->starred_only = only;
    store_->filter();
}

int RunHistory::total() const { return int(store_->rows.size()); }

int RunHistory::row_of(const QString& run) const {
    const int index = store_->find(run);
    return index < 0 ? -1 : store_->shown_row(index);
}
bool RunHistory::contains(const QString& run) const { return store_->find(run) >= 0; }

FinishedRuns RunHistory::finished_runs() const {
    FinishedRuns out;
    for (const RunRow& r : store_->rows)
        if (r.video && r.standing == RunStanding::done)
            out.add(to_path(r.path), r.seed, r.width, r.height, r.frames, r.steps);
    return out;
}

QString RunHistory::newest_done() const {
    for (const RunRow& row : store_->rows)
        if (row.standing == RunStanding::done && row.video) return row.path;
    return {};
}

RunRecord RunHistory::record(const QString& run) { return RunFolder::open(to_path(run)).record(); }

QString RunHistory::title(const QString& run) {
    QString title = RunNotes::read(to_path(run)).name;
    if (title.isEmpty()) try {
            title = to_qstring(record(run).request.prompt).simplified();
        } catch (const Error&) { // the folder's name remains
        }
    return title.isEmpty() ? to_qstring(to_path(run).filename()) : title;
}

Issue RunHistory::titled(Issue issue) {
    // The quotation marks set off a prompt that ends with a full stop.
    if (is_run_folder(to_path(issue.file))) issue.file = tr("“%1”").arg(shortened(title(issue.file), 60));
    return issue;
}

bool RunHistory::is_own_folder(const QString& path) {
    std::error_code code; // ignored: a path that does not exist stays as it is written
    const auto real = [&](const fs::path& folder) { return fs::weakly_canonical(folder, code); };
    const fs::path written = to_path(path), runs = real(runs_folder()), folder = real(written);
    if (runs.empty()) return false;
    // The path may be a link in the folder of runs, or a link from elsewhere into it.
    const bool in_runs = real(written.parent_path()) == runs || folder.parent_path() == runs;
    return in_runs || folder == runs || folder == real(data_folder());
}

bool RunHistory::is_own_name(const QString& path) {
    const fs::path data = data_place().lexically_normal();
    fs::path written = to_path(path).lexically_normal();
    if (!written.has_filename()) written = written.parent_path(); // it ends with a slash
    return written == data || written == data / "runs" || written.parent_path() == data / "runs";
}

bool RunHistory::starred(const QString& run) const {
    const int index = store_->find(run);
    return index >= 0 && store_->rows[std::size_t(index)].notes.starred;
}

void RunHistory::note(const QString& run, const std::function<void(RunNotes&)>& change) {
    const int index = store_->find(run);
    if (index < 0) return;
    RunRow row = store_->rows[std::size_t(index)];
    change(row.notes);
    row.make_haystack();
    store_->write_notes(row.entry, row.notes);
    store_->replace(index, std::move(row)); // at once, before the scanner has written the notes
}

void RunHistory::set_starred(const QString& run, bool starred) {
    note(run, [starred](RunNotes& notes) { notes.starred = starred; });
}
void RunHistory::set_name(const QString& run, const QString& name) {
    note(run, [&](RunNotes& notes) { notes.name = name.simplified().left(200); });
}

void RunHistory::set_prompt_template(const QString& run, const QString& text) {
    if (contains(run)) return note(run, [&](RunNotes& notes) { notes.prompt_template = text; });
    // The run was just made and is not in the list yet.
    RunNotes notes = RunNotes::read(to_path(run));
    notes.prompt_template = text;
    store_->write_notes(entry_of(run), notes);
}

QString RunHistory::entry_of(const QString& run) const {
    const int index = store_->find(run);
    if (index >= 0) return store_->rows[std::size_t(index)].entry;
    return to_qstring(store_->runs / to_path(run).filename());
}

QStringList RunHistory::remove(const QStringList& runs) {
    QStringList gone, entries;
    const RunRow* first = nullptr; // the removed run that came first in the list
    QHash<QString, const RunRow*> listed;
    for (const RunRow& row : store_->rows) listed.insert(row.path, &row);
    QSet<const RunRow*> seen;
    store_->trash.begin();
    for (const QString& run : runs) {
        const RunRow* row = listed.value(run);
        if (const int index = row ? -1 : store_->find(run); index >= 0) row = &store_->rows[std::size_t(index)];
        if (!row || seen.contains(row) || RunFolder::busy(to_path(row->path))) continue; // a run at work stays
        seen.insert(row);
        std::error_code code;
        const fs::path place = store_->trash.put(to_path(row->entry), code);
        if (code) {
            store_->issue = {run,
                             {},
                             tr("this run cannot be removed: %1").arg(to_qstring(code.message())),
                             tr("check the folder's rights")};
            emit issue_changed();
            continue;
        }
        store_->write_waiting_notes(row->entry, place);
        if (!first || before(*row, *first)) first = row;
        gone << row->path;
        entries << row->entry;
    }
    if (gone.isEmpty()) return gone;
    const RunRow as_it_was = *first;
    store_->take(entries);
    store_->scanner.forget(entries);
    emit totals_changed();
    emit removed(gone, store_->next_to(as_it_was));
    return gone;
}

void RunHistory::restore() {
    const QStringList entries = store_->trash.restore();
    if (entries.isEmpty()) return;
    QStringList runs;
    for (const QString& entry : entries) runs << real_path(entry);
    store_->scanner.look_again(entries, runs);
    emit restored(runs);
}
bool RunHistory::can_restore() const { return !store_->trash.empty(); }

void RunHistory::purge_trash(int older_than_days, const QStringList& but) {
    store_->scanner.purge(store_->trash.older_than(older_than_days, but));
}

void RunHistory::touch(const QString& run) { store_->scanner.look({entry_of(run)}); }
void RunHistory::set_step(const QString& run, int step) {
    store_->at_work = run;
    store_->step_at_work = step;
    const int index = store_->find(run);
    if (index < 0) return;
    RunRow row = store_->rows[std::size_t(index)];
    store_->update_step(row);
    if (row.steps_done != store_->rows[std::size_t(index)].steps_done) store_->replace(index, std::move(row));
}
void RunHistory::refresh() {
    store_->looked = false;
    store_->scanner.scan();
}
void RunHistory::rebuild() {
    store_->looked = false;
    store_->scanner.rebuild();
}

bool RunHistory::wait_scanned(int milliseconds) {
    const bool scanned = wait_until([&] { return store_->looked && store_->scanner.idle(); }, milliseconds);
    QEventLoop().processEvents(); // delivers the scanner's last message
    return scanned;
}

quint64 RunHistory::bytes() const {
    quint64 all = 0;
    for (const RunRow& row : store_->rows) all += row.bytes;
    return all;
}

RunHistory::DropPlan RunHistory::plan_drop(quint64 limit) const {
    DropPlan plan;
    // Unreadable runs do not count: nothing of them can be deleted, and others must not be deleted in their place.
    quint64 used = bytes();
    for (const RunRow& row : store_->rows)
        if (row.standing == RunStanding::unreadable) used -= std::min(used, row.bytes);
    for (auto row = store_->rows.rbegin(); row != store_->rows.rend() && used > limit; ++row) {
        if (row->notes.starred || row->droppable == 0 || row->standing != RunStanding::done) continue;
        plan.runs << row->path;
        plan.bytes += row->droppable;
        used -= std::min(used, row->droppable);
    }
    return plan;
}

void RunHistory::drop_latents(const DropPlan& plan) {
    QStringList entries;
    for (const QString& run : plan.runs) entries << entry_of(run);
    store_->scanner.drop(entries);
}

Issue RunHistory::issue() const { return store_->issue; }

} // namespace denoir::app
