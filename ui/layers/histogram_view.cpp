// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layers/histogram_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <numeric>

#include "app/base/local_number.h"
#include "ui/theme/colours.h"

namespace denoir::ui {
namespace {

constexpr double margin = 8;

double sum(const std::vector<std::uint64_t>& counts) {
    return double(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
}

/// The largest bin's share of all values.
double tallest(const std::vector<std::uint64_t>& counts) {
    const double all = sum(counts);
    return all > 0 && !counts.empty() ? double(*std::max_element(counts.begin(), counts.end())) / all : 0;
}

QString value_text(double value) { return app::local_number(value, 'g', 4); }
QString power(int exponent) { return QStringLiteral("1e%1").arg(exponent); }

} // namespace

HistogramView::HistogramView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setAccessibleName(tr("How the tensors' values and their differences are spread"));
}

void HistogramView::show_pair(std::optional<metrics::PairHistograms> histograms) {
    shown_ = std::move(histograms);
    setAccessibleDescription(
        shown_ ? tr("Values from %1 to %2; %3 are equal in A and B.")
                     .arg(value_text(shown_->low), value_text(shown_->high), QString::number(shown_->equal))
               : QString());
    update();
}

double HistogramView::line() const { return QFontMetricsF(small_font(font())).height() + 1; }

QRectF HistogramView::values_area() const {
    const double each = (height() - margin) / 2.0;
    return {margin, line(), width() - 2 * margin, std::max(8.0, each - 2 * line())};
}

QRectF HistogramView::errors_area() const {
    const double each = (height() - margin) / 2.0;
    return {margin, each + line(), width() - 2 * margin, std::max(8.0, each - 2 * line())};
}

void HistogramView::paintEvent(QPaintEvent*) {
    const Colours& c = colours(palette());
    QPainter painter(this);
    painter.fillRect(rect(), c.panel);
    if (!shown_) return;
    painter.setFont(small_font(font()));
    painter.setRenderHint(QPainter::Antialiasing);
    paint_values(painter);
    paint_errors(painter);
}

void HistogramView::paint_values(QPainter& painter) const {
    const Colours& c = colours(palette());
    const QRectF area = values_area();
    painter.fillRect(area, c.field);
    painter.setPen(c.quiet);
    const QRectF title(area.left(), 0, area.width(), line());
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, tr("Values"));
    painter.drawText(QRectF(area.left(), area.bottom() + 1, area.width(), line()), Qt::AlignLeft | Qt::AlignVCenter,
                     value_text(shown_->low));
    painter.drawText(QRectF(area.left(), area.bottom() + 1, area.width(), line()), Qt::AlignRight | Qt::AlignVCenter,
                     value_text(shown_->high));
    const double top = std::max({tallest(shown_->a), tallest(shown_->b), 1e-12});
    double right = title.right();
    for (const auto& [counts, colour, letter] :
         {std::tuple(&shown_->b, c.b, QStringLiteral("B")), std::tuple(&shown_->a, c.a, QStringLiteral("A"))}) {
        painter.setPen(colour);
        painter.drawText(QRectF(title.left(), 0, right - title.left(), line()), Qt::AlignRight | Qt::AlignVCenter,
                         letter);
        right -= 16;
        const double all = sum(*counts);
        if (all == 0) continue;
        const double each = area.width() / double(counts->size());
        QPainterPath steps(QPointF(area.left(), area.bottom()));
        for (std::size_t i = 0; i < counts->size(); ++i) {
            const double y = area.bottom() - double((*counts)[i]) / all / top * area.height();
            steps.lineTo(area.left() + double(i) * each, y);
            steps.lineTo(area.left() + double(i + 1) * each, y);
        }
        steps.lineTo(area.bottomRight());
        if (counts == &shown_->a) { // A is an area, B a line, so that both can be seen if they are equal
            QColor fill = colour;
            fill.setAlpha(90);
            painter.fillPath(steps, fill);
        }
        painter.setPen(QPen(colour, counts == &shown_->a ? 1 : 1.5));
        painter.drawPath(steps);
    }
}

void HistogramView::paint_errors(QPainter& painter) const {
    const Colours& c = colours(palette());
    const QRectF area = errors_area();
    painter.fillRect(area, c.field);
    const QRectF title(area.left(), area.top() - line(), area.width(), line());
    painter.setPen(c.quiet);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, tr("|A − B| by powers of ten"));
    painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter,
                     shown_->not_finite > 0 ? tr("%1 equal, %2 not finite").arg(shown_->equal).arg(shown_->not_finite)
                                            : tr("%1 equal").arg(shown_->equal));
    const double top = tallest(shown_->error);
    const double each = area.width() / double(std::max<std::size_t>(1, shown_->error.size()));
    for (std::size_t i = 0; i < shown_->error.size(); ++i) {
        const double share = top > 0 ? double(shown_->error[i]) / sum(shown_->error) / top : 0;
        const double high = shown_->error[i] > 0 ? std::max(1.5, share * area.height()) : 0;
        painter.fillRect(QRectF(area.left() + double(i) * each + 1, area.bottom() - high, each - 2, high), c.text);
        if (i % 3 == 0 && each * 3 > 30) {
            painter.setPen(c.quiet);
            painter.drawText(QRectF(area.left() + double(i) * each - 18, area.bottom() + 1, 36 + each, line()),
                             Qt::AlignCenter, power(shown_->error_low + int(i)));
        }
    }
}

void HistogramView::mouseMoveEvent(QMouseEvent* event) {
    const auto bin = [&](const QRectF& area, std::size_t count) {
        return std::clamp(int((event->position().x() - area.left()) / area.width() * double(count)), 0, int(count) - 1);
    };
    QString text;
    if (shown_ && values_area().contains(event->position()) && !shown_->a.empty()) {
        const int i = bin(values_area(), shown_->a.size());
        const double width = (shown_->high - shown_->low) / double(shown_->a.size());
        text = tr("%1 to %2: %3 in A, %4 in B")
                   .arg(value_text(shown_->low + i * width), value_text(shown_->low + (i + 1) * width),
                        QString::number(shown_->a[std::size_t(i)]), QString::number(shown_->b[std::size_t(i)]));
    } else if (shown_ && errors_area().contains(event->position()) && !shown_->error.empty()) {
        const int i = bin(errors_area(), shown_->error.size());
        const QString high = power(shown_->error_low + i + 1);
        text = (i == 0 ? tr("differences below %1: %2").arg(high)
                       : tr("differences from %1 to %2: %3").arg(power(shown_->error_low + i), high))
                   .arg(shown_->error[std::size_t(i)]);
    }
    QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

} // namespace denoir::ui
