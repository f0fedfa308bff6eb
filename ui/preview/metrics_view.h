// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "app/comparison.h"

namespace denoir::ui {

/// PSNR and SSIM over the frames of two clips as two curves, with the shown frame, its values, the mean and the worst
/// frame. Hovering reads values, clicking and dragging seek; Left and Right move one frame, Home and End to the ends,
/// Enter jumps to the worst. Borrows the comparison.
class MetricsView : public QWidget {
    Q_OBJECT
public:
    explicit MetricsView(app::Comparison& comparison, QWidget* parent = nullptr);
    int frame() const { return frame_; }
    QSize sizeHint() const override { return {480, 160}; }
    QSize minimumSizeHint() const override { return {200, 96}; }

public slots:
    void set_frame(int frame);

signals:
    void frame_requested(int frame);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Plot;
    QRectF plot_area(int row) const;
    int frame_at(QPointF position) const;
    void paint_curve(QPainter& painter, int row) const;
    void paint_header(QPainter& painter) const;
    void describe();

    app::Comparison& comparison_;
    int frame_ = 0, hover_ = -1;
};

} // namespace denoir::ui
