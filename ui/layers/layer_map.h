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

/// One component of a trace comparison as a table: layers (or blocks) are rows; steps, branches and frames columns.
class LayerMapModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        LayerRole = Qt::UserRole, ///< index into TraceComparison::layers; invalid if there is none
        ErrorRole,                ///< relative error
        GeneratedRole,            ///< whether the error is made there
        FirstRole                 ///< whether it is the first place where one is made
    };
    using QAbstractTableModel::QAbstractTableModel;

    /// `found` may be null.
    void show(std::shared_ptr<const metrics::TraceComparison> found, const std::string& component, bool by_block);
    const TraceMap& map() const { return map_; }
    /// The cell of a layer; invalid if it belongs to another component.
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
    QStringList columns_;                      ///< names of columns in the studio's language
    std::optional<std::pair<int, int>> first_; ///< row and column of the first place where an error is made
};

/// A header with the names of steps written from bottom to top, so that many fit side by side.
class StepHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit StepHeader(QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
};

/// The map: a cell's colour is its error on a logarithmic scale; a frame means that the error is made there, a flag
/// that it is the first. Arrows move, Ctrl and the wheel or +/- zoom; from the third size on cells show their figure.
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

/// A legend of the map's colours, 1e-8 to 1.
class ErrorScale : public QWidget {
    Q_OBJECT
public:
    explicit ErrorScale(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// The text about a layer, shown on hovering and beside the histograms.
QString describe(const metrics::LayerError& layer);
QColor error_shade(double error);

} // namespace denoir::ui
