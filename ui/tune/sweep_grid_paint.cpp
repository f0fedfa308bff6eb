// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

#include "app/base/engine_text.h"
#include "app/base/folder.h"
#include "app/base/text.h"
#include "app/clips/thumbnails.h"
#include "app/runs/run_history.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "engine/pipeline/run_layout.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/tune/cell_text.h"
#include "ui/tune/sweep_grid.h"
#include "ui/widgets/painting.h"

namespace denoir::ui {

using State = app::SweepDocument::State;

namespace {
constexpr int bar_height = 4; ///< of a progress bar

QFont bold_of(QFont font) {
    font.setBold(true);
    return font;
}

/// Whether some of [from, from + length) lies in [low, high).
bool in_sight(int from, int length, int low, int high) { return from + length > low && from < high; }
} // namespace

void SweepGrid::paintEvent(QPaintEvent*) {
    const Colours& c = colours(palette());
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), c.canvas);
    if (!sweeps_.shown() || shape_.empty()) return;
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    for (const std::size_t cell : shape_.cells()) {
        const QRect rect = cell_rect(cell);
        if (rect.intersects(viewport()->rect())) paint_cell(painter, cell, rect);
    }
    paint_headings(painter);
}

/// Paints the headings, which stay while the cells scroll.
void SweepGrid::paint_headings(QPainter& painter) const {
    if (shape_.flows()) return;
    const Colours& c = colours(palette());
    constexpr int ring = 3; // the mark of a cell extends so far beyond its edge
    painter.fillRect(0, 0, viewport()->width(), top_ - ring, c.canvas);
    painter.fillRect(0, 0, left_ - ring, viewport()->height(), c.canvas);
    painter.save();
    paint_column_headings(painter);
    paint_row_headings(painter);
    painter.restore();
}

void SweepGrid::paint_column_headings(QPainter& painter) const {
    const Colours& c = colours(palette());
    const QFontMetrics metrics(font());
    const QFont bold = bold_of(font());
    painter.setClipRect(left_, 0, viewport()->width() - left_, top_);
    for (int column = 0; column < shape_.columns(); ++column) {
        const int x = left_ + column * (picture_.width() + grid::unit) - horizontalScrollBar()->value();
        if (!in_sight(x, picture_.width(), left_, viewport()->width())) continue;
        const QRect box(x, grid::half, picture_.width(), metrics.lineSpacing());
        const QString title = shape_.column_title() + QLatin1Char(' ');
        const bool both = metrics.horizontalAdvance(title + shape_.column_text(column)) < box.width();
        const int before = both ? metrics.horizontalAdvance(title) : 0;
        painter.setFont(font());
        painter.setPen(c.quiet);
        if (both) painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, title);
        painter.setFont(bold);
        painter.setPen(c.text);
        painter.drawText(
            box.adjusted(before, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetrics(bold).elidedText(shape_.column_text(column), Qt::ElideRight, box.width() - before));
    }
}

void SweepGrid::paint_row_headings(QPainter& painter) const {
    const Colours& c = colours(palette());
    const QFontMetrics metrics(font());
    const QFont bold = bold_of(font());
    constexpr int gap = grid::unit;
    painter.setClipRect(0, top_, left_, viewport()->height() - top_);
    for (int row = 0; row < shape_.rows(); ++row) {
        const int y = top_ + row * (picture_.height() + caption_ + gap) - verticalScrollBar()->value();
        if (!in_sight(y, picture_.height(), top_, viewport()->height())) continue;
        const QRect box(left_ - heading_ + gap, y, heading_ - 2 * gap, picture_.height());
        painter.setFont(font());
        painter.setPen(c.quiet);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignTop,
                         metrics.elidedText(shape_.row_title(), Qt::ElideRight, box.width()));
        painter.setFont(bold);
        painter.setPen(c.text);
        // A prompt may take several lines.
        painter.drawText(box.adjusted(0, metrics.lineSpacing(), 0, 0), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                         shape_.row_text(row));
    }
}

QImage SweepGrid::picture_of(const QString& run) const {
    constexpr int side = 320; // size of a run's thumbnail.png
    const QImage picture = clips_.picture(run);
    if (!picture.isNull() || !clips_.problem(run).isEmpty()) return picture;
    return studio_.thumbnails.picture(app::file_in(run, run_file::thumbnail), side);
}

void SweepGrid::paint_cell(QPainter& painter, std::size_t cell, const QRect& rect) const {
    const Colours& c = colours(palette());
    const QRect place(rect.topLeft(), picture_);
    const QString run = run_of(cell);
    const QImage picture = run.isEmpty() ? QImage() : picture_of(run);
    if (!picture.isNull()) {
        QRect shown(QPoint(), picture.size().scaled(place.size(), Qt::KeepAspectRatio));
        shown.moveCenter(place.center());
        painter.drawImage(shown, picture);
    } else {
        painter.fillRect(place, c.field);
        if (run.isEmpty())
            paint_state(painter, cell, place);
        else if (const QString problem = clips_.problem(run); !problem.isEmpty()) {
            painter.setPen(c.error);
            painter.drawText(place.adjusted(8, 4, -8, -4), Qt::AlignCenter | Qt::TextWordWrap, problem);
        }
    }
    paint_caption(painter, cell, {rect.left(), place.bottom() + 3, rect.width(), caption_ - 4});
    const bool is_current = current_ == cell;
    if (is_current || others_.contains(cell)) {
        painter.setBrush(Qt::NoBrush);
        // The focus ring has the accent colour; the selection can also be seen without the focus.
        painter.setPen(QPen(is_current && hasFocus() ? c.accent : c.text, is_current ? 2 : 1,
                            is_current ? Qt::SolidLine : Qt::DashLine));
        painter.drawRect(place.adjusted(-2, -2, 1, 1));
    }
}

void SweepGrid::paint_state(QPainter& painter, std::size_t cell, const QRect& place) const {
    const Colours& c = colours(palette());
    const auto view = sweeps_.cell(cell);
    const QRect box = place.adjusted(8, 6, -8, -6);
    const int line = QFontMetrics(font()).lineSpacing();
    const bool runs = view.state == State::running;
    const QRect words = runs ? box.adjusted(0, 0, 0, -bar_height - 4) : box; // above the progress bar
    QStringList lines{runs ? state_text(view, QFontMetrics(font()), words.size()) : state_text(view)};
    if (view.state == State::failed && !view.issue.isEmpty()) {
        const QString file = view.issue.file.section(QLatin1Char('/'), -1);
        lines << (file.isEmpty() ? QString() : file + QStringLiteral(": ")) + app::engine_text(view.issue.message);
    }
    if (const QString hint = state_hint(view); !hint.isEmpty()) lines << hint;
    painter.setFont(font());
    const int flags = Qt::AlignCenter | Qt::TextWordWrap;
    const QString text = lines.join(QLatin1Char('\n'));
    if (view.state == State::failed) {
        const QRect corner(box.left(), box.top(), 16, 16); // for the icon, if no words are there
        if (!painter.boundingRect(box, flags, text).intersects(corner))
            icon(QStringLiteral("error")).paint(&painter, corner);
        painter.setPen(c.error);
    } else {
        painter.setPen(runs ? c.text : c.quiet);
    }
    painter.drawText(words, flags, text);
    if (!runs) return;
    const int below = std::max(box.center().y() + line, painter.boundingRect(words, flags, text).bottom() + 4);
    const QRectF bar(box.left(), std::min(below, box.bottom() - bar_height), box.width(), bar_height);
    painter.setRenderHint(QPainter::Antialiasing);
    paint_progress(painter, bar, view.progress, c);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void SweepGrid::paint_caption(QPainter& painter, std::size_t cell, const QRect& line) const {
    const Colours& c = colours(palette());
    const app::OpenSweep& sweep = *sweeps_.shown();
    QRect room = line;
    const QString run = run_of(cell);
    if (!run.isEmpty()) {
        const bool starred = studio_.history.starred(run);
        const QRect box = star_rect(cell_rect(cell));
        if (starred || current_ == cell)
            icon(starred ? QStringLiteral("star-on") : QStringLiteral("star"))
                .paint(&painter, box, Qt::AlignCenter, starred ? QIcon::Normal : QIcon::Disabled);
        room.setRight(box.left() - 4);
    }
    QStringList parts;
    if (sweep.has_video(cell)) {
        if (const QString psnr = psnr_text(sweep, cell); !psnr.isEmpty()) parts << psnr;
        parts << app::duration_text(sweep.cell(cell).seconds);
    }
    const QString own = shape_.own_text(cell);
    const QFont bold = bold_of(font());
    int x = room.left();
    if (!own.isEmpty()) {
        painter.setFont(bold);
        painter.setPen(c.text);
        const QString text = QFontMetrics(bold).elidedText(own, Qt::ElideRight, room.width());
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, text);
        x += QFontMetrics(bold).horizontalAdvance(text) + grid::unit;
    }
    painter.setFont(font());
    painter.setPen(c.quiet);
    // Half a figure would be taken for a whole one, so that the last one is left out if there is no room.
    const QFontMetrics metrics(font());
    while (parts.size() > 1 && metrics.horizontalAdvance(parts.join(QStringLiteral(" · "))) > room.right() - x)
        parts.removeLast();
    const QString text = parts.join(QStringLiteral(" · "));
    if (x < room.right())
        painter.drawText(QRect(x, room.top(), room.right() - x, room.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideRight, room.right() - x));
}

} // namespace denoir::ui
