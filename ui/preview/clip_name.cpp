// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/clip_name.h"

#include <QFontMetricsF>

#include <utility>

namespace denoir::ui {
namespace {

const QString between = QStringLiteral(" · ");

/// The prompt, and the seed with the dot before it; that is empty for the name of a file.
std::pair<QString, QString> parts_of(const QString& name) {
    const QString line = name.simplified();
    const qsizetype at = line.lastIndexOf(between);
    return at < 0 ? std::pair(line, QString()) : std::pair(line.left(at), line.mid(at));
}

} // namespace

QString ClipName::whole() const {
    const QString line = name.simplified();
    return line.isEmpty() || detail.isEmpty() ? line : line + between + detail;
}

QString ClipName::fitted(const ClipName& other, const QFontMetricsF& metrics, double room) const {
    const QString all = whole();
    const auto width = [&metrics](const QString& text) { return metrics.horizontalAdvance(text); };
    if (width(all) <= room) return all;
    const auto [title, seed] = parts_of(name);
    QString end = all.mid(title.size());
    if (end.isEmpty()) return metrics.elidedText(all, Qt::ElideMiddle, room);
    const double least = room / 4; // of the prompt, so that one still knows what it is about
    if (room - width(end) < least && !detail.isEmpty() && parts_of(other.name).second == seed) end = between + detail;
    if (const double left = room - width(end); left >= least)
        return metrics.elidedText(title, Qt::ElideRight, left) + end;
    const QString begin = metrics.elidedText(title, Qt::ElideRight, least);
    return begin + metrics.elidedText(end, Qt::ElideRight, room - width(begin));
}

} // namespace denoir::ui
