// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <optional>
#include <utility>
#include <vector>

#include "engine/session/sweep.h"

namespace denoir::ui {

/// The places of a sweep's cells in a grid: the first axis are the rows, the second the columns, others the pages; a
/// single axis flows in lines. The order of the axes is only for viewing: changing it computes nothing.
class GridShape {
public:
    GridShape() = default;
    /// `fields` is the wanted order of axes; others follow in the order of the sweep.
    GridShape(const Sweep& sweep, const QStringList& fields);

    bool empty() const { return order_.empty(); }
    bool flows() const { return order_.size() == 1; }
    /// Sets the number of columns of a grid that flows.
    void set_flow(int columns) { flow_ = columns; }
    int rows() const;
    int columns() const;
    /// The cell at a place of the page shown; empty beyond the end of a grid that flows.
    std::optional<std::size_t> cell(int row, int column) const;
    /// The row and column of a cell; empty if it is on another page.
    std::optional<std::pair<int, int>> place(std::size_t cell) const;
    std::vector<std::size_t> cells() const; ///< of the page shown

    QString row_text(int row) const;
    QString column_text(int column) const;
    QString row_title() const;
    QString column_title() const;
    /// The value of a cell in a grid that flows; otherwise empty.
    QString own_text(std::size_t cell) const;

    /// The number of axes that are pages.
    int pages() const { return order_.size() > 2 ? int(order_.size()) - 2 : 0; }
    QString page_title(int page) const;
    QStringList page_values(int page) const;
    int page(int which) const { return int(at_[std::size_t(which)]); }
    void set_page(int which, int value) { at_[std::size_t(which)] = std::size_t(value); }
    /// Turns to the next (1) or previous (-1) page, of which the last axis changes fastest. Returns false, and changes
    /// nothing, if there is none.
    bool turn_page(int by);
    /// Turns to the page that a cell is on.
    void show(std::size_t cell);

private:
    std::size_t length(int position) const;
    QString value(int position, std::size_t index, std::size_t longest = 400) const;
    Sweep sweep_;
    std::vector<std::size_t> order_; ///< the sweep's axis at each position: rows, columns, pages
    std::vector<std::size_t> at_;    ///< index of the value shown, for each axis that is a page
    int flow_ = 1;
};

} // namespace denoir::ui
