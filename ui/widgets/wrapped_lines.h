// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFont>
#include <QFontMetrics>
#include <QStringList>
#include <QTextLayout>

namespace denoir::ui {

/// A text wrapped at words into at most `most` (>= 1) lines of `width` pixels, of which the last is elided if more is
/// left.
inline QStringList wrapped_lines(const QString& text, const QFont& font, int width, int most) {
    QTextLayout layout(text, font);
    layout.beginLayout();
    QStringList lines;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        const bool last = lines.size() + 1 == most;
        const QString words = text.mid(line.textStart(), last ? -1 : line.textLength());
        lines << QFontMetrics(font).elidedText(words.trimmed(), Qt::ElideRight, width);
        if (last) break;
    }
    layout.endLayout();
    return lines;
}

} // namespace denoir::ui
