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

/// "31.2 dB", "equal", "reference" of one that others are measured against, "–" where there is no figure.
QString psnr_text(const app::OpenSweep& sweep, std::size_t cell);
/// True where the cell's figures are there, maybe over the frames that both clips have; the note says so.
bool is_compared(const SweepCell& cell);
/// True where another cell is measured against it.
bool is_reference(const app::OpenSweep& sweep, std::size_t cell);
/// "done", "waits", "step 3/8 · 4 s left", "failed", …
QString state_text(const app::SweepDocument::CellView& view);
/// Of a running one: without the time that is left where there is no room for both, wrapped.
QString state_text(const app::SweepDocument::CellView& view, const QFontMetrics& metrics, const QSize& room);
/// What can be done about a cell that has no video; empty: nothing.
QString state_hint(const app::SweepDocument::CellView& view);

} // namespace denoir::ui
