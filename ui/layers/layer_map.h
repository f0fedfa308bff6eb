// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <QHeaderView>
#include <QStringList>
#include <QTableView>
#include <QWidget>

#include <memory>
#include <optional>

#include "engine/compare/trace_map.h"

namespace denoir::ui {

/// One component of a trace comparison as a table: layers (or blocks) down, steps, branches and frames across.
class LayerMapModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        LayerRole = Qt::UserRole, ///< index into TraceComparison::layers; invalid: nothing is there
        ErrorRole,                ///< relative error
        GeneratedRole,            ///< the error is made there
        FirstRole                 ///< the first place where one is made
    };
    using QAbstractTableModel::QAbstractTableModel;

    /// Null: nothing.
    void show(std::shared_ptr<const metrics::TraceComparison> found, const std::string& component, bool by_block);
    const TraceMap& map() const { return map_; }
    /// The cell that stands for a layer; invalid where it belongs to another component.
    QModelIndex index_of_layer(std::size_t layer) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const TraceMap::Cell* cell(const QModelIndex& index) const;
    std::optional<std::pair<int, int>> place_of(std::size_t layer) const;
    std::shared_ptr<const metrics::TraceComparison> found_;
    TraceMap map_;
    QStringList columns_;                      ///< their names in the window's language
    std::optional<std::pair<int, int>> first_; ///< row and column of the first place where an error is made
};

/// The names of steps, from bottom to top, so that many fit beside each other.
class StepHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit StepHeader(QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
};

/// The map: a cell's colour is its error on a logarithmic scale, a frame says that the error is made there, a flag that
/// it is the first. Arrows walk, Ctrl and wheel or +/- zoom; from the third size on cells carry their figure.
class LayerMapView : public QTableView {
    Q_OBJECT
public:
    explicit LayerMapView(QWidget* parent = nullptr);
    static constexpr int sizes = 4;
    int zoom() const { return zoom_; } ///< 0 … sizes - 1
    void set_zoom(int zoom);

signals:
    void zoomed(int zoom);

protected:
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    int zoom_ = 1;
};

/// The colours of the map and what they mean, 1e-8 to 1.
class ErrorScale : public QWidget {
    Q_OBJECT
public:
    explicit ErrorScale(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// What is told of a layer on hovering and beside the histograms.
QString describe(const metrics::LayerError& layer);
QColor error_shade(double error);

} // namespace denoir::ui
