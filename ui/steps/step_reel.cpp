// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/steps/step_reel.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ui/theme/colours.h"

namespace denoir::ui {
namespace {

constexpr double margin = 8, curve_height = 24;
constexpr double narrowest = 4; ///< least width of a cell in pixels; narrower ones are merged

/// The steps through which the curve of these levels is drawn: all, or the highest and the lowest of each column if
/// there are too many.
std::vector<int> curve_steps(const std::vector<double>& levels, int columns) {
    const auto count = static_cast<std::int64_t>(levels.size());
    std::vector<int> steps;
    if (count <= 2 * columns) {
        steps.resize(levels.size());
        std::iota(steps.begin(), steps.end(), 0);
        return steps;
    }
    for (std::int64_t column = 0; column < columns; ++column) {
        const auto [low, high] = std::minmax_element(levels.begin() + column * count / columns,
                                                     levels.begin() + (column + 1) * count / columns);
        steps.push_back(static_cast<int>(std::min(low, high) - levels.begin()));
        steps.push_back(static_cast<int>(std::max(low, high) - levels.begin()));
    }
    return steps;
}

} // namespace

StepReel::StepReel(app::StepPictures& pictures, QWidget* parent)
    : QSlider(Qt::Horizontal, parent), pictures_(pictures) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Step"));
    connect(this, &QAbstractSlider::actionTriggered, this, [this] { emit step_picked(sliderPosition()); });
    refresh();
}

void StepReel::show_frame(int frame, app::StepPictures::View view) {
    frame_ = frame;
    view_ = view;
    update();
}

void StepReel::refresh() {
    setRange(0, std::max(0, pictures_.steps()));
    setPageStep(std::max(1, pictures_.steps() / 5));
    setEnabled(pictures_.steps() > 0);
    update();
}

int StepReel::Row::cell_of(int step) const { return static_cast<int>(((step + std::int64_t{1}) * cells - 1) / steps); }

int StepReel::Row::first_step(int cell) const { return static_cast<int>(std::int64_t{cell} * steps / cells); }

QRectF StepReel::Row::rect(int cell) const { return {margin + cell * each, margin, each, height}; }

double StepReel::Row::centre(int step) const { return margin + (step + 0.5) / steps * cells * each; }

StepReel::Row StepReel::row() const {
    Row row{pictures_.steps() + 1, pictures_.steps() + 1, 0, height() - 2 * margin - curve_height};
    const double room = width() - 2 * margin;
    if (row.cells * narrowest > room) row.cells = std::max(1, static_cast<int>(room / narrowest));
    // The clip's own shape if there is room, otherwise a narrow part of each picture.
    const QSize clip = pictures_.video_size();
    const double aspect = clip.isEmpty() ? 16.0 / 9 : static_cast<double>(clip.width()) / clip.height();
    row.each = std::min(room / row.cells, row.height * aspect + 2);
    return row;
}

int StepReel::step_at(double x) const {
    const Row row = this->row();
    const double share = (x - margin) / std::max(1e-6, row.cells * row.each);
    return static_cast<int>(std::clamp(std::floor(share * row.steps), 0.0, row.steps - 1.0));
}

int StepReel::step_in(const Row& row, int cell) const {
    const int first = row.first_step(cell), last = row.first_step(cell + 1) - 1;
    if (value() >= first && value() <= last) return value();
    return pictures_.last_step() < first ? last : std::min(last, pictures_.last_step());
}

void StepReel::pick(double x) {
    const int step = step_at(x);
    setValue(step);
    emit step_picked(step);
}

void StepReel::paintEvent(QPaintEvent*) {
    const Colours& c = colours(parentWidget() ? parentWidget()->palette() : palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (pictures_.steps() == 0) {
        painter.setPen(c.quiet);
        const QString text = pictures_.issue().isEmpty()
                                 ? tr("The steps of a run appear here: press Generate, or open a run.")
                                 : pictures_.issue().line();
        painter.drawText(rect().adjusted(16, 4, -16, -4), Qt::AlignCenter | Qt::TextWordWrap, text);
        return;
    }
    const Row row = this->row();
    for (int cell = 0; cell < row.cells; ++cell) paint_cell(painter, row, cell);
    paint_noise(painter, row);
    const QRectF picked = row.rect(row.cell_of(value())).adjusted(0, -2, -1, 2);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(c.accent, hasFocus() ? 3 : 2));
    painter.drawRoundedRect(picked, 3, 3);
}

void StepReel::paint_cell(QPainter& painter, const Row& row, int cell) const {
    const Colours& c = colours(parentWidget() ? parentWidget()->palette() : palette());
    const QRectF place = row.rect(cell).adjusted(0, 0, -1, 0);
    const int step = step_in(row, cell);
    const int frame = pictures_.worked_on(step, frame_);
    const QImage picture = [&] {
        const QImage own = pictures_.picture(step, frame, view_);
        // While it is not decoded, the dimmed estimate is shown.
        return own.isNull() && view_ == app::StepPictures::View::decoded
                   ? pictures_.picture(step, frame, app::StepPictures::View::estimate)
                   : own;
    }();
    painter.save();
    QPainterPath shape;
    shape.addRoundedRect(place, 2, 2);
    painter.setClipPath(shape);
    if (picture.isNull()) {
        painter.fillRect(place, c.field);
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.rim);
        painter.drawEllipse(place.center(), 1.5, 1.5);
    } else {
        // The middle of the picture fills the cell.
        const double scale = std::max(place.width() / picture.width(), place.height() / picture.height());
        const QSizeF size(picture.width() * scale, picture.height() * scale);
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        const bool waits = view_ == app::StepPictures::View::decoded && pictures_.picture(step, frame, view_).isNull();
        if (waits) painter.setOpacity(0.4);
        painter.fillRect(place, c.canvas);
        painter.drawImage(QRectF(place.center() - QPointF(size.width() / 2, size.height() / 2), size), picture);
        painter.setOpacity(1);
        if (hover_ >= 0 && cell == row.cell_of(hover_)) painter.fillRect(place, QColor(255, 255, 255, 28));
    }
    painter.restore();
}

/// Paints the noise level, from noise (top) to clean (bottom); the part that is done is filled.
void StepReel::paint_noise(QPainter& painter, const Row& row) const {
    const auto& levels = pictures_.noise_levels();
    if (levels.empty()) return;
    const Colours& c = colours(parentWidget() ? parentWidget()->palette() : palette());
    const double top = height() - margin - curve_height + 6, bottom = height() - margin + 2;
    const auto point = [&](int step) {
        const double level = std::clamp(levels[static_cast<std::size_t>(step)], 0.0, 1.0);
        return QPointF(row.centre(step), bottom - level * (bottom - top));
    };
    const std::vector<int> steps = curve_steps(levels, width());
    QPainterPath line(point(steps.front()));
    for (const int step : steps) line.lineTo(point(step));
    const int done = std::max(0, pictures_.last_step());
    QPainterPath area(QPointF(point(0).x(), bottom));
    for (const int step : steps)
        if (step <= done) area.lineTo(point(step));
    area.lineTo(point(done));
    area.lineTo(point(done).x(), bottom);
    QColor fill = c.quiet;
    fill.setAlpha(60);
    painter.fillPath(area, fill);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(c.quiet, 1.25));
    painter.drawPath(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.accent);
    painter.drawEllipse(point(value()), 3, 3);
}

void StepReel::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || pictures_.steps() == 0) return event->ignore();
    setSliderDown(true);
    pick(event->position().x());
}

void StepReel::mouseMoveEvent(QMouseEvent* event) {
    if (pictures_.steps() == 0) return;
    hover_ = step_at(event->position().x());
    if (isSliderDown()) pick(event->position().x());
    const auto& levels = pictures_.noise_levels();
    QString tip = tr("step %1 of %2").arg(hover_).arg(pictures_.steps());
    if (!levels.empty()) tip += tr(", noise %1 %").arg(std::lround(levels[static_cast<std::size_t>(hover_)] * 100));
    QToolTip::showText(event->globalPosition().toPoint(), tip, this);
    update();
}

void StepReel::mouseReleaseEvent(QMouseEvent*) { setSliderDown(false); }

/// Leaves Up and Down to the strip, which changes frames with them.
void StepReel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)
        event->ignore();
    else
        QSlider::keyPressEvent(event);
}

void StepReel::wheelEvent(QWheelEvent* event) { event->ignore(); }

void StepReel::leaveEvent(QEvent*) {
    hover_ = -1;
    update();
}

} // namespace denoir::ui
