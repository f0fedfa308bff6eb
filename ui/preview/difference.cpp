// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/difference.h"

#include <array>

#include "engine/compare/difference.h"

namespace denoir::ui {

QRgb difference_colour(int difference, int gain) {
    const Colour c = signed_colour(difference, gain);
    return qRgb(c.red, c.green, c.blue);
}

QImage signed_difference(const QImage& a, const QImage& b, int gain) {
    if (a.isNull() || a.size() != b.size()) return {};
    Q_ASSERT(a.format() == QImage::Format_RGB32 && b.format() == QImage::Format_RGB32);
    std::array<QRgb, 511> shown;
    for (int d = -255; d <= 255; ++d) shown[static_cast<std::size_t>(d + 255)] = difference_colour(d, gain);
    QImage out(a.size(), QImage::Format_RGB32);
    for (int y = 0; y < a.height(); ++y) {
        const auto* p = reinterpret_cast<const QRgb*>(a.constScanLine(y));
        const auto* q = reinterpret_cast<const QRgb*>(b.constScanLine(y));
        auto* to = reinterpret_cast<QRgb*>(out.scanLine(y));
        for (int x = 0; x < a.width(); ++x) {
            const int most =
                largest_of(qRed(q[x]) - qRed(p[x]), qGreen(q[x]) - qGreen(p[x]), qBlue(q[x]) - qBlue(p[x]));
            to[x] = shown[static_cast<std::size_t>(most + 255)];
        }
    }
    return out;
}

} // namespace denoir::ui
