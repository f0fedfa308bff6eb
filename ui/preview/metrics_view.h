// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "app/compare/comparison.h"

class QToolButton;

namespace denoir::ui {

/// Shows PSNR and SSIM over the frames of two clips as two curves, with the frame shown, its values, the mean and the
/// worst frame. Hovering shows values, clicking and dragging seek; Left and Right move by one frame, Home and End to
/// the ends, Enter to the worst frame. Borrows the comparison.
class MetricsView : public QWidget {
    Q_OBJECT
public:
    explicit MetricsView(app::Comparison& comparison, QWidget* parent = nullptr);
    int frame() const { return frame_; }
    /// Sets why nothing is compared; empty if there is no B.
    void set_empty_text(const QString& text);
    QSize sizeHint() const override { return {480, 160}; }
    QSize minimumSizeHint() const override { return {200, 96}; }

public slots:
    void set_frame(int frame);

signals:
    void frame_requested(int frame);
    void worst_requested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Kind { psnr, ssim };
    /// Values of one row, and the range that its axis shows.
    struct Row {
        Kind kind;
        QRectF area;
        double low = 0, high = 1;
        bool known = false; ///< whether any frame has a value
    };
    bool is_measured(int frame) const; ///< whether there is such a frame and its figures are known
    std::optional<double> value(Kind kind, int frame) const;
    int worst(Kind kind) const; ///< the frame at the curve's lowest point; -1 if there is none or all are equal
    std::vector<Row> rows() const;
    double left() const;
    double x_of(const Row& row, int frame) const;
    double y_of(const Row& row, double value) const;
    int frame_at(const QPointF& position) const;
    void paint_row(QPainter& painter, const Row& row) const;
    void paint_axis(QPainter& painter, const Row& row) const;
    void paint_header(QPainter& painter, const Row& row) const;
    QString value_text(Kind kind, int frame) const;
    QString summary(Kind kind) const;
    void request(int frame);
    void refresh();
    void describe();

    app::Comparison& comparison_;
    QToolButton* exact_;
    QString empty_text_;
    int frame_ = 0, hover_ = -1;
    QTimer settled_; ///< describes a frame to screen readers only when it stays for a moment, not while playing
};

} // namespace denoir::ui
