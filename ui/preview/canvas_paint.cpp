// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "ui/preview/canvas.h"
#include "ui/preview/difference.h"
#include "ui/theme/colours.h"
#include "ui/widgets/painting.h"

namespace denoir::ui {
namespace {

/// Colours for text over pictures, with enough contrast on any of them: light text on dark glass.
const QColor glass(16, 16, 16, 200), ink(240, 240, 240), quiet_ink(190, 190, 190);

/// The enlarged pixels around one; lengths are in screen pixels.
namespace loupe {

constexpr int reach = 5; ///< the picture's pixels on each side of the one in the middle
constexpr int cell = 10, pad = 8, gap = 4, from_cursor = 20;
constexpr int side = (2 * reach + 1) * cell;

/// The place for a box beside `at`, on a side where there is room.
QRectF box_beside(QPointF at, QSizeF size, QSizeF room) {
    QPointF corner = at + QPointF(from_cursor, from_cursor);
    if (corner.x() + size.width() > room.width()) corner.setX(at.x() - from_cursor - size.width());
    if (corner.y() + size.height() > room.height()) corner.setY(at.y() - from_cursor - size.height());
    return {QPointF(std::max(0.0, corner.x()), std::max(0.0, corner.y())), size};
}

void paint_glass(QPainter& painter, const QRectF& box) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(16, 16, 16, 235));
    painter.drawRoundedRect(box, 4, 4);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// Paints the pixels; `pixel` itself has a frame in black and white, which can be seen on any picture.
void paint_pixels(QPainter& painter, const QImage& picture, QPoint pixel, QPointF corner) {
    const QRect from(pixel.x() - reach, pixel.y() - reach, 2 * reach + 1, 2 * reach + 1);
    const QRectF to(corner, QSizeF(side, side));
    painter.fillRect(to, QColor(0, 0, 0));
    painter.drawImage(to, picture.copy(from));
    const QRectF middle(to.left() + reach * cell, to.top() + reach * cell, cell, cell);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QColor(0, 0, 0));
    painter.drawRect(middle.adjusted(-1, -1, 0, 0));
    painter.setPen(QColor(255, 255, 255));
    painter.drawRect(middle.adjusted(-2, -2, 1, 1));
}

} // namespace loupe

QString signed_text(int v) { return v < 0 ? QStringLiteral("−%1").arg(-v) : QStringLiteral("+%1").arg(v); }

} // namespace

void Canvas::paintEvent(QPaintEvent*) {
    if (surface_) return;
    QPainter painter(this);
    paint(painter);
}

void Canvas::paint(QPainter& painter) {
    painter.fillRect(rect(), colours(palette()).canvas);
    if (picture_size().isEmpty()) {
        paint_message(painter, message_);
    } else {
        paint_pictures(painter);
        for (const Label& label : labels()) paint_label(painter, label);
        if (shows_values_) paint_values(painter);
        if (!message_.isEmpty()) paint_message(painter, message_);
    }
    if (busy_) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(glass);
        painter.drawEllipse(QPointF(width() - 16, 16), 7, 7);
        painter.setBrush(ink);
        painter.drawEllipse(QPointF(width() - 16, 16), 3, 3);
    }
    if (ring_) paint_ring(painter, *this);
}

void Canvas::paint_picture(QPainter& painter, const QRectF& area, const QImage& picture, double opacity) const {
    if (picture.isNull()) return;
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    // Not smoothed when the user has zoomed in to see single pixels, but smoothed if a small picture fills the window.
    painter.setRenderHint(QPainter::SmoothPixmapTransform, fit_ || scale() < 3);
    painter.setOpacity(opacity);
    QRectF place = placed_in(areas().first);
    if (mode_ == CompareMode::side_by_side) {
        place = own_place(area, stands_for_.isEmpty() ? picture.size() : stands_for_);
    } else if (QSizeF(picture.size()) != picture_size()) { // B keeps its own shape
        QRectF own({}, QSizeF(picture.size()).scaled(place.size(), Qt::KeepAspectRatio));
        own.moveCenter(place.center());
        place = own;
    }
    painter.drawImage(place, picture);
    painter.restore();
}

void Canvas::paint_pictures(QPainter& painter) {
    const Areas a = areas();
    if (!two()) {
        paint_picture(painter, a.first, a_.isNull() ? b_ : a_);
        return;
    }
    switch (mode_) {
    case CompareMode::single:
    case CompareMode::flicker:
        paint_picture(painter, a.first, shows_b_ ? b_ : a_);
        break;
    case CompareMode::side_by_side:
        paint_picture(painter, a.first, a_);
        paint_picture(painter, a.second, b_);
        break;
    case CompareMode::wipe:
        paint_wipe(painter, a.first);
        break;
    case CompareMode::onion:
        paint_picture(painter, a.first, a_);
        paint_picture(painter, a.first, b_, onion_);
        break;
    case CompareMode::difference:
        if (difference().isNull()) {
            paint_picture(painter, a.first, a_);
            paint_message(painter, why_no_difference());
        } else {
            paint_picture(painter, a.first, difference());
            paint_legend(painter, a.first);
        }
        break;
    }
}

void Canvas::paint_wipe(QPainter& painter, const QRectF& area) {
    const QRectF place = placed_in(area);
    const double x = std::round(place.left() + wipe_ * place.width());
    paint_picture(painter, {area.left(), area.top(), x - area.left(), area.height()}, a_);
    paint_picture(painter, {x, area.top(), area.right() - x, area.height()}, b_);
    const double top = std::max(area.top(), place.top()), bottom = std::min(area.bottom(), place.bottom());
    painter.fillRect(QRectF(x - 1, top, 3, bottom - top), QColor(0, 0, 0, 110));
    painter.fillRect(QRectF(x, top, 1, bottom - top), QColor(255, 255, 255));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF middle(x + 0.5, (top + bottom) / 2);
    painter.setPen(QPen(QColor(0, 0, 0, 140), 1));
    painter.setBrush(QColor(250, 250, 250));
    painter.drawEllipse(middle, 9, 9);
    painter.setPen(QPen(QColor(60, 60, 60), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    for (const int side : {-1, 1}) {
        const QPointF arrow[] = {middle + QPointF(side * 2.5, -3), middle + QPointF(side * 5.5, 0),
                                 middle + QPointF(side * 2.5, 3)};
        painter.drawPolyline(arrow, 3);
    }
    painter.restore();
}

/// Paints the scale of the difference, by which colours can be read as numbers: with fewer words on a narrow picture,
/// and at the edge of the canvas beside a very narrow one. If there is no room there either, nothing is painted, as it
/// would hide half of what it explains.
void Canvas::paint_legend(QPainter& painter, const QRectF& area) const {
    painter.save();
    painter.setFont(small_font(font()));
    const QFontMetricsF metrics = painter.fontMetrics();
    QString left = tr("A brighter"), right = tr("B brighter");
    const QString scale = QStringLiteral("×%1").arg(gain_);
    constexpr double pad = 8;
    double bar = 128;
    const auto wanted = [&] {
        return metrics.horizontalAdvance(left) + metrics.horizontalAdvance(right) + bar +
               metrics.horizontalAdvance(scale) + 5 * pad;
    };
    const QRectF shown = placed_in(area) & area;
    const double room = shown.width();
    if (wanted() > room) left = QStringLiteral("A"), right = QStringLiteral("B"), bar = 48;
    const double width = wanted(), height = metrics.height() + pad;
    QRectF box(shown.center().x() - width / 2, area.bottom() - height - pad, width, height);
    if (width > room) {
        box.moveLeft(area.left() + pad);
        if (box.intersects(shown)) return painter.restore();
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(glass);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(ink);
    double x = box.left() + pad;
    const auto text = [&](const QString& words) {
        painter.drawText(QRectF(x, box.top(), width, height), Qt::AlignVCenter, words);
        x += metrics.horizontalAdvance(words) + pad;
    };
    text(left);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const int largest = std::max(1, 255 / gain_);
    for (int i = 0; i < static_cast<int>(bar); ++i)
        painter.fillRect(QRectF(x + i, box.center().y() - 4, 1, 8),
                         QColor::fromRgb(difference_colour(
                             static_cast<int>(std::lround((2 * i / (bar - 1) - 1) * largest)), gain_)));
    x += bar + pad;
    text(right);
    painter.setPen(quiet_ink);
    text(scale);
    painter.restore();
}

Canvas::Label Canvas::label_in(const QRectF& area, bool b, bool right) const {
    constexpr double pad = 8;
    const QFontMetricsF metrics(small_font(font()));
    const double height = metrics.height() + 6, most = std::max(0.0, area.width() - 4 * pad - height);
    const auto& [name, other] = b ? std::tie(label_b_, label_a_) : std::tie(label_a_, label_b_);
    const QString text = name.fitted(other, metrics, most);
    const double width = height + (text.isEmpty() ? 0 : metrics.horizontalAdvance(text) + 2 * pad);
    return {{right ? area.right() - pad - width : area.left() + pad, area.top() + pad, width, height}, text, b, right};
}

std::vector<Canvas::Label> Canvas::labels() const {
    const Areas a = areas();
    if (!two()) { // B alone has no picture to compare it with; A alone needs no letter
        if (a_.isNull() && !b_.isNull()) return {label_in(a.first, true, false)};
        return {};
    }
    switch (mode_) {
    case CompareMode::single:
    case CompareMode::flicker:
        return {label_in(a.first, shows_b_, false)};
    case CompareMode::side_by_side:
        return {label_in(a.first, false, false), label_in(a.second, true, false)};
    default: { // both over one picture, each on its half
        QRectF left = a.first, right = a.first;
        left.setRight(a.first.center().x());
        right.setLeft(left.right());
        return {label_in(left, false, false), label_in(right, true, true)};
    }
    }
}

void Canvas::paint_label(QPainter& painter, const Label& label) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF& box = label.box;
    QPainterPath path;
    path.addRoundedRect(box, 4, 4);
    painter.setClipPath(path);
    painter.fillRect(box, glass);
    // The dark theme's colours, on which dark letters can be read, whatever the picture.
    const QRectF square(label.right ? box.right() - box.height() : box.left(), box.top(), box.height(), box.height());
    painter.fillRect(square, label.b ? dark_colours().b : dark_colours().a);
    QFont letters = small_font(font());
    letters.setBold(true);
    painter.setFont(letters);
    painter.setPen(QColor(16, 16, 16));
    painter.drawText(square, Qt::AlignCenter, label.b ? QStringLiteral("B") : QStringLiteral("A"));
    letters.setBold(false);
    painter.setFont(letters);
    painter.setPen(ink);
    painter.drawText(
        QRectF(label.right ? box.left() : square.right(), box.top(), box.width() - square.width(), box.height()),
        Qt::AlignCenter, label.text);
    painter.restore();
}

/// Paints the enlarged pixels around the cursor and their values.
void Canvas::paint_values(QPainter& painter) const {
    const QPointF at = hover_.value_or(areas().first.center()); // the middle if there is no mouse
    const std::optional<QPoint> pixel = pixel_at(at);
    if (!pixel) return;
    std::vector<std::pair<QString, const QImage*>> shown;
    if (!a_.isNull()) shown.push_back({QStringLiteral("A"), &a_});
    if (!b_.isNull() && (b_.size() == a_.size() || a_.isNull())) shown.push_back({QStringLiteral("B"), &b_});

    painter.save();
    painter.setFont(small_font(font()));
    using namespace loupe;
    const double line = painter.fontMetrics().height();
    const int columns = static_cast<int>(shown.size()), lines = columns == 2 ? 3 : 2;
    const QRectF box =
        box_beside(at, QSizeF(columns * side + (columns + 1) * pad, side + 2 * pad + gap + line * lines), size());
    paint_glass(painter, box);
    const double base = box.top() + pad + side + gap;
    const auto text = [&](int column, int row, const QString& words, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(
            QRectF(box.left() + pad + column * (side + pad), base + row * line, columns * (side + pad), line),
            Qt::AlignLeft | Qt::AlignVCenter, words);
    };
    for (int i = 0; i < columns; ++i) {
        const auto& [name, picture] = shown[static_cast<std::size_t>(i)];
        paint_pixels(painter, *picture, *pixel, box.topLeft() + QPointF(pad + i * (side + pad), pad));
        const QRgb v = picture->pixel(*pixel);
        const QString rgb = QStringLiteral("%1 %2 %3").arg(qRed(v)).arg(qGreen(v)).arg(qBlue(v));
        text(i, 0, two() ? name + QStringLiteral("  ") + rgb : rgb, ink);
    }
    text(0, 1, tr("x %1  y %2").arg(pixel->x()).arg(pixel->y()), quiet_ink);
    if (columns == 2) {
        const QRgb a = a_.pixel(*pixel), b = b_.pixel(*pixel);
        text(0, 2,
             tr("B − A  %1 %2 %3")
                 .arg(signed_text(qRed(b) - qRed(a)), signed_text(qGreen(b) - qGreen(a)),
                      signed_text(qBlue(b) - qBlue(a))),
             ink);
    }
    painter.restore();
}

void Canvas::paint_message(QPainter& painter, const QString& text) const {
    if (text.isEmpty()) return;
    painter.save();
    const bool over = !picture_size().isEmpty();
    const QRectF room = QRectF(rect()).adjusted(24, 24, -24, -24);
    QRectF box = painter.boundingRect(room, Qt::AlignCenter | Qt::TextWordWrap, text);
    if (over) {
        box.moveBottom(room.bottom());
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(glass);
        painter.drawRoundedRect(box.adjusted(-12, -6, 12, 6), 4, 4);
        painter.setPen(ink);
    } else {
        const Colours& c = colours(palette());
        painter.setPen(contrast(c.quiet, c.canvas) >= 4.5 ? c.quiet : c.text);
    }
    painter.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, text);
    painter.restore();
}

} // namespace denoir::ui
