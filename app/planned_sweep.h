// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/issue.h"
#include "app/run_history.h"
#include "engine/pipeline/pipeline.h"
#include "engine/session/sweep.h"

namespace denoir::app {

/// What the cells of a sweep come to, before anything is rendered.
struct PlannedSweep {
    struct Cell {
        std::optional<Request> resolved; ///< nothing: issue
        Estimate work;
        std::size_t same_as = 0; ///< the first cell whose request resolves to the same; itself where it is the first
        QString run;             ///< a finished run of the history with that request; empty: none
        double run_seconds = 0;  ///< that its rendering took
    };
    std::vector<Cell> cells;
    Issue issue; ///< of the first cell that cannot be
    std::optional<std::size_t> issue_cell;

    /// Cells that have to be rendered: of equal ones the first.
    std::vector<std::size_t> to_render(const Sweep& sweep) const;
};

/// Resolves every cell and looks for runs that can serve. Reads headers and records: for a background thread. Without a
/// seed no run can be the same. Throws Cancelled.
PlannedSweep plan_cells(const Sweep& sweep, const std::vector<RunHistory::Done>& done, const std::stop_token& stop);

} // namespace denoir::app
