// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QSize>
#include <QString>

#include <optional>

#include "engine/core/units.h"

namespace denoir::ui {

struct SizePreset {
    QString name; ///< "256×144 · 16:9 · default"
    QSize size;
};

/// The model's own size, sizes of the usual aspects and about its area, and half its size. Sides are multiples of
/// `multiple`.
QList<SizePreset> size_presets(const QSize& standard, int multiple);
/// "256×144"
QString size_text(int width, int height);
inline constexpr int largest_side = Resolution::max;
/// Reads "256x144", "256 × 144" or "256*144"; empty unless both sides are 1 … largest_side.
std::optional<QSize> parse_size(const QString& text);
/// Whether a text is written like a size, even if parse_size() refuses it.
bool is_written_as_size(const QString& text);
/// The multiple nearest to `side`, but not 0.
int nearest_side(double side, int multiple);

} // namespace denoir::ui
