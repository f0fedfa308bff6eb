// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "app/base/exporter.h"
#include "engine/compare/pairing.h"
#include "engine/session/sweep_folder.h"

namespace denoir::app {

enum class SweepExport { video, picture, report, csv };
/// What a sweep shows: all clips in one video, the middle frames as a picture, a report that opens in any browser, a
/// table.
Exporter::Work export_of(const SweepRecord& record, SweepExport kind, const QString& out);

enum class ComparisonExport { side_by_side, difference, report, csv };
/// What the comparison of A and B shows: both in one video, the amplified difference as a video, a report, or every
/// frame's figures as a table. `a`, `b`: run folders, whose latents are decoded, videos or frame folders.
/// `offset` and `match` as Pairing has them.
Exporter::Work export_of(const QString& a, const QString& b, int offset, FrameMatch match, ComparisonExport kind,
                         const QString& out);

} // namespace denoir::app
