// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractListModel>
#include <QDateTime>
#include <deque>
#include <filesystem>
#include <memory>

namespace denoir::app {

/// What was done and what went wrong, newest last: the lines of this session for the window, and `log.txt` of the data
/// folder, which outlives it. That file is begun anew when it is longer than 1 MB; the one before stays as `log.1.txt`.
/// What the engine logs comes in by itself, from any thread. GUI thread.
class Journal : public QAbstractListModel {
    Q_OBJECT
public:
    enum class Level { info, warning, error };
    Q_ENUM(Level)
    enum Role {
        TimeRole = Qt::UserRole + 1, ///< QDateTime
        LevelRole,                   ///< Level as int
        EntryRole,                   ///< quint64, id of the queue entry it is about; 0: of none
    };
    static constexpr int most_lines = 5000; ///< the oldest go

    explicit Journal(QObject* parent = nullptr);
    ~Journal() override; ///< writes what is waiting

    /// One line; what cannot be shown in one is replaced. `entry`: of the queue.
    void add(Level level, const QString& text, quint64 entry = 0);
    const std::filesystem::path& file() const { return file_; }
    /// Blocks until the file holds every line. A disk that is full loses lines, and nothing is said of it.
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
    Line write(Level level, const QString& text, quint64 entry); ///< to the file; any thread
    void show(Line line);
    std::filesystem::path file_;
    std::deque<Line> lines_;
    std::unique_ptr<Writer> writer_;
};

} // namespace denoir::app
