// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/log_panel.h"

#include <QClipboard>
#include <QDateTime>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QIcon>
#include <QLineEdit>
#include <QListView>
#include <QPixmap>
#include <QScrollBar>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

#include "app/base/journal.h"
#include "app/base/text.h"
#include "app/studio.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/escape.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

using app::Journal;

namespace {
constexpr int picture_size = 14;
} // namespace

/// The journal as it is shown: with the time of day, an icon beside errors and warnings, and only the lines asked for.
class LogPanel::Lines : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void ask(const QString& words, quint64 entry) {
        words_ = words.simplified();
        entry_ = entry;
        invalidateFilter();
    }
    void keep_to(quint64 entry) { ask(words_, entry); }
    void search(const QString& words) { ask(words, entry_); }
    quint64 entry() const { return entry_; }

    QVariant data(const QModelIndex& index, int role) const override {
        const auto level = Journal::Level(QSortFilterProxyModel::data(index, Journal::LevelRole).toInt());
        switch (role) {
        case Qt::DisplayRole:
            return LogPanel::tr("%1  %2").arg(time(index).toString(QStringLiteral("HH:mm:ss")), text(index));
        case Qt::AccessibleTextRole:
            return level == Journal::Level::info ? text(index) : LogPanel::tr("%1: %2").arg(kind(level), text(index));
        case Qt::DecorationRole:
            return level == Journal::Level::info ? nothing_ : icon(picture(level));
        case Qt::ToolTipRole:
            return text(index);
        default:
            return QSortFilterProxyModel::data(index, role);
        }
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const QModelIndex line = sourceModel()->index(row, 0, parent);
        return (entry_ == 0 || line.data(Journal::EntryRole).toULongLong() == entry_) &&
               line.data(Qt::DisplayRole).toString().contains(words_, Qt::CaseInsensitive);
    }

private:
    QString text(const QModelIndex& index) const {
        return QSortFilterProxyModel::data(index, Qt::DisplayRole).toString();
    }
    QDateTime time(const QModelIndex& index) const {
        return QSortFilterProxyModel::data(index, Journal::TimeRole).toDateTime();
    }
    static QString kind(Journal::Level level) {
        return level == Journal::Level::error ? LogPanel::tr("error") : LogPanel::tr("warning");
    }
    static QString picture(Journal::Level level) {
        return level == Journal::Level::error ? QStringLiteral("error") : QStringLiteral("warning");
    }

    static QIcon blank() {
        QPixmap nothing(picture_size, picture_size);
        nothing.fill(Qt::transparent);
        return nothing;
    }

    const QIcon nothing_ = blank(); ///< for other lines, so that all begin at the same place
    QString words_;
    quint64 entry_ = 0;
};

LogPanel::LogPanel(Studio& studio, QWidget* parent)
    : QWidget(parent),
      lines_(new Lines(this)),
      search_(new QLineEdit(this)),
      list_(new QListView(this)),
      stack_(new QStackedWidget(this)),
      all_(new QToolButton(this)) {
    lines_->setSourceModel(&studio.core.journal);
    make_list();
    auto* column = make_layout<QVBoxLayout>(this, 0);
    column->addLayout(make_head(studio.core.journal));
    column->addWidget(stack_, 1);
    connect(lines_, &QAbstractItemModel::rowsInserted, this, &LogPanel::refresh);
    refresh();
}

void LogPanel::make_list() {
    list_->setObjectName(QStringLiteral("log-lines"));
    list_->setAccessibleName(tr("Log"));
    list_->setModel(lines_);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setUniformItemSizes(true);
    list_->setIconSize({picture_size, picture_size});
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    stack_->addWidget(new EmptyState(QStringLiteral("log"),
                                     tr("What Denoir does, and what goes wrong, is written here line by line.")));
    stack_->addWidget(list_);
    auto* keys = new QShortcut(QKeySequence::Copy, list_, nullptr, nullptr, Qt::WidgetShortcut);
    connect(keys, &QShortcut::activated, this, &LogPanel::copy);
    // Follows new lines, unless the user has scrolled up to read.
    connect(lines_, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
        const QScrollBar& bar = *list_->verticalScrollBar();
        const bool at_end = bar.value() == bar.maximum();
        if (at_end) QMetaObject::invokeMethod(list_, &QListView::scrollToBottom, Qt::QueuedConnection);
    });
}

/// The row above the list: the search, and the buttons.
QLayout* LogPanel::make_head(const Journal& journal) {
    search_->setObjectName(QStringLiteral("log-search"));
    search_->setPlaceholderText(tr("Search the log"));
    search_->setAccessibleName(search_->placeholderText());
    search_->setClearButtonEnabled(true);
    escape_clears(*search_);
    all_->setObjectName(QStringLiteral("log-all"));
    all_->setText(tr("Everything"));
    all_->setToolTip(tr("Not only of one run"));
    const auto button = [this](const QString& picture, const QString& tip, auto act) {
        auto* made = new QToolButton(this);
        set_drawing(*made, icon(picture), tip);
        connect(made, &QToolButton::clicked, this, act);
        return made;
    };
    auto* row = make_layout<QHBoxLayout>(nullptr, grid::half, {grid::unit, 2, grid::half, 2});
    row->addWidget(search_, 1);
    row->addWidget(all_);
    row->addWidget(
        button(QStringLiteral("copy"), tr("Copy the selected lines, or all that are shown"), [this] { copy(); }));
    row->addWidget(button(QStringLiteral("folder"), tr("Open the folder with log.txt"), [&journal] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(app::to_qstring(journal.file().parent_path())));
    }));
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& words) {
        lines_->search(words);
        refresh();
    });
    connect(all_, &QToolButton::clicked, this, [this] { show_entry(0); });
    return row;
}

void LogPanel::show_entry(quint64 entry) {
    search_->clear();
    lines_->keep_to(entry);
    if (lines_->rowCount() == 0) lines_->keep_to(0);
    refresh();
    list_->scrollToBottom();
    for (int row = lines_->rowCount() - 1; entry != 0 && row >= 0; --row) {
        const QModelIndex line = lines_->index(row, 0);
        if (line.data(Journal::LevelRole).toInt() != int(Journal::Level::error)) continue;
        list_->setCurrentIndex(line);
        break;
    }
}

bool LogPanel::knows(quint64 entry) const {
    const QAbstractItemModel& journal = *lines_->sourceModel();
    return !journal.match(journal.index(0, 0), Journal::EntryRole, entry, 1, Qt::MatchExactly).isEmpty();
}

void LogPanel::focus_search() { search_->setFocus(Qt::ShortcutFocusReason); }

void LogPanel::copy() const {
    QModelIndexList lines = list_->selectionModel()->selectedIndexes();
    if (lines.isEmpty())
        for (int row = 0; row < lines_->rowCount(); ++row) lines << lines_->index(row, 0);
    std::ranges::sort(lines, {}, &QModelIndex::row);
    QStringList texts;
    for (const QModelIndex& line : lines) texts << line.data(Qt::DisplayRole).toString();
    QGuiApplication::clipboard()->setText(texts.join(QLatin1Char('\n')));
}

void LogPanel::refresh() {
    stack_->setCurrentIndex(lines_->sourceModel()->rowCount() == 0 ? 0 : 1);
    all_->setVisible(lines_->entry() != 0);
}

} // namespace denoir::ui
