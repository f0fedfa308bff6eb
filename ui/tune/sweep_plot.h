// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <optional>
#include <vector>

namespace denoir::app {
class SweepDocument;
}

namespace denoir::ui {

/// Shows what quality costs: each cell's PSNR against the seconds that it took. A click picks the nearest one, Left and
/// Right go from point to point.
class SweepPlot : public QWidget {
    Q_OBJECT
public:
    explicit SweepPlot(app::SweepDocument& sweeps, QWidget* parent = nullptr);
    void set_current(std::size_t cell);
    struct Point {
        std::size_t cell;
        double seconds, psnr;
    };
    std::vector<Point> points() const; ///< of the measured cells, sorted by seconds
    QPointF position(const Point& point) const;
    QSize sizeHint() const override { return {212, 140}; }
    QSize minimumSizeHint() const override { return {160, 80}; }

signals:
    void picked(std::size_t cell);
    void activated(std::size_t cell);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Range {
        double low = 0, high = 1;
    };
    QRectF area() const;
    Range seconds_range(const std::vector<Point>& points) const;
    Range psnr_range(const std::vector<Point>& points) const;
    QPointF place(const Point& point, const std::vector<Point>& all) const;
    std::optional<std::size_t> nearest(const QPointF& at) const;
    QString words(const Point& point) const;
    void paint_axes(QPainter& painter, const std::vector<Point>& all) const;
    void paint_points(QPainter& painter, const std::vector<Point>& all) const;
    void refresh();
    app::SweepDocument& sweeps_;
    std::optional<std::size_t> current_;
};

} // namespace denoir::ui
