// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layers/layer_map.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyledItemDelegate>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "app/base/engine_text.h"
#include "app/base/local_number.h"
#include "app/base/text.h"
#include "ui/theme/colours.h"

namespace denoir::ui {
namespace {

struct CellSize {
    int width, height, font;
};
constexpr CellSize cell_sizes[LayerMapView::sizes] = {{12, 8, 7}, {22, 14, 10}, {52, 18, 11}, {72, 24, 12}};
constexpr int least_width_of_figures = 50, longest_step_name = 110;

/// Paints the cells.
class CellDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Colours& c = colours(option.palette);
        const QRect box = option.rect.adjusted(0, 0, -1, -1);
        painter->save();
        if (index.data(LayerMapModel::LayerRole).isValid()) {
            const double error = index.data(LayerMapModel::ErrorRole).toDouble();
            const QColor fill = error_shade(error);
            painter->setOpacity(error == 0 ? 0.45 : 1);
            painter->fillRect(box, fill);
            painter->setOpacity(1);
            if (box.width() >= least_width_of_figures) {
                QFont small = option.font;
                small.setPixelSize(cell_sizes[2].font);
                painter->setFont(small);
                painter->setPen(contrast(fill, Qt::white) > contrast(fill, Qt::black) && error != 0
                                    ? QColor(Qt::white)
                                    : QColor(error == 0 && c.dark ? Qt::white : Qt::black));
                painter->drawText(box, Qt::AlignCenter, index.data(Qt::DisplayRole).toString());
            }
            if (index.data(LayerMapModel::GeneratedRole).toBool()) {
                painter->setPen(QPen(c.error, 2));
                painter->drawRect(box.adjusted(1, 1, -1, -1));
            }
            if (index.data(LayerMapModel::FirstRole).toBool()) paint_flag(*painter, box, c);
        }
        if (option.state & QStyle::State_Selected) {
            painter->setPen(QPen(c.canvas, 1));
            painter->drawRect(box.adjusted(1, 1, -1, -1));
            painter->setPen(QPen(c.accent, 2));
            painter->drawRect(box);
        }
        painter->restore();
    }

private:
    static void paint_flag(QPainter& painter, const QRect& box, const Colours& c) {
        painter.setRenderHint(QPainter::Antialiasing);
        const double side = std::clamp(box.height() * 0.7, 7.0, 12.0);
        QPainterPath flag(QPointF(box.topLeft()));
        flag.lineTo(box.left() + side, box.top());
        flag.lineTo(box.left(), box.top() + side);
        flag.closeSubpath();
        painter.setPen(QPen(c.canvas, 1));
        painter.setBrush(c.error);
        painter.drawPath(flag);
        painter.setBrush(Qt::NoBrush);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
};

} // namespace

QColor error_shade(double error) {
    const auto [red, green, blue] = error_colour(error_level(error));
    return {red, green, blue};
}

QString describe(const metrics::LayerError& l) {
    const auto& d = l.difference;
    const auto dtype = [](DType t) { return app::to_qstring(std::string(info(t).name)); };
    QString text = LayerMapModel::tr("%1 %2\nrelative %3, largest %4, normalised %5, cosine %6")
                       .arg(app::to_qstring(l.parts.row()), app::engine_text(app::to_qstring(l.parts.column())),
                            app::local_number(error_text(d.relative())), app::local_number(error_text(d.max_abs)),
                            app::local_number(error_text(d.normalised())), app::local_number(d.cosine, 'f', 7));
    if (d.dtype_a != d.dtype_b)
        text += QLatin1Char('\n') + LayerMapModel::tr("%1 in A, %2 in B").arg(dtype(d.dtype_a), dtype(d.dtype_b));
    if (l.generated) text += QLatin1Char('\n') + LayerMapModel::tr("The error is made here.");
    return text;
}

void LayerMapModel::show(std::shared_ptr<const metrics::TraceComparison> found, const std::string& component,
                         bool by_block) {
    beginResetModel();
    found_ = std::move(found);
    map_ = found_ ? trace_map(*found_, component, by_block) : TraceMap{};
    columns_.clear();
    for (const std::string& name : map_.columns) columns_ << app::engine_text(app::to_qstring(name));
    first_ = found_ && found_->first ? place_of(*found_->first) : std::nullopt;
    endResetModel();
}

QModelIndex LayerMapModel::index_of_layer(std::size_t layer) const {
    const auto place = place_of(layer);
    return place ? index(place->first, place->second) : QModelIndex();
}

std::optional<std::pair<int, int>> LayerMapModel::place_of(std::size_t layer) const {
    if (!found_ || layer >= found_->layers.size() || found_->layers[layer].parts.component != map_.component) return {};
    const metrics::TraceKey& parts = found_->layers[layer].parts;
    const std::string column = parts.column().empty() ? "once" : parts.column();
    const auto row =
        std::find(map_.rows.begin(), map_.rows.end(), map_.by_block ? block_name(parts.layer) : parts.layer);
    const auto at = std::find(map_.columns.begin(), map_.columns.end(), column);
    if (row == map_.rows.end() || at == map_.columns.end()) return {};
    return std::pair(int(row - map_.rows.begin()), int(at - map_.columns.begin()));
}

int LayerMapModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(map_.rows.size()); }
int LayerMapModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(map_.columns.size());
}

const TraceMap::Cell* LayerMapModel::cell(const QModelIndex& index) const {
    const auto it = map_.cells.find({std::size_t(index.row()), std::size_t(index.column())});
    return it == map_.cells.end() ? nullptr : &it->second;
}

QVariant LayerMapModel::data(const QModelIndex& index, int role) const {
    const TraceMap::Cell* c = index.isValid() ? cell(index) : nullptr;
    if (!c) return {};
    switch (role) {
    case Qt::DisplayRole:
        return app::local_number(error_text(c->error));
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
        return describe(found_->layers[c->layer]);
    case LayerRole:
        return quint64(c->layer);
    case ErrorRole:
        return c->error;
    case GeneratedRole:
        return c->generated;
    case FirstRole:
        return first_ && *first_ == std::pair(index.row(), index.column());
    default:
        return {};
    }
}

QVariant LayerMapModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    if (orientation == Qt::Horizontal) return columns_.value(section);
    return section >= 0 && std::size_t(section) < map_.rows.size()
               ? app::to_qstring(map_.rows[std::size_t(section)]) // the name in the trace
               : QVariant();
}

StepHeader::StepHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setSectionResizeMode(QHeaderView::Fixed);
    setHighlightSections(true);
}

QSize StepHeader::sizeHint() const {
    int longest = 0;
    for (int i = 0; model() && i < count(); ++i)
        longest = std::max(longest, fontMetrics().horizontalAdvance(model()->headerData(i, Qt::Horizontal).toString()));
    return {QHeaderView::sizeHint().width(), std::clamp(longest + 10, 20, longest_step_name)};
}

void StepHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    const Colours& c = colours(palette());
    painter->save();
    painter->fillRect(rect, c.panel);
    // If columns are narrower than a line of text, only every few have their name.
    const int every =
        std::max(1, (fontMetrics().height() + sectionSize(section) - 1) / std::max(1, sectionSize(section)));
    if (section % every == 0) {
        painter->setPen(selectionModel() && selectionModel()->isColumnSelected(section) ? c.text : c.quiet);
        painter->translate(rect.left() + rect.width() / 2.0, rect.bottom() - 4);
        painter->rotate(-90);
        const QString text = fontMetrics().elidedText(model()->headerData(section, Qt::Horizontal).toString(),
                                                      Qt::ElideRight, rect.height() - 6);
        painter->drawText(QRectF(0, -fontMetrics().height() / 2.0, rect.height() - 6, fontMetrics().height()),
                          Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    painter->restore();
}

LayerMapView::LayerMapView(QWidget* parent) : QTableView(parent) {
    setAccessibleName(tr("Error of each layer in each step"));
    setItemDelegate(new CellDelegate(this));
    setHorizontalHeader(new StepHeader(this));
    setSelectionMode(SingleSelection);
    setSelectionBehavior(SelectItems);
    setEditTriggers(NoEditTriggers);
    setShowGrid(false);
    setTabKeyNavigation(false);
    setCornerButtonEnabled(false);
    setStyleSheet(QStringLiteral("QTableCornerButton::section { background: transparent; border: none; }"));
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setMinimumSectionSize(4);
    verticalHeader()->setStyleSheet(QStringLiteral("QHeaderView::section { padding: 0 6px; border: none; }"));
    verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    horizontalHeader()->setMinimumSectionSize(4);
    set_zoom(zoom_);
}

void LayerMapView::set_zoom(int zoom) {
    zoom_ = std::clamp(zoom, 0, sizes - 1);
    const CellSize& size = cell_sizes[zoom_];
    QFont small = font();
    small.setPixelSize(size.font);
    verticalHeader()->setFont(small);
    verticalHeader()->setDefaultSectionSize(size.height);
    horizontalHeader()->setDefaultSectionSize(size.width);
    if (currentIndex().isValid()) scrollTo(currentIndex());
    emit zoomed(zoom_);
}

void LayerMapView::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier)) return QTableView::wheelEvent(event);
    if (event->angleDelta().y() != 0) set_zoom(zoom_ + (event->angleDelta().y() > 0 ? 1 : -1));
    event->accept();
}

/// Beside all cells nothing is chosen: the one whose figures are shown stays marked.
void LayerMapView::mousePressEvent(QMouseEvent* event) {
    if (indexAt(event->position().toPoint()).isValid()) return QTableView::mousePressEvent(event);
    event->accept();
}

void LayerMapView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal) return set_zoom(zoom_ + 1);
    if (event->key() == Qt::Key_Minus) return set_zoom(zoom_ - 1);
    QTableView::keyPressEvent(event);
}

ErrorScale::ErrorScale(QWidget* parent) : QWidget(parent) {
    setMaximumWidth(280);
    setAccessibleName(tr("Scale of the colours: relative error from 1e-8 to 1, logarithmic"));
    setToolTip(tr("Length of the difference over the length of B, on a logarithmic scale. Framed: the error is made "
                  "there. Flag: the first such place. Pale: equal to the bit."));
}

QSize ErrorScale::sizeHint() const { return {220, minimumSizeHint().height()}; }

QSize ErrorScale::minimumSizeHint() const {
    const QFontMetrics small(small_font(font()));
    return {5 * small.horizontalAdvance(QStringLiteral("1e-8 ")), 16 + small.height()};
}

void ErrorScale::paintEvent(QPaintEvent*) {
    const Colours& c = colours(palette());
    QPainter painter(this);
    constexpr int bar = 10;
    const int margin = QFontMetrics(small_font(font())).horizontalAdvance(QStringLiteral("1e-8")) / 2;
    const int length = width() - 2 * margin;
    for (int x = 0; x < length; ++x) {
        const auto [red, green, blue] = error_colour(x / double(std::max(1, length - 1)));
        painter.fillRect(margin + x, 2, 1, bar, QColor(red, green, blue));
    }
    painter.setFont(small_font(font()));
    painter.setPen(c.quiet);
    for (int e = -8; e <= 0; e += 2) {
        const double x = margin + error_level(std::pow(10.0, e)) * length;
        painter.drawText(QRectF(x - length / 8.0, bar + 3, length / 4.0, height() - bar - 3), Qt::AlignCenter,
                         e == 0 ? QStringLiteral("1") : QStringLiteral("1e%1").arg(e));
    }
}

} // namespace denoir::ui
