// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/sweep_table.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLocale>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTreeView>

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "app/base/engine_text.h"
#include "app/base/text.h"
#include "app/request/field_title.h"
#include "app/studio.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "ui/theme/colours.h"
#include "ui/tune/cell_text.h"
#include "ui/tune/sweep_plot.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/make_layout.h"

namespace denoir::ui {

namespace {

/// Pixels of a column: of any, of one whose title is cut, and of one whose texts are.
constexpr int least_column = 32, least_title = 48, least_text = 56;

/// Keeps room for the arrow only in the column that is sorted, as in all columns it would take the width of another
/// one.
class SortHeader : public QHeaderView {
public:
    explicit SortHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
        setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
    QSize sectionSizeFromContents(int section) const override {
        QSize size = QHeaderView::sectionSizeFromContents(section);
        if (section == sortIndicatorSection()) return size;
        size.setWidth(std::min(size.width(), title_width(section) + 2 * beside));
        return size;
    }

protected:
    /// Qt would let the title run under the style's margins before it cuts it, and would not mark that it is cut.
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override {
        QHeaderView::initStyleOptionForIndex(option, section);
        const int missing = sectionSizeFromContents(section).width() - sectionSize(section);
        option->text = missing <= 0 ? title(section)
                                    : fontMetrics().elidedText(title(section), Qt::ElideRight,
                                                               std::max(0, title_width(section) - missing));
    }

private:
    static constexpr int beside = 8; ///< margin of titles
    QString title(int section) const { return model()->headerData(section, Qt::Horizontal).toString(); }
    int title_width(int section) const { return fontMetrics().horizontalAdvance(title(section)); }
};

} // namespace

SweepModel::SweepModel(app::SweepDocument& sweeps, QObject* parent) : QAbstractTableModel(parent), sweeps_(sweeps) {
    const auto anew = [this] {
        beginResetModel();
        endResetModel();
    };
    connect(&sweeps_, &app::SweepDocument::shown_changed, this, anew);
    connect(&sweeps_, &app::SweepDocument::cells_changed, this, [this](std::vector<std::size_t> cells) {
        std::sort(cells.begin(), cells.end());
        // One signal for adjacent cells, as each makes the table sort and measure itself.
        for (auto first = cells.begin(); first != cells.end() && int(*first) < rowCount();) {
            auto last = first;
            while (std::next(last) != cells.end() && *std::next(last) <= *last + 1) ++last;
            emit dataChanged(index(int(*first), 0), index(std::min(int(*last), rowCount() - 1), columnCount() - 1));
            first = std::next(last);
        }
    });
    connect(&sweeps_, &app::SweepDocument::reference_changed, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

int SweepModel::axes() const { return sweeps_.shown() ? int(sweeps_.shown()->sweep().axes.size()) : 0; }

int SweepModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !sweeps_.shown() ? 0 : int(sweeps_.shown()->size());
}

int SweepModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : axes() + figures; }

bool SweepModel::holds_nothing(int column) const {
    if (!is_figure(column)) return false;
    for (int row = 0; row < rowCount(); ++row)
        if (!text(std::size_t(row), column).isEmpty()) return false;
    return true;
}

QString SweepModel::text(std::size_t cell, int column, std::size_t longest) const {
    const app::OpenSweep& sweep = *sweeps_.shown();
    if (column < axes()) {
        const std::size_t axis = std::size_t(column);
        return app::to_qstring(value_text(sweep.sweep().axes[axis], sweep.sweep().place(cell)[axis], longest));
    }
    const SweepCell& c = sweep.cell(cell);
    if (column - axes() != state && !sweep.has_video(cell)) return {}; // figures of a run that is gone may be left
    switch (column - axes()) {
    case state: {
        const auto view = sweeps_.cell(cell);
        if (view.state == app::SweepDocument::State::failed && !view.issue.isEmpty()) return view.issue.line();
        if (c.reused && sweep.has_video(cell)) return tr("reused");
        return state_text(view).section(QStringLiteral(" · "), 0, 0); // the time left would need the figures' room
    }
    case seconds:
        return app::duration_text(c.seconds);
    case psnr:
        if (c.figures && !is_compared(c)) return tr("not comparable");
        return psnr_text(sweep, cell);
    case ssim:
        return c.figures && c.figures->ssim ? QLocale().toString(*c.figures->ssim, 'f', 4) : QString();
    case worst:
        return c.figures && c.figures->worst_frame ? QString::number(*c.figures->worst_frame + 1) : QString();
    default:
        return {};
    }
}

/// Values are sorted in the order of their axis; unknown figures come last if the best is first.
QVariant SweepModel::sort_value(std::size_t cell, int column) const {
    const app::OpenSweep& sweep = *sweeps_.shown();
    if (column < axes()) return qulonglong(sweep.sweep().place(cell)[std::size_t(column)]);
    const SweepCell& c = sweep.cell(cell);
    constexpr double unknown = -1, best = std::numeric_limits<double>::max();
    if (column - axes() != state && !sweep.has_video(cell)) return unknown;
    switch (column - axes()) {
    case seconds:
        return c.seconds;
    case psnr:
        if (is_reference(sweep, cell)) return best;
        if (!is_compared(c)) return unknown;
        return c.figures->psnr.value_or(best);
    case ssim:
        return c.figures && c.figures->ssim ? *c.figures->ssim : unknown;
    case worst:
        return c.figures && c.figures->worst_frame ? double(*c.figures->worst_frame) : unknown;
    default:
        return text(cell, column);
    }
}

QVariant SweepModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto cell = std::size_t(index.row());
    if (role == CellRole) return qulonglong(cell);
    if (role == SortRole) return sort_value(cell, index.column());
    if (role == Qt::ToolTipRole && index.column() == axes() + psnr)
        if (const auto& f = sweeps_.shown()->cell(cell).figures; f && !f->note.empty())
            return app::engine_text(app::to_qstring(f->note));
    if (role == Qt::ToolTipRole && index.column() == axes() + state)
        if (sweeps_.shown()->cell(cell).reused && sweeps_.shown()->has_video(cell)) return tr("done, rendered before");
    if (role == Qt::ToolTipRole) return text(cell, index.column(), 400);
    if (role == Qt::DisplayRole) return text(cell, index.column());
    if (role == Qt::TextAlignmentRole && index.column() > axes()) return int(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant SweepModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section > axes() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    if (section < axes())
        return app::field_title(app::to_qstring(sweeps_.shown()->sweep().axes[std::size_t(section)].field));
    const QString titles[] = {tr("State"), tr("Time"), tr("PSNR"), tr("SSIM"), tr("Worst frame")};
    return section - axes() < figures ? titles[section - axes()] : QVariant();
}

SweepTable::SweepTable(Studio& studio, QWidget* parent)
    : QWidget(parent),
      sweeps_(studio.core.sweeps()),
      model_(new SweepModel(sweeps_, this)),
      sorted_(new QSortFilterProxyModel(this)),
      table_(new QTreeView(this)),
      plot_(new SweepPlot(sweeps_, this)),
      stack_(new QStackedWidget(this)) {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(SweepModel::SortRole);
    table_->setObjectName(QStringLiteral("sweep-table"));
    table_->setAccessibleName(tr("What the clips differ in"));
    table_->setHeader(new SortHeader(table_));
    table_->setModel(sorted_);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setAllColumnsShowFocus(true);
    table_->setSortingEnabled(true);
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->header()->setStretchLastSection(false);
    table_->header()->setMinimumSectionSize(least_column);
    plot_->setObjectName(QStringLiteral("sweep-plot"));
    auto* both = new QWidget(this);
    auto* row = make_layout<QHBoxLayout>(both, grid::unit);
    row->addWidget(table_, 1);
    row->addWidget(plot_);
    stack_->addWidget(new EmptyState(QStringLiteral("chart"),
                                     tr("A line for each clip of a sweep: its values, how long it took, how far it is "
                                        "from the reference.")));
    stack_->addWidget(both);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(stack_);
    table_->header()->setSectionResizeMode(QHeaderView::Fixed);
    table_->header()->setResizeContentsPrecision(64);
    const auto show = [this] { stack_->setCurrentIndex(sweeps_.shown() ? 1 : 0); };
    connect(&sweeps_, &app::SweepDocument::shown_changed, this, show);
    show();
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (!following_ && index.isValid()) emit picked(cell_of(index));
    });
    connect(table_, &QTreeView::activated, this, [this](const QModelIndex& index) { emit activated(cell_of(index)); });
    connect(table_->header(), &QHeaderView::sortIndicatorChanged, this, &SweepTable::fit);
    connect(sorted_, &QAbstractItemModel::modelReset, this, &SweepTable::fit);
    connect(sorted_, &QAbstractItemModel::dataChanged, this, &SweepTable::fit);
    connect(plot_, &SweepPlot::picked, this, &SweepTable::picked);
    connect(plot_, &SweepPlot::activated, this, &SweepTable::activated);
}

std::size_t SweepTable::cell_of(const QModelIndex& index) const {
    return std::size_t(index.data(SweepModel::CellRole).toULongLong());
}

void SweepTable::set_current(std::size_t cell) {
    plot_->set_current(cell);
    if (int(cell) >= model_->rowCount()) return;
    following_ = true;
    const QModelIndex index = sorted_->mapFromSource(model_->index(int(cell), 0));
    table_->setCurrentIndex(index);
    table_->scrollTo(index);
    following_ = false;
}

void SweepTable::fit() {
    plot_->setVisible(width() >= 640);
    fit_columns();
    share_room();
}

/// Hides columns without a figure, and lets the others share the room that the plot leaves them at its minimum. If it
/// is too little, the widest become narrower first: texts and titles are cut then, which tool tips tell, but never
/// figures.
void SweepTable::fit_columns() {
    constexpr int widest = 240; // cuts long reasons of failures
    QHeaderView& header = *table_->header();
    const QAbstractItemView& view = *table_; // QTreeView keeps the hint to itself
    struct Column {
        int index, least, wanted;
    };
    std::vector<Column> columns;
    for (int i = 0; i < model_->columnCount(); ++i) {
        header.setSectionHidden(i, model_->holds_nothing(i));
        if (header.isSectionHidden(i)) continue;
        const int content = std::max(view.sizeHintForColumn(i), least_column), title = header.sectionSizeHint(i);
        const int wanted = std::min(std::max(content, title), widest);
        const int least = model_->is_figure(i) ? std::max(content, std::min(title, least_title))
                                               : std::min(std::max(content, std::min(title, least_title)), least_text);
        columns.push_back({i, std::min(least, wanted), wanted});
    }
    const int room = width() - around() - (plot_->isHidden() ? 0 : plot_->minimumSizeHint().width() + grid::unit);
    const auto size = [](const Column& column, int most) { return std::clamp(most, column.least, column.wanted); };
    int most = widest;
    const auto fits = [&] {
        int all = 0;
        for (const Column& column : columns) all += size(column, most);
        return all <= room;
    };
    while (most > least_column && !fits()) --most;
    for (const Column& column : columns) header.resizeSection(column.index, size(column, most));
}

/// What the table needs beside its columns. Room for a scroll bar is always kept: if it depended on whether one is
/// shown, both could change without end.
int SweepTable::around() const { return 2 * table_->frameWidth() + table_->verticalScrollBar()->sizeHint().width(); }

/// Gives the plot what the table's columns leave, but at least its minimum.
void SweepTable::share_room() {
    const int columns = table_->header()->length() + around();
    plot_->setFixedWidth(
        std::clamp(width() - columns - grid::unit, plot_->minimumSizeHint().width(), plot_->sizeHint().width()));
}

void SweepTable::resizeEvent(QResizeEvent*) { fit(); }

void SweepTable::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
}

} // namespace denoir::ui
