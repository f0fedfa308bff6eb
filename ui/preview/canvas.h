// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QPointF>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "ui/preview/clip_name.h"

namespace denoir::ui {

/// How two pictures are compared.
enum class CompareMode { single, side_by_side, wipe, difference, flicker, onion };

/// Paints one picture, or two that are zoomed and moved together, on a neutral background. Knows nothing of clips or
/// time. Uses OpenGL if gl_is_usable(), otherwise Qt's painter, with the same painting code.
class Canvas : public QWidget {
    Q_OBJECT
public:
    explicit Canvas(QWidget* parent = nullptr);
    bool uses_gl() const { return surface_ != nullptr; }

    /// Sets the pictures, which may be null. B is drawn over A's rectangle whatever its own size. If A is a smaller
    /// sketch of something, `stands_for` is the size of that, to which the scale then refers.
    void set_pictures(const QImage& a, const QImage& b, QSize stands_for = {});
    void set_labels(const ClipName& a, const ClipName& b); ///< shortened where there is no room; a tool tip has all
    void set_message(const QString& text);                 ///< shown if there is no picture: a problem, or what to do
    void set_busy(bool busy);                              ///< whether the picture shown is not yet the one asked for

    CompareMode mode() const { return mode_; }
    void set_mode(CompareMode mode);
    bool shows_b() const { return shows_b_; } ///< in single mode and flicker: B instead of A
    void set_shows_b(bool b);
    double wipe() const { return wipe_; } ///< part of the picture's width that shows A, 0 … 1
    void set_wipe(double position);
    int gain() const { return gain_; }
    void set_gain(int gain);
    double onion() const { return onion_; } ///< share of B, 0 … 1
    void set_onion(double share);
    bool shows_values() const { return shows_values_; }
    void set_shows_values(bool on);

    /// Screen pixels per pixel of the picture, or of what it stands for.
    double scale() const;
    bool fits() const { return fit_; }
    void zoom_to_fit();
    void zoom_to(double scale, std::optional<QPointF> around = {});
    void pan(QPointF by); ///< screen pixels, logical

    /// The place of picture A, and in side by side that of B, in logical pixels; empty if nothing is shown.
    QRectF picture_rect() const;
    QRectF second_rect() const;
    /// The pixel of the picture below a point of the widget.
    std::optional<QPoint> pixel_at(QPointF position) const;
    void set_focus_ring(bool on);

    QSize sizeHint() const override { return {640, 400}; }
    QSize minimumSizeHint() const override { return {160, 96}; }

signals:
    void scale_changed(double scale);
    void onion_changed(double share);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void update(); ///< updates the widget that paints
    void paint(QPainter& painter);
    struct Areas {
        QRectF first, second; ///< second: in side by side only
    };
    Areas areas() const;
    QSizeF picture_size() const;
    bool two() const { return !a_.isNull() && !b_.isNull(); }
    double logical_scale() const; ///< logical pixels per pixel of the picture
    double fit_scale() const;
    QRectF placed_in(const QRectF& area) const;
    void clamp_centre();
    void paint_picture(QPainter& painter, const QRectF& area, const QImage& picture, double opacity = 1) const;
    void paint_pictures(QPainter& painter);
    void paint_wipe(QPainter& painter, const QRectF& area);
    void paint_legend(QPainter& painter, const QRectF& area) const;
    /// The name of a clip over its picture, beside the letter of its side.
    struct Label {
        QRectF box;
        QString text; ///< as much of the name as there is room for
        bool b = false, right = false;
    };
    Label label_in(const QRectF& area, bool b, bool right) const;
    std::vector<Label> labels() const; ///< those that are painted
    void paint_label(QPainter& painter, const Label& label) const;
    void paint_values(QPainter& painter) const;
    void paint_message(QPainter& painter, const QString& text) const;
    QRectF own_place(const QRectF& area, const QSizeF& size) const;
    const QImage& difference();
    QString why_no_difference() const;
    bool near_handle(QPointF position) const;
    void describe();

    QWidget* surface_ = nullptr; ///< the one for OpenGL; null if the canvas itself paints
    QImage a_, b_, difference_;
    QSize stands_for_;
    ClipName label_a_, label_b_;
    QString message_;
    CompareMode mode_ = CompareMode::single;
    bool shows_b_ = false, busy_ = false, fit_ = true, shows_values_ = false, ring_ = false;
    double wipe_ = 0.5, onion_ = 0.5, scale_ = 1;
    int gain_ = 8;
    QPointF centre_; ///< the picture's pixel in the middle of its area
    std::optional<QPointF> hover_;
    enum class Drag { none, pan, wipe } drag_ = Drag::none;
    QPointF drag_from_;
    QTimer flicker_; ///< 1 Hz, as nothing may flash faster than 3 Hz
};

} // namespace denoir::ui
