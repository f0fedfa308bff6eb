// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/cli/options.h"
#include "engine/session/sweep.h"

namespace denoir::cli {

/// The sweep that a command line describes: its SWEEP.json, if any, with the request's options, --axis and --reference
/// applied over it. Throws UsageError, Error, naming the option or the file.
Sweep sweep_of(const Arguments&);

} // namespace denoir::cli
