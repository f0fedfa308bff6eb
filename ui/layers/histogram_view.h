// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include <optional>

#include "engine/metrics/tensor_difference.h"

namespace denoir::ui {

/// Shows how the values of a tensor are distributed in A and B, and how large their differences are, by powers of ten.
class HistogramView : public QWidget {
    Q_OBJECT
public:
    explicit HistogramView(QWidget* parent = nullptr);
    /// Draws nothing if it is empty.
    void show_pair(std::optional<metrics::PairHistograms> histograms);
    const std::optional<metrics::PairHistograms>& shown() const { return shown_; }
    QSize sizeHint() const override { return {280, 190}; }
    QSize minimumSizeHint() const override { return {140, 120}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    double line() const; ///< height of a line of figures
    QRectF values_area() const;
    QRectF errors_area() const;
    void paint_values(QPainter& painter) const;
    void paint_errors(QPainter& painter) const;
    std::optional<metrics::PairHistograms> shown_;
};

} // namespace denoir::ui
