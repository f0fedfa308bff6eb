// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/canvas.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/preview/accessible.h"
#include "ui/preview/difference.h"
#include "ui/preview/gl_surface.h"
#include "ui/theme/spoken.h"

namespace denoir::ui {
namespace {

constexpr double least_scale = 0.02, most_scale = 64;
constexpr double gap = 4; ///< between two pictures side by side

} // namespace

Canvas::Canvas(QWidget* parent) : QWidget(parent) {
    install_preview_roles();
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    flicker_.setInterval(500);
    connect(&flicker_, &QTimer::timeout, this, [this] { set_shows_b(!shows_b_); });
    if (gl_is_usable()) surface_ = make_gl_surface(this, [this](QPainter& painter) { paint(painter); });
    describe();
}

void Canvas::update() { (surface_ ? surface_ : static_cast<QWidget*>(this))->update(); }

void Canvas::set_pictures(const QImage& a, const QImage& b, QSize stands_for) {
    const QSizeF before = picture_size();
    const double scale_before = scale();
    a_ = a;
    b_ = b;
    stands_for_ = stands_for;
    difference_ = {};
    if (picture_size() != before) {
        // A picture of another size shows the same part: a sketch of an eighth of the size stays where the video was.
        const QSizeF now = picture_size();
        if (before.isEmpty() || now.isEmpty())
            centre_ = {now.width() / 2, now.height() / 2};
        else
            centre_ = {centre_.x() * now.width() / before.width(), centre_.y() * now.height() / before.height()};
        if (!fit_ && !before.isEmpty() && !now.isEmpty()) scale_ *= before.width() / now.width();
        clamp_centre();
    }
    // The scale also changes when one picture replaces two.
    if (picture_size() != before || scale() != scale_before) emit scale_changed(scale());
    describe();
    update();
}

void Canvas::set_labels(const ClipName& a, const ClipName& b) {
    label_a_ = a;
    label_b_ = b;
    describe();
    update();
}

void Canvas::set_message(const QString& text) {
    message_ = text;
    describe();
    update();
}

void Canvas::set_busy(bool busy) {
    if (busy == busy_) return;
    busy_ = busy;
    update();
}

void Canvas::set_mode(CompareMode mode) {
    mode_ = mode;
    shows_b_ = false;
    if (mode == CompareMode::flicker)
        flicker_.start();
    else
        flicker_.stop();
    clamp_centre();
    describe();
    emit scale_changed(scale());
    update();
}

void Canvas::set_shows_b(bool b) {
    shows_b_ = b;
    if (mode_ != CompareMode::flicker) describe();
    update();
}

void Canvas::set_wipe(double position) {
    wipe_ = std::clamp(position, 0.0, 1.0);
    update();
}

void Canvas::set_gain(int gain) {
    gain_ = std::clamp(gain, 1, 64);
    difference_ = {};
    update();
}

void Canvas::set_onion(double share) {
    onion_ = std::clamp(share, 0.0, 1.0);
    emit onion_changed(onion_);
    update();
}

void Canvas::set_shows_values(bool on) {
    shows_values_ = on;
    update();
}

void Canvas::set_focus_ring(bool on) {
    ring_ = on;
    update();
}

QSizeF Canvas::picture_size() const {
    const QSize own = a_.isNull() ? b_.size() : a_.size();
    return own.isEmpty() || stands_for_.isEmpty() ? own : stands_for_;
}

Canvas::Areas Canvas::areas() const {
    const QRectF all = rect();
    if (mode_ != CompareMode::side_by_side || !two()) return {all, {}};
    // Side by side, or one above the other if that makes them much larger (wide pictures in a narrow dock).
    const QSizeF size = picture_size();
    const double beside = std::min((all.width() - gap) / 2 / size.width(), all.height() / size.height());
    const double above = std::min(all.width() / size.width(), (all.height() - gap) / 2 / size.height());
    if (beside * 1.4 >= above) {
        const double width = (all.width() - gap) / 2;
        return {{0, 0, width, all.height()}, {width + gap, 0, width, all.height()}};
    }
    const double height = (all.height() - gap) / 2;
    return {{0, 0, all.width(), height}, {0, height + gap, all.width(), height}};
}

double Canvas::fit_scale() const {
    const QSizeF size = picture_size();
    const QRectF area = areas().first;
    if (size.isEmpty() || area.isEmpty()) return 1;
    return std::min(area.width() / size.width(), area.height() / size.height());
}

double Canvas::logical_scale() const { return fit_ ? fit_scale() : scale_ / devicePixelRatioF(); }
double Canvas::scale() const { return logical_scale() * devicePixelRatioF(); }

QRectF Canvas::placed_in(const QRectF& area) const {
    const QSizeF size = picture_size();
    if (size.isEmpty()) return {};
    const double s = logical_scale();
    const QPointF centre = fit_ ? QPointF(size.width() / 2, size.height() / 2) : centre_;
    QPointF corner = area.center() - centre * s;
    if (!fit_) { // at whole screen pixels, so that the true size is sharp
        const double dpr = devicePixelRatioF();
        corner = {std::round(corner.x() * dpr) / dpr, std::round(corner.y() * dpr) / dpr};
    }
    return {corner, size * s};
}

QRectF Canvas::picture_rect() const { return placed_in(areas().first); }

QRectF Canvas::second_rect() const {
    const QRectF area = areas().second;
    return area.isEmpty() ? QRectF() : own_place(area, b_.size());
}

/// The place of a picture that has half of the canvas for itself: if it has A's size, like A in its half; otherwise as
/// large as fits, then zoomed and moved like A.
QRectF Canvas::own_place(const QRectF& area, const QSizeF& size) const {
    const QSizeF of_a = picture_size();
    if (size == of_a) return placed_in(area);
    const QSizeF own = size.scaled(area.size(), Qt::KeepAspectRatio) * (logical_scale() / fit_scale());
    const QPointF centre = fit_ ? QPointF(0.5, 0.5) : QPointF(centre_.x() / of_a.width(), centre_.y() / of_a.height());
    return {area.center() - QPointF(centre.x() * own.width(), centre.y() * own.height()), own};
}

void Canvas::zoom_to_fit() {
    fit_ = true;
    emit scale_changed(scale());
    update();
}

void Canvas::zoom_to(double scale, std::optional<QPointF> around) {
    if (picture_size().isEmpty()) return;
    const Areas a = areas();
    const bool in_second = around && a.second.contains(*around);
    const QRectF area = in_second ? a.second : a.first, place = in_second ? second_rect() : placed_in(area);
    const QPointF fixed = around.value_or(area.center());
    const QPointF share((fixed.x() - place.left()) / place.width(), (fixed.y() - place.top()) / place.height());
    const double before = this->scale();
    fit_ = false;
    scale_ = std::clamp(scale, least_scale, most_scale);
    const QSizeF now = place.size() * (this->scale() / before), of_a = picture_size();
    const QPointF aside = fixed - area.center();
    centre_ = {(share.x() - aside.x() / now.width()) * of_a.width(),
               (share.y() - aside.y() / now.height()) * of_a.height()};
    clamp_centre();
    emit scale_changed(this->scale());
    update();
}

void Canvas::pan(QPointF by) {
    if (fit_ || picture_size().isEmpty()) return;
    centre_ -= by / logical_scale();
    clamp_centre();
    update();
}

/// Makes sure that some of the picture is always visible.
void Canvas::clamp_centre() {
    const QSizeF size = picture_size();
    centre_ = {std::clamp(centre_.x(), 0.0, size.width()), std::clamp(centre_.y(), 0.0, size.height())};
}

std::optional<QPoint> Canvas::pixel_at(QPointF position) const {
    const Areas a = areas();
    for (const QRectF& area : {a.first, a.second}) {
        if (!area.contains(position)) continue;
        const QRectF place = area == a.second ? second_rect() : placed_in(area);
        if (place.isEmpty()) continue;
        const QSize own = a_.isNull() ? b_.size() : a_.size();
        const QPointF p = position - place.topLeft();
        const QPoint pixel(static_cast<int>(std::floor(p.x() * own.width() / place.width())),
                           static_cast<int>(std::floor(p.y() * own.height() / place.height())));
        if (QRect(QPoint(0, 0), own).contains(pixel)) return pixel;
    }
    return {};
}

const QImage& Canvas::difference() {
    if (difference_.isNull()) difference_ = signed_difference(a_, b_, gain_);
    return difference_;
}

/// Why the difference cannot be shown; empty if both pictures have the same size.
QString Canvas::why_no_difference() const {
    if (a_.size() == b_.size()) return {};
    return tr("Cannot be subtracted: A is %1 × %2, B is %3 × %4")
        .arg(a_.width())
        .arg(a_.height())
        .arg(b_.width())
        .arg(b_.height());
}

bool Canvas::near_handle(QPointF position) const {
    if (mode_ != CompareMode::wipe || !two()) return false;
    const QRectF place = picture_rect();
    return std::abs(position.x() - (place.left() + wipe_ * place.width())) <= 8;
}

void Canvas::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    if (notches == 0) return event->ignore();
    zoom_to(scale() * std::pow(1.25, notches), event->position());
    event->accept();
}

void Canvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && near_handle(event->position()))
        drag_ = Drag::wipe;
    else if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton)
        drag_ = Drag::pan;
    drag_from_ = event->position();
    if (drag_ == Drag::pan && !fit_) setCursor(Qt::ClosedHandCursor);
    QWidget::mousePressEvent(event); // ignores the event, so that the view gets it and takes the focus
}

void Canvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    hover_ = at;
    if (drag_ == Drag::wipe) {
        const QRectF place = picture_rect();
        set_wipe(place.width() > 0 ? (at.x() - place.left()) / place.width() : 0.5);
    } else if (drag_ == Drag::pan) {
        pan(at - drag_from_);
        drag_from_ = at;
    } else {
        setCursor(near_handle(at) ? Qt::SplitHCursor : Qt::ArrowCursor);
    }
    if (shows_values_) update();
}

void Canvas::mouseReleaseEvent(QMouseEvent* event) {
    drag_ = Drag::none;
    setCursor(near_handle(event->position()) ? Qt::SplitHCursor : Qt::ArrowCursor);
}

void Canvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (fit_)
        zoom_to(1, event->position());
    else
        zoom_to_fit();
}

/// A tool tip says the whole of a name that was shortened.
bool Canvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString tip;
    for (const Label& each : labels()) {
        const QString whole = (each.b ? label_b_ : label_a_).whole();
        if (each.box.contains(help->pos()) && each.text != whole) tip = whole;
    }
    QToolTip::showText(help->globalPos(), tip, this); // an empty one hides the last
    return true;
}

void Canvas::leaveEvent(QEvent*) {
    hover_.reset();
    update();
}

void Canvas::resizeEvent(QResizeEvent*) {
    if (surface_) surface_->setGeometry(rect());
    emit scale_changed(scale());
}

void Canvas::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!surface_) return;
    // Whether OpenGL works is known only when the surface has been shown.
    QTimer::singleShot(1000, this, [this] {
        if (!surface_ || !isVisible() || gl_surface_works(surface_)) return;
        surface_->deleteLater();
        surface_ = nullptr;
        update();
    });
}

void Canvas::describe() {
    const QString a = label_a_.whole(), b = label_b_.whole();
    QString text;
    if (picture_size().isEmpty()) {
        text = message_;
    } else if (!two()) {
        text = a_.isNull() ? tr("B: %1").arg(b) : a;
    } else {
        switch (mode_) {
        case CompareMode::single:
            text = shows_b_ ? tr("B: %1").arg(b) : tr("A: %1").arg(a);
            break;
        case CompareMode::side_by_side:
            text = tr("A: %1, beside B: %2").arg(a, b);
            break;
        case CompareMode::wipe:
            text = tr("A: %1, wiped over B: %2").arg(a, b);
            break;
        case CompareMode::difference:
            text = why_no_difference();
            if (text.isEmpty()) text = tr("Difference of B: %2 from A: %1").arg(a, b);
            break;
        case CompareMode::flicker:
            text = tr("A: %1 in turn with B: %2").arg(a, b);
            break;
        case CompareMode::onion:
            text = tr("B: %2 over A: %1").arg(a, b);
            break;
        }
    }
    set_spoken_name(*this, tr("Picture"));
    set_spoken_description(*this, text);
}

} // namespace denoir::ui
