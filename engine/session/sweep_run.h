// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <stop_token>

#include "engine/pipeline/observer.h"
#include "engine/session/engine.h"
#include "engine/session/run_folder.h"
#include "engine/session/sweep_folder.h"
#include "engine/session/sweep_plan.h"

namespace denoir {

/// What run_sweep() tells its caller as it goes.
struct SweepCalls {
    /// `number` counts from 1, up to `of`: the cells that are rendered.
    std::function<void(std::size_t cell, std::size_t number, std::size_t of)> begins;
    std::function<void(const RunFolder&)> on_run; ///< the cell's run can be resumed from now on
    std::function<void(std::size_t cell)> ends; ///< done, reused or failed; the record has it, and is saved afterwards
};

/// Renders the cells that are not done yet, each into a run of its own below the sweep's folder (`runs/…`), which also
/// enters the history. Weights stay loaded, and encoded prompts and images are shared between cells. An interrupted
/// cell is resumed. A cell that fails, be it for lack of memory, is recorded as failed and the others go on, unless
/// nothing can be written any more. sweep.json is written after each cell. Throws Error, Cancelled.
void run_sweep(SweepFolder&, const SweepPlan&, Engine&, const SweepCalls&, Observer&, std::stop_token);

} // namespace denoir
