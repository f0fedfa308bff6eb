// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/colours.h"

#include <QFont>
#include <QPalette>

#include <algorithm>
#include <cmath>

namespace denoir::ui {

const Colours& dark_colours() {
    static const Colours c{
        .dark = true,
        .canvas = QColor(0x14, 0x14, 0x14),
        .window = QColor(0x1b, 0x1b, 0x1b),
        .panel = QColor(0x22, 0x22, 0x22),
        .field = QColor(0x19, 0x19, 0x19),
        .raised = QColor(0x30, 0x30, 0x30),
        .hover = QColor(0x3a, 0x3a, 0x3a),
        .line = QColor(0x2e, 0x2e, 0x2e),
        .rim = QColor(0x42, 0x42, 0x42),
        .edge = QColor(0x6e, 0x6e, 0x6e),
        .text = QColor(0xe4, 0xe4, 0xe4),
        .quiet = QColor(0xb4, 0xb4, 0xb4),
        .disabled = QColor(0x6c, 0x6c, 0x6c),
        .accent = QColor(0x58, 0xc4, 0xa3),
        .on_accent = QColor(0x0c, 0x1e, 0x18),
        .selection = QColor(0x3c, 0x46, 0x43),
        .a = QColor(0x80, 0xb6, 0xf2),
        .b = QColor(0xee, 0xa2, 0x5c),
        .warning = QColor(0xe3, 0xb3, 0x4c),
        .error = QColor(0xf4, 0x9a, 0x8f),
    };
    return c;
}

const Colours& light_colours() {
    static const Colours c{
        .dark = false,
        .canvas = QColor(0xc4, 0xc4, 0xc4),
        .window = QColor(0xdc, 0xdc, 0xdc),
        .panel = QColor(0xee, 0xee, 0xee),
        .field = QColor(0xfa, 0xfa, 0xfa),
        .raised = QColor(0xf8, 0xf8, 0xf8),
        .hover = QColor(0xe0, 0xe0, 0xe0),
        .line = QColor(0xcf, 0xcf, 0xcf),
        .rim = QColor(0xb4, 0xb4, 0xb4),
        .edge = QColor(0x7b, 0x7b, 0x7b),
        .text = QColor(0x1c, 0x1c, 0x1c),
        .quiet = QColor(0x50, 0x50, 0x50),
        .disabled = QColor(0x98, 0x98, 0x98),
        .accent = QColor(0x17, 0x6e, 0x55),
        .on_accent = QColor(0xff, 0xff, 0xff),
        .selection = QColor(0xc9, 0xdb, 0xd5),
        .a = QColor(0x1c, 0x58, 0x9e),
        .b = QColor(0x8e, 0x46, 0x07),
        .warning = QColor(0x74, 0x52, 0x00),
        .error = QColor(0x9c, 0x1f, 0x17),
    };
    return c;
}

const Colours& colours(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < 128 ? dark_colours() : light_colours();
}

namespace {

double luminance(const QColor& colour) {
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

} // namespace

double contrast(const QColor& first, const QColor& second) {
    const auto [low, high] = std::minmax({luminance(first), luminance(second)});
    return (high + 0.05) / (low + 0.05);
}

QFont small_font(const QFont& font) {
    QFont small = font;
    small.setPointSizeF(std::max(7.0, font.pointSizeF() * 0.85));
    return small;
}

} // namespace denoir::ui
