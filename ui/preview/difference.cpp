// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace denoir::ui {
namespace {

constexpr QRgb none = qRgb(20, 20, 20), more_a = qRgb(64, 140, 255), more_b = qRgb(255, 140, 26);

QRgb mix(QRgb from, QRgb to, double share) {
    const auto channel = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return qRgb(channel(qRed(from), qRed(to)), channel(qGreen(from), qGreen(to)), channel(qBlue(from), qBlue(to)));
}

} // namespace

QRgb difference_colour(int difference, int gain) {
    const double v = std::min(1.0, std::abs(difference) * gain / 255.0);
    const QRgb hue = difference > 0 ? more_b : more_a;
    constexpr double knee = 0.7;
    return v <= knee ? mix(none, hue, v / knee) : mix(hue, qRgb(255, 255, 255), (v - knee) / (1 - knee));
}

QImage signed_difference(const QImage& a, const QImage& b, int gain) {
    if (a.isNull() || a.size() != b.size()) return {};
    Q_ASSERT(a.format() == QImage::Format_RGB32 && b.format() == QImage::Format_RGB32);
    std::array<QRgb, 511> table;
    for (int d = -255; d <= 255; ++d) table[static_cast<std::size_t>(d + 255)] = difference_colour(d, gain);
    QImage out(a.size(), QImage::Format_RGB32);
    for (int y = 0; y < a.height(); ++y) {
        const auto* p = reinterpret_cast<const QRgb*>(a.constScanLine(y));
        const auto* q = reinterpret_cast<const QRgb*>(b.constScanLine(y));
        auto* to = reinterpret_cast<QRgb*>(out.scanLine(y));
        for (int x = 0; x < a.width(); ++x) {
            const int red = qRed(q[x]) - qRed(p[x]), green = qGreen(q[x]) - qGreen(p[x]),
                      blue = qBlue(q[x]) - qBlue(p[x]);
            int most = std::abs(red) >= std::abs(green) ? red : green;
            if (std::abs(blue) > std::abs(most)) most = blue;
            to[x] = table[static_cast<std::size_t>(most + 255)];
        }
    }
    return out;
}

} // namespace denoir::ui
