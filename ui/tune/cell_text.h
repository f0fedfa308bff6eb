// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSize>
#include <QString>

#include "app/sweep/sweep_document.h"

class QFontMetrics;

namespace denoir::app {
class OpenSweep;
}

namespace denoir::ui {

/// "31.2 dB", "equal", "reference" for a cell that others are measured against, "–" if there is no figure.
QString psnr_text(const app::OpenSweep& sweep, std::size_t cell);
/// Whether the cell has figures, perhaps only over the frames that both clips have, as the note says then.
bool is_compared(const SweepCell& cell);
/// Whether another cell is measured against it.
bool is_reference(const app::OpenSweep& sweep, std::size_t cell);
/// "done", "waits", "step 3/8 · 4 s left", "failed", …
QString state_text(const app::SweepDocument::CellView& view);
/// The same for a running cell, wrapped to fit into `room`; without the time left if there is no room for both.
QString state_text(const app::SweepDocument::CellView& view, const QFontMetrics& metrics, const QSize& room);
/// What can be done about a cell that has no video; empty if nothing can.
QString state_hint(const app::SweepDocument::CellView& view);

} // namespace denoir::ui
