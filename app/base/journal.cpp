// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/journal.h"

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "app/base/text.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/own_folders.h"

namespace denoir::app {
namespace {

constexpr std::uintmax_t longest_file = 1 << 20;
constexpr std::size_t longest_line = 2000;

const char* word_of(Journal::Level level) {
    switch (level) {
    case Journal::Level::info:
        return "";
    case Journal::Level::warning:
        return "warning: ";
    case Journal::Level::error:
        return "error: ";
    }
    return "";
}

} // namespace

/// Appends to the file on a thread of its own, so that nobody waits for a disk that has to wake up.
class Journal::Writer {
public:
    explicit Writer(std::filesystem::path file) : file_(std::move(file)) {
        thread_ = std::jthread([this](const std::stop_token& end) { loop(end); });
    }
    void put(const std::string& line) {
        const std::lock_guard lock(mutex_);
        waiting_ += line;
        wake_.notify_all();
    }
    void flush() {
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return waiting_.empty() && !writing_; });
    }

private:
    void loop(const std::stop_token& end) {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, end, [this] { return !waiting_.empty(); });
            if (waiting_.empty()) return; // stopped, and everything is written
            const std::string text = std::exchange(waiting_, {});
            writing_ = true;
            lock.unlock();
            write(text);
            lock.lock();
            writing_ = false;
            done_.notify_all();
        }
    }
    void write(const std::string& text) const {
        std::error_code code;
        std::filesystem::create_directories(file_.parent_path(), code);
        const auto size = std::filesystem::file_size(file_, code);
        if (!code && size > longest_file) std::filesystem::rename(file_, file_.parent_path() / "log.1.txt", code);
        std::ofstream(file_, std::ios::app | std::ios::binary) << text;
    }

    const std::filesystem::path file_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::condition_variable done_;
    std::string waiting_;
    bool writing_ = false;
    std::jthread thread_; ///< declared last, so that it is joined before the rest is destroyed
};

Journal::Journal(QObject* parent) : QAbstractListModel(parent), file_(data_folder() / "log.txt") {
    writer_ = std::make_unique<Writer>(file_);
    log::set_sink([this](log::Level level, std::string_view text) {
        const Level mine = level == log::Level::warning ? Level::warning : Level::info;
        // The file gets the line at once: if the program is about to end, the queued call is never made.
        QMetaObject::invokeMethod(
            this, [this, line = write(mine, to_qstring(text), 0)] { show(line); }, Qt::QueuedConnection);
    });
}

Journal::~Journal() { log::set_sink({}); }

void Journal::add(Level level, const QString& text, quint64 entry) { show(write(level, text, entry)); }

Journal::Line Journal::write(Level level, const QString& text, quint64 entry) {
    Line line{QDateTime::currentDateTime(), level, entry,
              to_qstring(printable(text.simplified().toStdString(), longest_line))};
    writer_->put((line.time.toString(Qt::ISODate) + QLatin1Char(' ') + QLatin1String(word_of(level)) + line.text +
                  QLatin1Char('\n'))
                     .toStdString());
    return line;
}

void Journal::show(Line line) {
    if (int(lines_.size()) == most_lines) {
        beginRemoveRows({}, 0, 0);
        lines_.pop_front();
        endRemoveRows();
    }
    const int row = int(lines_.size());
    beginInsertRows({}, row, row);
    lines_.push_back(std::move(line));
    endInsertRows();
}

void Journal::flush() { writer_->flush(); }

int Journal::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(lines_.size()); }

QVariant Journal::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const Line& line = lines_[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return line.text;
    case TimeRole:
        return line.time;
    case LevelRole:
        return int(line.level);
    case EntryRole:
        return line.entry;
    default:
        return {};
    }
}

} // namespace denoir::app
