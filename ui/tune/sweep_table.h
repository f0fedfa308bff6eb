// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <QWidget>

#include "ui/studio.h"

class QSortFilterProxyModel;
class QStackedWidget;
class QTreeView;

namespace denoir::app {
class SweepDocument;
}

namespace denoir::ui {

class SweepPlot;

/// A row for each cell of the sweep shown: the axes' values, state, seconds, PSNR, SSIM, worst frame.
class SweepModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { CellRole = Qt::UserRole + 1, SortRole };
    explicit SweepModel(app::SweepDocument& sweeps, QObject* parent = nullptr);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// Whether the column holds figures, which are short and must be read to their ends.
    bool is_figure(int column) const { return column > axes() + state; }
    bool holds_nothing(int column) const; ///< no clip has such a figure (yet)

private:
    enum Figure { state, seconds, psnr, ssim, worst, figures };
    int axes() const;
    QVariant sort_value(std::size_t cell, int column) const;
    QString text(std::size_t cell, int column, std::size_t longest = 48) const;
    app::SweepDocument& sweeps_;
};

/// The table, which can be sorted by any column, and beside it a plot of PSNR against seconds.
class SweepTable : public QWidget {
    Q_OBJECT
public:
    explicit SweepTable(Studio& studio, QWidget* parent = nullptr);
    QTreeView& table() { return *table_; }
    SweepPlot& plot() { return *plot_; }
    void set_current(std::size_t cell);

signals:
    void picked(std::size_t cell);
    void activated(std::size_t cell);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fit();
    int around() const;
    void fit_columns();
    void share_room();
    std::size_t cell_of(const QModelIndex& index) const;
    app::SweepDocument& sweeps_;
    SweepModel* model_;
    QSortFilterProxyModel* sorted_;
    QTreeView* table_;
    SweepPlot* plot_;
    QStackedWidget* stack_;
    bool following_ = false;
};

} // namespace denoir::ui
