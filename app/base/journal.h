// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractListModel>
#include <QDateTime>
#include <deque>
#include <filesystem>
#include <memory>

namespace denoir::app {

/// What was done and what went wrong, newest last. The model holds the lines of this session; `log.txt` in the data
/// folder keeps those of earlier sessions as well. When that file is longer than 1 MiB, it becomes `log.1.txt` and a
/// new one is begun. Lines that the engine logs, on any thread, are added by themselves. GUI thread.
class Journal : public QAbstractListModel {
    Q_OBJECT
public:
    enum class Level { info, warning, error };
    Q_ENUM(Level)
    enum Role {
        TimeRole = Qt::UserRole + 1, ///< QDateTime
        LevelRole,                   ///< Level as int
        EntryRole,                   ///< quint64, id of the queue entry that the line is about, or 0
    };
    static constexpr int most_lines = 5000; ///< the oldest lines are removed beyond that

    explicit Journal(QObject* parent = nullptr);
    ~Journal() override; ///< writes what is waiting

    /// Adds one line; characters that cannot be shown in a line are replaced. `entry`: see EntryRole.
    void add(Level level, const QString& text, quint64 entry = 0);
    const std::filesystem::path& file() const { return file_; }
    /// Blocks until every line is written. Lines that cannot be written, as on a full disk, are lost without a message.
    void flush();

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Line {
        QDateTime time;
        Level level;
        quint64 entry;
        QString text;
    };
    class Writer;
    Line write(Level level, const QString& text, quint64 entry); ///< writes to the file; any thread
    void show(Line line);
    std::filesystem::path file_;
    std::deque<Line> lines_;
    std::unique_ptr<Writer> writer_;
};

} // namespace denoir::app
