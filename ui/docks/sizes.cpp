// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/sizes.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace denoir::ui {

int nearest_side(double side, int multiple) {
    return std::max(1, static_cast<int>(std::lround(side / multiple))) * multiple;
}

QString size_text(int width, int height) { return QStringLiteral("%1×%2").arg(width).arg(height); }

namespace {

QRegularExpressionMatch written_size(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^\\s*(\\d+)\\s*[x×X*,; ]\\s*(\\d+)\\s*$"));
    return form.match(text);
}

} // namespace

bool is_written_as_size(const QString& text) { return written_size(text).hasMatch(); }

std::optional<QSize> parse_size(const QString& text) {
    const auto match = written_size(text);
    const auto side = [&](int n) { return match.captured(n).toInt(); }; // 0 if there is none or an int cannot hold it
    const QSize size(side(1), side(2));
    if (std::min(size.width(), size.height()) < 1 || std::max(size.width(), size.height()) > largest_side)
        return std::nullopt;
    return size;
}

QList<SizePreset> size_presets(const QSize& standard, int multiple) {
    struct Aspect {
        int across, down;
    };
    QList<SizePreset> presets{
        {QCoreApplication::translate("Sizes", "%1 · default").arg(size_text(standard.width(), standard.height())),
         standard}};
    const double area = double(standard.width()) * standard.height();
    const auto add = [&presets](const QString& name, const QSize& size) {
        for (const auto& preset : presets)
            if (preset.size == size) return;
        presets.append({name, size});
    };
    for (const Aspect a : {Aspect{16, 9}, {9, 16}, {1, 1}, {4, 3}, {3, 4}, {21, 9}}) {
        const double height = std::sqrt(area * a.down / a.across);
        const QSize size(nearest_side(height * a.across / a.down, multiple), nearest_side(height, multiple));
        add(QStringLiteral("%1 · %2:%3").arg(size_text(size.width(), size.height())).arg(a.across).arg(a.down), size);
    }
    const QSize half(nearest_side(standard.width() / 2.0, multiple), nearest_side(standard.height() / 2.0, multiple));
    add(QCoreApplication::translate("Sizes", "%1 · half").arg(size_text(half.width(), half.height())), half);
    return presets;
}

} // namespace denoir::ui
