// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "app/cli/console.h"
#include "app/cli/sweep_progress.h"
#include "engine/compare/sweep_outputs.h"
#include "engine/core/error.h"
#include "engine/session/sweep_folder.h"
#include "engine/session/sweep_plan.h"

namespace denoir::cli {

/// Says which cells a sweep would render, and how much work that is.
void list(const Sweep&, const SweepPlan&, const Console&);

/// Says what became of each cell and where the outputs are. `seconds`: of the whole command.
void report(const SweepFolder&, const SweepOutputs&, const Warnings&, double seconds, const Console&);

/// The Error of the first cell that failed; empty if none did.
std::optional<Error> failure(const SweepFolder&);

} // namespace denoir::cli
