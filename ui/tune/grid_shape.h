// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <optional>
#include <utility>
#include <vector>

#include "engine/session/sweep.h"

namespace denoir::ui {

/// Which cells of a sweep lie where: the first axis down the rows, the second across the columns, further ones from
/// page to page; one axis alone flows in lines. The order of the axes is the viewer's: turning the grid computes
/// nothing.
class GridShape {
public:
    GridShape() = default;
    /// `fields`: the order wanted; what is not named there follows as the sweep has it.
    GridShape(const Sweep& sweep, const QStringList& fields);

    bool empty() const { return order_.empty(); }
    bool flows() const { return order_.size() == 1; }
    /// How many cells stand beside each other in a grid that flows.
    void set_flow(int columns) { flow_ = columns; }
    int rows() const;
    int columns() const;
    /// Nothing past the end of a flowing one.
    std::optional<std::size_t> cell(int row, int column) const;
    /// The place of a cell of the page shown; nothing: it is on another one.
    std::optional<std::pair<int, int>> place(std::size_t cell) const;
    std::vector<std::size_t> cells() const; ///< of the page shown

    QString row_text(int row) const;
    QString column_text(int column) const;
    QString row_title() const;
    QString column_title() const;
    /// The value of a flowing cell, else empty.
    QString own_text(std::size_t cell) const;

    /// The axes that are pages.
    int pages() const { return order_.size() > 2 ? int(order_.size()) - 2 : 0; }
    QString page_title(int page) const;
    QStringList page_values(int page) const;
    int page(int which) const { return int(at_[std::size_t(which)]); }
    void set_page(int which, int value) { at_[std::size_t(which)] = std::size_t(value); }
    /// To the page `by` (1 or -1) further: the last axis turns fastest. False: there is none, nothing has changed.
    bool turn_page(int by);
    /// Turns to the page that a cell is on.
    void show(std::size_t cell);

private:
    std::size_t length(int position) const;
    QString value(int position, std::size_t index, std::size_t longest = 400) const;
    Sweep sweep_;
    std::vector<std::size_t> order_; ///< axis of the sweep at each position: rows, columns, pages
    std::vector<std::size_t> at_;    ///< value shown of each page axis
    int flow_ = 1;
};

} // namespace denoir::ui
