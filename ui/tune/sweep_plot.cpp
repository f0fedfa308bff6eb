// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/sweep_plot.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

#include "app/base/text.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "ui/theme/colours.h"
#include "ui/theme/spoken.h"
#include "ui/tune/sweep_accessible.h"
#include "ui/widgets/painting.h"

namespace denoir::ui {
namespace {

constexpr double room_beyond = 1.05; ///< the axis of seconds ends at this factor times the slowest point

} // namespace

SweepPlot::SweepPlot(app::SweepDocument& sweeps, QWidget* parent) : QWidget(parent), sweeps_(sweeps) {
    install_sweep_roles();
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setAccessibleName(tr("PSNR against seconds"));
    connect(&sweeps_, &app::SweepDocument::shown_changed, this, [this] {
        current_.reset();
        refresh();
    });
    connect(&sweeps_, &app::SweepDocument::cells_changed, this, &SweepPlot::refresh);
    connect(&sweeps_, &app::SweepDocument::reference_changed, this, &SweepPlot::refresh);
}

void SweepPlot::set_current(std::size_t cell) {
    current_ = cell;
    refresh();
}

void SweepPlot::refresh() {
    const auto all = points();
    const auto it = std::find_if(all.begin(), all.end(), [&](const Point& p) { return current_ == p.cell; });
    set_spoken_description(*this, it == all.end() ? QString() : words(*it));
    update();
}

std::vector<SweepPlot::Point> SweepPlot::points() const {
    std::vector<Point> out;
    const app::OpenSweep* sweep = sweeps_.shown();
    for (std::size_t i = 0; sweep && i < sweep->size(); ++i)
        if (const auto& figures = sweep->cell(i).figures; sweep->has_video(i) && figures && figures->psnr)
            out.push_back({i, sweep->cell(i).seconds, *figures->psnr});
    std::sort(out.begin(), out.end(), [](const Point& a, const Point& b) {
        return a.seconds != b.seconds ? a.seconds < b.seconds : a.cell < b.cell;
    });
    return out;
}

QString SweepPlot::words(const Point& point) const {
    return tr("%1: %2 dB in %3")
        .arg(app::cell_title(sweeps_.shown()->sweep(), point.cell), QLocale().toString(point.psnr, 'f', 1),
             app::duration_text(point.seconds));
}

QRectF SweepPlot::area() const {
    const double line = QFontMetricsF(font()).lineSpacing();
    return QRectF(rect()).adjusted(36, line + 10, -16, -line - 8);
}

SweepPlot::Range SweepPlot::seconds_range(const std::vector<Point>& points) const {
    double high = 0;
    for (const Point& p : points) high = std::max(high, p.seconds);
    return {0, high > 0 ? high * room_beyond : 1};
}

SweepPlot::Range SweepPlot::psnr_range(const std::vector<Point>& points) const {
    Range range{INFINITY, -INFINITY};
    for (const Point& p : points) range = {std::min(range.low, p.psnr), std::max(range.high, p.psnr)};
    if (!(range.high >= range.low)) return {};
    const double margin = std::max(0.5, (range.high - range.low) * 0.08);
    return {range.low - margin, range.high + margin};
}

QPointF SweepPlot::place(const Point& point, const std::vector<Point>& all) const {
    const QRectF box = area();
    const Range x = seconds_range(all), y = psnr_range(all);
    return {box.left() + (point.seconds - x.low) / (x.high - x.low) * box.width(),
            box.bottom() - (point.psnr - y.low) / (y.high - y.low) * box.height()};
}

QPointF SweepPlot::position(const Point& point) const { return place(point, points()); }

void SweepPlot::paintEvent(QPaintEvent*) {
    const Colours& c = colours(palette());
    QPainter painter(this);
    painter.fillRect(rect(), c.panel);
    const auto all = points();
    if (all.empty()) {
        painter.setPen(c.quiet);
        painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("PSNR against seconds, once two clips are measured"));
    } else {
        paint_axes(painter, all);
        paint_points(painter, all);
    }
    paint_focus(painter, *this);
}

void SweepPlot::paint_axes(QPainter& painter, const std::vector<Point>& all) const {
    const Colours& c = colours(palette());
    const QRectF box = area();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.field);
    painter.drawRoundedRect(box.adjusted(-6, -6, 8, 6), 3, 3);
    painter.setPen(c.quiet);
    const Range x = seconds_range(all), y = psnr_range(all);
    const double line = QFontMetricsF(font()).lineSpacing();
    const QRectF head(8, 2, width() - 16, line);
    painter.drawText(
        head, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(font()).elidedText(tr("dB to the reference, by seconds"), Qt::ElideRight, head.width()));
    const auto beside = [&](double value, double at) {
        painter.drawText(QRectF(0, at - line / 2, box.left() - 10, line), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(value, 'f', 0));
    };
    beside(std::ceil(y.low), place({0, 0, std::ceil(y.low)}, all).y());
    if (std::floor(y.high) > std::ceil(y.low)) beside(std::floor(y.high), place({0, 0, std::floor(y.high)}, all).y());
    const QRectF under(box.left(), box.bottom() + 6, box.width(), line);
    painter.drawText(under, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("0"));
    painter.drawText(under, Qt::AlignRight | Qt::AlignVCenter, app::duration_text(x.high / room_beyond));
}

void SweepPlot::paint_points(QPainter& painter, const std::vector<Point>& all) const {
    const Colours& c = colours(palette());
    const QRectF box = area();
    const double line = QFontMetricsF(font()).lineSpacing();
    for (const Point& point : all) {
        const QPointF at = place(point, all);
        const bool is_current = current_ == point.cell;
        painter.setPen(is_current ? QPen(c.text, 2) : QPen(Qt::NoPen));
        painter.setBrush(is_current ? c.accent : c.text);
        painter.drawEllipse(at, is_current ? 5 : 3.5, is_current ? 5 : 3.5);
        if (!is_current) continue;
        const QString text = tr("%1 dB").arg(QLocale().toString(point.psnr, 'f', 1));
        const bool left = at.x() > box.center().x();
        painter.setPen(c.text);
        painter.drawText(QRectF(left ? at.x() - 88 : at.x() + 8, at.y() - line / 2, 80, line),
                         (left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, text);
    }
}

std::optional<std::size_t> SweepPlot::nearest(const QPointF& at) const {
    const auto all = points();
    std::optional<std::size_t> found;
    constexpr double reach = 24; // pixels; a click further away picks nothing
    double best = reach * reach;
    for (const Point& point : all) {
        const QPointF away = place(point, all) - at;
        if (const double d = QPointF::dotProduct(away, away); d < best) best = d, found = point.cell;
    }
    return found;
}

void SweepPlot::mousePressEvent(QMouseEvent* event) {
    if (const auto cell = nearest(event->position()); cell && event->button() == Qt::LeftButton) emit picked(*cell);
}

void SweepPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto cell = nearest(event->position()); cell && event->button() == Qt::LeftButton) emit activated(*cell);
}

void SweepPlot::keyPressEvent(QKeyEvent* event) {
    const auto all = points();
    const int by = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current_) return emit activated(*current_);
    if (by == 0 || all.empty()) return QWidget::keyPressEvent(event);
    const auto it = std::find_if(all.begin(), all.end(), [&](const Point& p) { return current_ == p.cell; });
    const int now = it == all.end() ? (by > 0 ? -1 : int(all.size())) : int(it - all.begin());
    emit picked(all[std::size_t(std::clamp(now + by, 0, int(all.size()) - 1))].cell);
}

bool SweepPlot::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto cell = nearest(help->pos());
        for (const Point& point : points())
            if (cell == point.cell) QToolTip::showText(help->globalPos(), words(point), this);
        if (!cell) QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

} // namespace denoir::ui
