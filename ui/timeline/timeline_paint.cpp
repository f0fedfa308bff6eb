// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "app/clips/time_text.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/timeline/timeline_layout.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/painting.h"

namespace denoir::ui {

using namespace timeline;

namespace {

constexpr double corner = 4;

/// The number of frames between two marks of the ruler, so that their texts have room.
int mark_distance(double pixels_per_frame, int fps) {
    for (const int frames :
         {1, 2, 5, fps / 2, fps, 2 * fps, 5 * fps, 10 * fps, 30 * fps, 60 * fps, 300 * fps, 600 * fps})
        if (frames > 0 && frames * pixels_per_frame >= 72) return frames;
    return 3600 * fps;
}

} // namespace

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const QRect area = viewport()->rect();
    painter.fillRect(area, colours(palette()).panel);
    if (project_.count() == 0) {
        paint_empty(painter);
        if (drop_) {
            painter.setPen(QPen(colours(palette()).accent, 2));
            painter.drawRoundedRect(QRectF(area).adjusted(4, 4, -4, -4), corner, corner);
        }
        return paint_focus(painter, *viewport());
    }
    paint_ruler(painter, area);
    for (int row = 0; row < project_.count(); ++row)
        if (shot_rect(row).intersects(area)) paint_shot(painter, row);

    const QRect extend = extend_rect();
    const bool hot = hover_.extend;
    painter.setPen(QPen(hot ? colours(palette()).text : colours(palette()).rim, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(extend).adjusted(0.5, 0.5, -0.5, -0.5), corner, corner);
    painter.setPen(colours(palette()).text);
    painter.drawText(extend, Qt::AlignCenter, tr("+ Extend"));

    const int gap_at = drop_ && !drop_->middle ? drop_->gap : drag_.moving && drag_.grip == Grip::move ? drag_.gap : -1;
    if (gap_at >= 0) {
        const int x = x_of(project_.start_of(gap_at)) - 1;
        painter.fillRect(x - 1, ruler_height + gap / 2, 3, track_height() + gap, colours(palette()).accent);
    }

    paint_playhead(painter, area);
    paint_focus(painter, *viewport());
}

/// Paints the playhead and beside it the time of the cut, which covers the ruler's figures there.
void TimelineView::paint_playhead(QPainter& painter, const QRect& area) const {
    const int x = x_of(playhead());
    const QRect label = time_rect(area);
    QPainterPath handle;
    handle.moveTo(x - 6, 6);
    handle.lineTo(x + 7, 6);
    handle.lineTo(x + 7, 14);
    handle.lineTo(x + 0.5, 21);
    handle.lineTo(x - 6, 14);
    handle.closeSubpath();
    painter.fillPath(handle, colours(palette()).accent);
    painter.fillRect(x, 18, 1, area.height() - 18, colours(palette()).accent);
    painter.setFont(ruler_font());
    painter.setPen(colours(palette()).text);
    painter.drawText(label, Qt::AlignCenter, playhead_time());
}

QString TimelineView::playhead_time() const {
    return app::time_text(player_.seconds_at(playhead()), std::max(1.0, project_.rate()));
}

/// The place of the playhead's time in the ruler, beside its handle.
QRect TimelineView::time_rect(const QRect& area) const {
    const int x = x_of(playhead());
    QRect label(x + 8, 2, QFontMetrics(ruler_font()).horizontalAdvance(playhead_time()) + 8, ruler_height - 4);
    if (label.right() > area.right()) label.moveRight(x - 8);
    return label;
}

QFont TimelineView::ruler_font() const { return small_font(font()); }

/// Paints the ruler in the cut's time: a second is wider in shots with a higher rate.
void TimelineView::paint_ruler(QPainter& painter, const QRect& area) const {
    const double rate = project_.rate();
    const int fps = std::max(1, int(std::lround(rate)));
    double slowest = rate;
    for (const app::Shot& shot : project_.shots()) slowest = std::min(slowest, shot.current().fps);
    const int step = mark_distance(pixels_per_frame_ * slowest / rate, fps);
    painter.setFont(ruler_font());
    const QColor text = colours(palette()).quiet;
    const double whole = project_.seconds() + 1e-6;
    const int playhead_x = x_of(playhead());
    const QRect taken = time_rect(area).united(QRect(playhead_x - 6, 2, 13, ruler_height - 4));
    const int first = int(player_.seconds_at(std::max(0, frame_at(0))) * rate) / step * step;
    for (int mark = first; mark / rate <= whole; mark += step) {
        const int x = margin + int(std::lround(player_.frame_at(mark / rate) * pixels_per_frame_)) -
                      horizontalScrollBar()->value();
        if (x >= area.width()) break;
        painter.setPen(colours(palette()).line);
        painter.drawLine(x, ruler_height - 6, x, ruler_height - 1);
        painter.setPen(text);
        const QString time = app::time_text(mark / rate, std::max(1.0, rate));
        const QRect words(x + 4, 2, painter.fontMetrics().horizontalAdvance(time) + 1, ruler_height - 4);
        if (!words.intersects(taken)) painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, time);
    }
    painter.setPen(colours(palette()).line);
    painter.drawLine(0, ruler_height, area.width(), ruler_height);
    painter.setFont(font());
}

void TimelineView::paint_shot(QPainter& painter, int row) const {
    const app::Shot& shot = project_.shot(row);
    const QRect rect = shot_rect(row);
    painter.save();
    QPainterPath shape;
    shape.addRoundedRect(rect, corner, corner);
    painter.setClipPath(shape);
    painter.fillRect(rect, colours(palette()).canvas);
    const QRect pictures = rect.adjusted(0, title_height, 0, 0);
    const bool missing = project_.is_missing(row);
    missing ? paint_missing(painter, shot.current(), pictures) : paint_thumbnails(painter, shot, pictures);
    paint_title(painter, shot, {rect.left(), rect.top(), rect.width(), title_height});
    paint_edges(painter, row, rect);
    if (drag_.moving && drag_.grip == Grip::move && drag_.row == row) {
        QColor veil = colours(palette()).panel;
        veil.setAlpha(150);
        painter.fillRect(rect, veil);
    }
    painter.setClipping(false);
    painter.setBrush(Qt::NoBrush);
    const bool takes_drop = drop_ && drop_->middle && drop_->row == row;
    if (row == selected_ || takes_drop) {
        painter.setPen(QPen(colours(palette()).accent, 2));
        painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), corner, corner);
    } else {
        painter.setPen(QPen(missing ? colours(palette()).error : colours(palette()).line, 1));
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), corner, corner);
    }
    if (drag_.row == row && (drag_.grip == Grip::trim_in || drag_.grip == Grip::trim_out))
        paint_trim(painter, shot, rect);
    painter.restore();
}

/// Paints the shot's name and, if there is room, its take and length.
void TimelineView::paint_title(QPainter& painter, const app::Shot& shot, const QRect& title) const {
    painter.fillRect(title, colours(palette()).raised);
    painter.setPen(colours(palette()).text);
    const QFontMetrics metrics = painter.fontMetrics();
    const auto width_of = [&metrics](const QString& text) { return metrics.horizontalAdvance(text) + 8; };
    const auto has_room = [&](const QString& text) { return title.width() > width_of(text) + 48; };
    QString right = tr("%n f", "frames", shot.frames());
    if (shot.takes.size() > 1) {
        const QString take = tr("take %1/%2").arg(shot.take + 1).arg(shot.takes.size());
        if (const QString both = take + QStringLiteral(" · ") + right; has_room(both)) right = both;
    }
    const int right_width = width_of(right);
    const bool room = has_room(right);
    const QRect name = title.adjusted(8, 0, room ? -right_width - 8 : -4, 0);
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(shot.title(), Qt::ElideRight, name.width()));
    if (room) painter.drawText(title.adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter, right);
}

/// Paints a handle under the mouse, and a sign at trimmed edges that there is more.
void TimelineView::paint_edges(QPainter& painter, int row, const QRect& rect) const {
    const app::Shot& shot = project_.shot(row);
    const bool hovered = hover_.row == row && drag_.grip == Grip::none;
    const QColor handle = colours(palette()).accent, more = colours(palette()).text;
    if (hovered && hover_.grip == Grip::trim_in)
        painter.fillRect(QRect(rect.left(), rect.top(), 4, rect.height()), handle);
    if (hovered && hover_.grip == Grip::trim_out)
        painter.fillRect(QRect(rect.right() - 3, rect.top(), 4, rect.height()), handle);
    if (shot.in > 0) painter.fillRect(QRect(rect.left(), rect.top() + title_height, 2, rect.height()), more);
    if (!shot.current().still() && shot.out < shot.current().frames)
        painter.fillRect(QRect(rect.right() - 1, rect.top() + title_height, 2, rect.height()), more);
}

/// Paints the result of a trim over the shot while its edge is dragged.
void TimelineView::paint_trim(QPainter& painter, const app::Shot& shot, const QRect& rect) const {
    const QString text = shot.current().still()
                             ? tr("%1 s").arg(locale().toString(shot.seconds(), 'f', 2))
                             : tr("%1 to %2 of %3").arg(shot.in + 1).arg(shot.out).arg(shot.current().frames);
    const QRect box = painter.fontMetrics().boundingRect(text).adjusted(-8, -4, 8, 4);
    const QRect place(
        std::clamp(rect.center().x() - box.width() / 2, 4, std::max(4, viewport()->width() - box.width() - 4)),
        rect.bottom() - box.height() - 8, box.width(), box.height());
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours(palette()).raised);
    painter.drawRoundedRect(place, corner, corner);
    painter.setPen(colours(palette()).text);
    painter.drawText(place, Qt::AlignCenter, text);
}

void TimelineView::paint_thumbnails(QPainter& painter, const app::Shot& shot, const QRect& area) const {
    const app::Take& take = shot.current();
    if (take.width < 1 || take.height < 1) return;
    const double aspect = double(take.width) / take.height;
    const int width = std::max(16, int(area.height() * aspect));
    const int side = int(std::max(width, area.height()) * devicePixelRatioF());
    const int first = std::max(0, (0 - area.left()) / width); // leaves out pictures left of the window
    for (int tile = first; area.left() + tile * width < std::min(area.right(), viewport()->width()); ++tile) {
        const QRect place(area.left() + tile * width, area.top(), width, area.height());
        const int frame = std::min(shot.in + int((tile * width) / pixels_per_frame_), shot.out - 1);
        const QImage image = thumbnails_.frame(take.video, take.picture(frame), side);
        if (image.isNull()) continue;
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(place, image);
    }
}

/// Paints that a take is missing, instead of thumbnails, which may still be in the cache but cannot be exported.
void TimelineView::paint_missing(QPainter& painter, const app::Take& take, const QRect& area) const {
    painter.fillRect(area, QBrush(colours(palette()).line, Qt::BDiagPattern));
    constexpr int mark = 16, between = 6;
    const QRect seen = area.intersected(viewport()->rect());
    const QFontMetrics metrics = painter.fontMetrics();
    const QString whole = take.still()                           ? tr("The picture is missing")
                          : take.kind == app::Take::Kind::frames ? tr("The frames are missing")
                                                                 : tr("The video is missing");
    const int room = seen.width() - mark - between - 16;
    // In a short shot only the sign is painted, as it says more than two letters.
    const QString words =
        room < metrics.horizontalAdvance(whole) / 2 ? QString() : metrics.elidedText(whole, Qt::ElideRight, room);
    const int width = words.isEmpty() ? mark : mark + between + metrics.horizontalAdvance(words);
    const QRect box(0, 0, width + 12, std::max(mark, metrics.height()) + 8);
    const QRect place = box.translated(seen.center() - box.center());
    painter.fillRect(place, colours(palette()).panel);
    icon(QStringLiteral("error")).paint(&painter, QRect(place.left() + 6, place.center().y() - mark / 2, mark, mark));
    painter.setPen(colours(palette()).error);
    painter.drawText(place.adjusted(6 + mark + between, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, words);
}

void TimelineView::paint_empty(QPainter& painter) const {
    const QRect area = viewport()->rect().adjusted(16, 8, -16, -8);
    QFont strong = font();
    strong.setBold(true);
    painter.setPen(colours(palette()).text);
    painter.setFont(strong);
    const QString words =
        add_keys_.isEmpty()
            ? tr("Drag runs, videos, pictures or folders of frames here; then trim, split and export.")
            : tr("Drag runs, videos, pictures or folders of frames here, or press %1 on a run; then trim, split and "
                 "export.")
                  .arg(add_keys_);
    constexpr int wrapped = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;
    const int line = painter.fontMetrics().height(), between = line / 2;
    const int below = fontMetrics().boundingRect(area, wrapped, words).height();
    const int top = std::max(area.top(), area.center().y() - (line + between + below) / 2);
    painter.drawText(QRect(area.left(), top, area.width(), line), Qt::AlignCenter, tr("The cut is empty"));
    painter.setFont(font());
    painter.setPen(colours(palette()).quiet);
    painter.drawText(QRect(area.left(), top + line + between, area.width(), below), wrapped, words);
}

} // namespace denoir::ui
