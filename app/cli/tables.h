// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "app/cli/options.h"

namespace denoir::cli {

/// --report and --csv: refused before anything is computed, as other outputs are.
void check_tables(const Arguments&, std::span<const std::filesystem::path> inputs);
/// Both are whole in temporary files before one of them is seen; where the second fails, the first goes again.
void write_tables(const Arguments&, const std::function<std::string()>& csv,
                  const std::function<std::string()>& report);

} // namespace denoir::cli
