// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "app/cli/options.h"
#include "engine/session/trace_selection.h"

namespace denoir::cli {

/// The selection that --layers and --steps give, in the commands that trace.
TraceSelection trace_selection(const Arguments&);
inline constexpr Option layers_option{"--layers", "GLOB",
                                      "layers to keep, as trace --list names them, with * ? []; may be repeated, "
                                      "commas separate alternatives; with a slash held "
                                      "against COMPONENT/LAYER, else against LAYER (default: every layer)",
                                      Option::Count::repeated};
inline constexpr Option traced_steps_option{"--steps", "LIST",
                                            "solver steps to trace, like 1,4-6,last (default: every step)"};
/// What --steps of a request is called in these commands, where --steps selects the steps to trace.
inline constexpr std::string_view solver_steps = "--solver-steps";

} // namespace denoir::cli
