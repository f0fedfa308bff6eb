// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/text.h"

#include <QLocale>
#include <QObject>
#include <cmath>

namespace denoir::app {

QString shortened(const QString& text, qsizetype length) {
    if (text.size() <= length) return text;
    qsizetype end = length - 1;
    if (text[end - 1].isHighSurrogate()) --end;
    return text.left(end).trimmed() + QChar(0x2026);
}

QString duration_text(double seconds, int digits) {
    if (!(seconds >= 0)) return QStringLiteral("–");
    if (seconds < (digits > 1 ? 9.995 : 9.95)) return QObject::tr("%1 s").arg(QLocale().toString(seconds, 'f', digits));
    const auto whole = qint64(std::llround(std::min(seconds, 1e12)));
    if (whole < 60) return QObject::tr("%1 s").arg(whole);
    if (whole < 3600) return QObject::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    if (whole >= 100 * 3600) return QObject::tr("%1 days").arg((whole + 43200) / 86400);
    const qint64 minutes = (whole + 30) / 60;
    return QObject::tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60, 2, 10, QLatin1Char('0'));
}

QString bytes_text(double bytes) {
    if (!(bytes >= 0)) return QStringLiteral("–");
    const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 4) bytes /= 1024, ++unit;
    return QStringLiteral("%1 %2")
        .arg(QLocale().toString(bytes, 'f', unit >= 2 && bytes < 9.95 ? 1 : 0))
        .arg(QLatin1String(units[unit]));
}

} // namespace denoir::app
