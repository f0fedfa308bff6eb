// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "app/cli/options.h"

namespace denoir::cli {

/// One per file of the same name.
Command bench_command();
Command compare_command();
Command compare_precision_command();
Command compare_traces_command();
Command completion_command();
Command convert_command();
Command decode_command();
Command inspect_command();
Command module_command();
Command render_command();
Command runs_command();
Command sweep_command();
Command tokenize_command();
Command trace_command();
Command verify_command();

/// All of them, in the order of the help.
std::span<const Command> commands();

} // namespace denoir::cli
