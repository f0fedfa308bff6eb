// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "app/base/exporter.h"
#include "engine/compare/pairing.h"
#include "engine/session/sweep_folder.h"

namespace denoir::app {

enum class SweepExport { video, picture, report, csv };
/// Writes what a sweep shows: all clips in one video, their middle frames as a picture, a report for any browser, or a
/// table.
Exporter::Work export_of(const SweepRecord& record, SweepExport kind, const QString& out);

enum class ComparisonExport { side_by_side, difference, report, csv };
/// What is compared, and how it is shown.
struct ShownComparison {
    QString a, b; ///< run folders, whose latents are decoded, videos or frame folders
    int offset = 0;
    FrameMatch match = FrameMatch::index; ///< as those of Pairing
    int gain = 1;                         ///< of the difference
};
/// Writes what the comparison of A and B shows: both in one video, for which B may have another size, the amplified
/// difference with its sign as a video, a report, or the figures of every frame as a table.
Exporter::Work export_of(const ShownComparison& shown, ComparisonExport kind, const QString& out);

} // namespace denoir::app
