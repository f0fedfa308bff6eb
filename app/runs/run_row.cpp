// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_row.h"

#include <sys/stat.h>
#include <unistd.h>

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QStringList>

#include "app/base/text.h"
#include "app/runs/run_words.h"
#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/core/json_fields.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/request_json.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr const char notes_name[] = "studio.json"; ///< beside the run's own files
constexpr std::size_t most_notes_bytes = 4 << 20;
constexpr qsizetype most_text = 20000; ///< characters of a prompt that the list keeps

QString text_or_empty(const Json& json, const char* key) { return to_qstring(text_of(json, key)).left(most_text); }

quint64 size_of(const fs::path& file) {
    std::error_code code;
    const auto bytes = fs::file_size(file, code);
    return code ? 0 : quint64(bytes);
}

/// Bytes of the regular files directly in a folder.
quint64 folder_bytes(const fs::path& folder) {
    quint64 bytes = 0;
    std::error_code code;
    for (const auto& file : entries_of(folder, code))
        if (file.is_regular_file(code)) bytes += size_of(file.path());
    return bytes;
}

bool is_file(const fs::path& path) {
    std::error_code code;
    return fs::is_regular_file(path, code);
}

/// The steps' files that may be removed: all but the latents that the clip is made of.
std::vector<fs::path> step_files(const RunFolder& run) {
    std::vector<fs::path> out;
    const std::set<int> stay = run.final_steps();
    for (const StepRecord& s : run.record().steps) {
        if (!stay.contains(s.step)) out.push_back(run.latents_file(s.step));
        out.push_back(run.solver_file(s.step));
    }
    return out;
}

/// The words of `text` in lower case, without the values in it.
QString letters(const QString& text) {
    QString out;
    for (const QChar c : text.toLower())
        if (c.isLetter() || c.isSpace()) out += c;
    return out.simplified();
}

/// The words of a row, "cfg" and "3", as a field of haystacks, "guidance:3 ". Empty if rows have no such field.
QByteArray field(const QString& name, const QString& value) {
    bool number = false;
    double amount = QLocale().toDouble(value, &number);
    if (!number) amount = QLocale::c().toDouble(value, &number);
    if (!number) return {};
    const std::pair<QString, const char*> names[] = {{run_words::steps(1), "steps"},
                                                     {run_words::steps(2), "steps"},
                                                     {run_words::guidance(1), "guidance"},
                                                     {run_words::seed(1), "seed"},
                                                     {run_words::frames(1), "frames"}};
    for (const auto& [words, key] : names) {
        if (letters(words) != name) continue;
        bool whole = false;
        const quint64 exact = value.toULongLong(&whole); // a seed may have more digits than a double
        return (QLatin1String(key) + QLatin1Char(':') + (whole ? QString::number(exact) : QString::number(amount)) +
                QLatin1Char(' '))
            .toUtf8();
    }
    return {};
}

/// Names of states in haystacks, in the order of RunStanding.
constexpr const char* standings[] = {"waiting", "running", "done", "failed", "cancelled", "interrupted", "unreadable"};
static_assert(std::size(standings) == std::size_t(RunStanding::unreadable) + 1);

/// The states, as haystacks have them, whose text in rows has a word that begins with `word`.
QList<QByteArray> states(const QString& word) {
    constexpr qsizetype least = 3; // letters; a shorter word would match too many states
    if (word.size() < least) return {};
    QList<QByteArray> out;
    for (std::size_t i = 0; i < std::size(standings); ++i) {
        // Only the part before the middle dot names the state: "running · decoding".
        const QString words = run_words::standing(RunStanding(i), 0, 0, {}).section(QChar(0xb7), 0, 0);
        for (const QString& each : letters(words).split(QLatin1Char(' ')))
            if (each.startsWith(word)) out << QByteArray("state:") + standings[i];
    }
    return out;
}

/// A text as it stands in haystacks, in lower case and with an x for the × of sizes.
QString folded(const QString& text) { return text.toLower().replace(QChar(0xd7), QLatin1Char('x')); }

/// For a run that has ended.
RunStanding standing_of(RunState ended) {
    return ended == RunState::done     ? RunStanding::done
           : ended == RunState::failed ? RunStanding::failed
                                       : RunStanding::cancelled;
}

/// Fills in what is known without the record: paths, sizes, files, notes.
void look_at_folder(RunRow& row, const fs::path& entry) {
    std::error_code code;
    const fs::path real = fs::canonical(entry, code);
    row.entry = to_qstring(entry);
    row.path = to_qstring(code ? entry : real);
    row.bytes = folder_bytes(entry) + folder_bytes(entry / run_file::latents) + folder_bytes(entry / run_file::solver);
    row.thumbnail = is_file(entry / run_file::thumbnail);
    row.video = is_file(entry / run_file::video);
    row.notes = RunNotes::read(entry);
}

/// Whether the folder belongs to this user; lost+found does not, if the folder of runs is the root of a disk.
bool is_ours(const fs::path& folder) {
    struct stat status {};
    return ::lstat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

} // namespace

QList<QList<QByteArray>> search_words(const QString& text) {
    QList<QList<QByteArray>> out;
    const QStringList words = folded(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (qsizetype i = 0; i < words.size(); ++i) {
        QString word = words[i];
        const QString next = words.value(i + 1);
        QByteArray pair = field(word, next);
        if (pair.isEmpty()) pair = field(next, word);
        if (!pair.isEmpty()) {
            out << QList<QByteArray>{pair, (word + QLatin1Char(' ') + next).toUtf8()};
            ++i;
            continue;
        }
        // Fields of haystacks end with a space: "steps:2 " does not find "steps:20 ".
        if (const qsizetype colon = word.indexOf(QLatin1Char(':')); colon > 0 && colon + 1 < word.size())
            for (const char* key : {"steps", "seed", "size", "frames", "guidance"})
                if (word.left(colon) == QLatin1String(key)) word += QLatin1Char(' ');
        const QLatin1String key("state:");
        out << QList<QByteArray>{word.toUtf8()} + states(word.startsWith(key) ? word.mid(key.size()) : word);
    }
    return out;
}

void RunRow::make_haystack() {
    const QString date = QDateTime::fromMSecsSinceEpoch(created).toString(QStringLiteral("yyyy-MM-dd hh:mm"));
    const QStringList all{prompt,
                          notes.name,
                          notes.prompt_template,
                          negative,
                          QStringLiteral("state:") + QLatin1String(standings[int(standing)]),
                          QStringLiteral("mode:") + mode,
                          model,
                          QStringLiteral("sampler:") + sampler,
                          date,
                          QStringLiteral("seed:%1 ").arg(seed),
                          QStringLiteral("steps:%1 ").arg(steps),
                          QStringLiteral("frames:%1 ").arg(frames),
                          QStringLiteral("size:%1x%2 ").arg(width).arg(height),
                          QStringLiteral("guidance:%1 ").arg(guidance),
                          path.section(QLatin1Char('/'), -1)};
    haystack = folded(all.join(QLatin1Char('\n'))).toUtf8();
}

QString RunRow::summary() const {
    QStringList parts;
    if (width > 0) parts << QStringLiteral("%1×%2").arg(width).arg(height);
    if (frames > 0) parts << run_words::frames(frames);
    parts << run_words::steps(steps);
    if (guidance > 0) parts << run_words::guidance(guidance);
    parts << run_words::seed(seed);
    if (branch_step >= 0) parts << QObject::tr("branch from step %1").arg(branch_step);
    return parts.join(QStringLiteral(" · "));
}

QString run_stamp(const fs::path& entry) {
    QString out;
    for (const char* name : {run_file::record, notes_name, run_file::video, run_file::thumbnail}) {
        std::error_code code;
        const auto time = fs::last_write_time(entry / name, code);
        // A folder of this user that cannot be entered may hold a run: it is listed as unreadable, not left out.
        if (code && name == std::string_view(run_file::record) &&
            (code != std::errc::permission_denied || !is_ours(entry)))
            return {};
        out += code ? QStringLiteral("-;") : QString::number(time.time_since_epoch().count()) + QLatin1Char(';');
    }
    return out;
}

RunRow read_run(const fs::path& entry) {
    RunRow row;
    row.stamp = run_stamp(entry); // taken before reading, so that a change meanwhile is noticed next time
    const RunFolder run = RunFolder::open(entry);
    const RunRecord& record = run.record();
    const Request& r = record.request;
    row.prompt = to_qstring(r.prompt).left(most_text);
    row.negative = to_qstring(r.negative_prompt.value_or("")).left(most_text);
    const Json request = to_json(r);
    row.mode = text_or_empty(request, "mode");
    row.sampler = text_or_empty(request, "sampler");
    row.model = to_qstring(r.model.filename());
    const bool at_work = record.state == RunState::running || record.state == RunState::waiting;
    // The lock tells whether a run is at work; its steps do not, since it encodes prompt and images before the first.
    row.standing = !at_work                 ? standing_of(record.state)
                   : RunFolder::busy(entry) ? RunStanding::running
                                            : RunStanding::interrupted;
    const QDateTime created = QDateTime::fromString(to_qstring(record.created), Qt::ISODate);
    row.created = created.isValid() ? created.toMSecsSinceEpoch() : 0;
    row.seed = r.seed.value_or(0);
    row.width = r.width.value_or(0), row.height = r.height.value_or(0), row.frames = r.frames.value_or(0);
    row.guidance = r.guidance.value_or(0);
    row.steps = record.total_steps;
    row.steps_done = record.steps.empty() ? 0 : record.steps.back().step;
    row.branch_step = r.start ? r.start->step : -1;
    row.seconds = record.seconds;
    if (record.error) row.issue = Issue::from(*record.error);
    for (const fs::path& file : step_files(run)) row.droppable += size_of(file);
    row.latents = record.steps.size() > 1 && is_file(run.latents_file(record.steps.front().step));
    look_at_folder(row, entry);
    row.make_haystack();
    return row;
}

RunRow unreadable_run(const fs::path& entry, const Issue& issue) {
    RunRow row;
    row.prompt = to_qstring(entry.filename());
    row.standing = RunStanding::unreadable;
    const QDateTime written = QFileInfo(to_qstring(entry / run_file::record)).lastModified();
    row.created = (written.isValid() ? written : QFileInfo(to_qstring(entry)).lastModified()).toMSecsSinceEpoch();
    row.issue = issue;
    look_at_folder(row, entry);
    row.make_haystack();
    return row;
}

RunNotes RunNotes::read(const fs::path& run) try {
    const fs::path file = run / notes_name;
    if (!is_file(file)) return {};
    const Json json = parse_json(read_text(file, most_notes_bytes), file.string());
    if (!json.is_object()) return {};
    return {json.value("starred", Json()) == true, text_or_empty(json, "name").left(200),
            text_or_empty(json, "prompt_template")};
} catch (const std::exception&) {
    return {};
}

void RunNotes::write(const fs::path& run) const {
    write_file(run / notes_name, Json{{"schema", 1},
                                      {"starred", starred},
                                      {"name", name.toStdString()},
                                      {"prompt_template", prompt_template.toStdString()}}
                                         .dump(1) +
                                     "\n");
}

quint64 drop_step_latents(const fs::path& path) {
    const RunFolder run = RunFolder::take(path); // fails while a process is at work on it
    quint64 freed = 0;
    for (const fs::path& file : step_files(run)) {
        const quint64 bytes = size_of(file);
        std::error_code code;
        if (fs::remove(file, code)) freed += bytes;
        if (code)
            throw Error(file.string(), "", "cannot be removed: " + code.message(),
                        "make its folder writable, or star the run, which keeps its steps");
    }
    return freed;
}

} // namespace denoir::app
