// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/scrubber.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/theme/colours.h"

namespace denoir::ui {

Scrubber::Scrubber(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setMouseTracking(true);
    setTracking(false); // so that while a clip plays only the position changes; see show_frame()
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Frame"));
    setCursor(Qt::PointingHandCursor);
    set_frames(0);
    connect(this, &QAbstractSlider::actionTriggered, this, [this] { emit seek_requested(sliderPosition()); });
}

void Scrubber::set_frames(int frames) {
    setRange(0, std::max(0, frames - 1));
    setPageStep(std::max(1, frames / 10));
    setEnabled(frames > 1);
    update();
}

void Scrubber::set_cached(std::vector<std::pair<int, int>> ranges) {
    if (ranges == cached_) return;
    cached_ = std::move(ranges);
    update();
}

void Scrubber::set_mark(int frame) {
    if (frame == mark_) return;
    mark_ = frame;
    update();
}

void Scrubber::show_frame(int frame, bool playing) {
    if (playing)
        setSliderPosition(frame);
    else
        setValue(frame);
}

QRectF Scrubber::track() const { return {8, height() / 2.0 - 3, width() - 16.0, 6}; }

double Scrubber::position_of(double frame) const {
    const QRectF line = track();
    return line.left() + (maximum() > 0 ? frame / maximum() * line.width() : 0);
}

int Scrubber::frame_at(double x) const {
    const QRectF line = track();
    if (line.width() <= 0) return 0;
    return std::clamp(static_cast<int>(std::lround((x - line.left()) / line.width() * maximum())), 0, maximum());
}

void Scrubber::seek(double x) { seek_to(frame_at(x)); }

void Scrubber::seek_to(int frame) {
    frame = std::clamp(frame, minimum(), maximum());
    if (frame == sliderPosition()) return;
    setValue(frame);
    emit seek_requested(frame);
}

void Scrubber::paintEvent(QPaintEvent*) {
    // The parent's palette, as a slider with a style sheet keeps its own when the theme changes.
    const Colours& c = colours(parentWidget() ? parentWidget()->palette() : palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF line = track();
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.line);
    painter.drawRoundedRect(line, 3, 3);
    if (!isEnabled()) return;

    QPainterPath shape;
    shape.addRoundedRect(line, 3, 3);
    painter.setClipPath(shape);
    const double half = maximum() > 0 ? line.width() / maximum() / 2 : 0;
    for (const auto& [first, last] : cached_) {
        const double left = position_of(first) - half, right = position_of(last) + half;
        painter.fillRect(QRectF(left, line.top(), right - left, line.height()), c.rim);
    }
    painter.fillRect(QRectF(line.left(), line.top(), position_of(sliderPosition()) - line.left(), line.height()),
                     c.quiet);
    painter.setClipping(false);
    if (mark_ >= 0 && mark_ <= maximum()) {
        const double x = position_of(mark_);
        const QPointF flag[] = {{x, line.top() - 1}, {x - 4, line.top() - 7}, {x + 4, line.top() - 7}};
        painter.setBrush(c.warning);
        painter.drawPolygon(flag, 3);
    }
    if (hover_ >= 0 && hover_ != sliderPosition())
        painter.fillRect(QRectF(position_of(hover_) - 0.5, line.top() - 3, 1, line.height() + 6), c.quiet);
    const QPointF head(position_of(sliderPosition()), line.center().y());
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(c.accent, 1.5));
        painter.drawEllipse(head, 9, 9);
        painter.setPen(Qt::NoPen);
    }
    painter.setBrush(c.accent);
    painter.drawEllipse(head, 6, 6);
}

void Scrubber::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    setSliderDown(true);
    seek(event->position().x());
}

void Scrubber::mouseMoveEvent(QMouseEvent* event) {
    hover_ = frame_at(event->position().x());
    if (isSliderDown()) seek(event->position().x());
    update();
}

void Scrubber::mouseReleaseEvent(QMouseEvent*) { setSliderDown(false); }

void Scrubber::wheelEvent(QWheelEvent* event) { event->ignore(); } // scrolling past must not move time

/// Lets keys step from the playhead, which may be ahead of the slider's value.
void Scrubber::keyPressEvent(QKeyEvent* event) {
    setValue(sliderPosition());
    QSlider::keyPressEvent(event);
}

void Scrubber::focusInEvent(QFocusEvent* event) {
    setValue(sliderPosition());
    QSlider::focusInEvent(event);
}

bool Scrubber::event(QEvent* event) {
    if (event->type() == QEvent::Leave) {
        hover_ = -1;
        update();
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int frame = frame_at(help->pos().x());
        QToolTip::showText(help->globalPos(),
                           frame == mark_ ? tr("frame %1: the worst").arg(frame + 1) : tr("frame %1").arg(frame + 1));
        return true;
    }
    return QSlider::event(event);
}

} // namespace denoir::ui
