// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "engine/session/sweep.h"

namespace denoir::cli {

/// The sweep that a command line describes: its SWEEP.json, if any, with the request's options, --axis and --reference
/// applied over it. Throws UsageError, Error, naming the option or the file.
Sweep sweep_of(const Arguments&);

/// A warning for each option that sets only what an axis replaces in every cell.
std::vector<std::string> options_without_effect(const Arguments&, const Sweep&);

} // namespace denoir::cli
