// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/grid_shape.h"

#include <algorithm>

#include "app/base/text.h"
#include "app/request/field_title.h"
#include "app/sweep/sweep_axes.h"

namespace denoir::ui {

GridShape::GridShape(const Sweep& sweep, const QStringList& fields) : sweep_(sweep) {
    const auto has = [this](std::size_t axis) { return std::find(order_.begin(), order_.end(), axis) != order_.end(); };
    for (const QString& field : fields)
        for (std::size_t i = 0; i < sweep.axes.size(); ++i)
            if (sweep.axes[i].field == field.toStdString() && !has(i)) order_.push_back(i);
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
        if (!has(i)) order_.push_back(i);
    at_.resize(std::size_t(pages()), 0);
}

std::size_t GridShape::length(int position) const {
    return position < int(order_.size()) ? sweep_.axes[order_[std::size_t(position)]].values.size() : 1;
}

int GridShape::rows() const {
    if (empty()) return 0;
    return flows() ? (int(length(0)) + flow_ - 1) / flow_ : int(length(0));
}

int GridShape::columns() const { return empty() ? 0 : flows() ? std::min(flow_, int(length(0))) : int(length(1)); }

std::optional<std::size_t> GridShape::cell(int row, int column) const {
    if (row < 0 || column < 0 || row >= rows() || column >= columns()) return std::nullopt;
    if (flows()) {
        const int index = row * flow_ + column;
        return index < int(length(0)) ? std::optional(std::size_t(index)) : std::nullopt;
    }
    std::vector<std::size_t> place(order_.size());
    place[order_[0]] = std::size_t(row);
    place[order_[1]] = std::size_t(column);
    for (std::size_t i = 2; i < order_.size(); ++i) place[order_[i]] = at_[i - 2];
    return sweep_.cell(place);
}

std::optional<std::pair<int, int>> GridShape::place(std::size_t cell) const {
    if (flows()) return std::pair{int(cell) / flow_, int(cell) % flow_};
    const auto place = sweep_.place(cell);
    for (std::size_t i = 2; i < order_.size(); ++i)
        if (place[order_[i]] != at_[i - 2]) return std::nullopt;
    return std::pair{int(place[order_[0]]), int(place[order_[1]])};
}

bool GridShape::turn_page(int by) {
    for (int which = pages(); which-- > 0;) {
        const int count = int(length(which + 2)), next = page(which) + by;
        if (next < 0 || next >= count) continue;
        set_page(which, next);
        for (int faster = which + 1; faster < pages(); ++faster)
            set_page(faster, by > 0 ? 0 : int(length(faster + 2)) - 1);
        return true;
    }
    return false;
}

void GridShape::show(std::size_t cell) {
    const auto place = sweep_.place(cell);
    for (std::size_t i = 2; i < order_.size(); ++i) at_[i - 2] = place[order_[i]];
}

std::vector<std::size_t> GridShape::cells() const {
    std::vector<std::size_t> out;
    for (int row = 0; row < rows(); ++row)
        for (int column = 0; column < columns(); ++column)
            if (const auto found = cell(row, column)) out.push_back(*found);
    return out;
}

QString GridShape::value(int position, std::size_t index, std::size_t longest) const {
    return app::to_qstring(value_text(sweep_.axes[order_[std::size_t(position)]], index, longest));
}

QString GridShape::row_text(int row) const { return flows() ? QString() : value(0, std::size_t(row)); }
QString GridShape::column_text(int column) const { return flows() ? QString() : value(1, std::size_t(column)); }
QString GridShape::own_text(std::size_t cell) const { return flows() ? value(0, cell, 60) : QString(); }
QString GridShape::row_title() const {
    return empty() ? QString() : app::field_title(app::to_qstring(sweep_.axes[order_[0]].field));
}
QString GridShape::column_title() const {
    return order_.size() < 2 ? QString() : app::field_title(app::to_qstring(sweep_.axes[order_[1]].field));
}
QString GridShape::page_title(int page) const {
    return app::field_title(app::to_qstring(sweep_.axes[order_[std::size_t(page) + 2]].field));
}
QStringList GridShape::page_values(int page) const {
    QStringList out;
    for (std::size_t i = 0; i < length(page + 2); ++i) out << value(page + 2, i, 60);
    return out;
}

} // namespace denoir::ui
