// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "app/cli/options.h"

namespace denoir::cli {

/// Checks the outputs --report and --csv before anything is computed. Throws Error, UsageError.
void check_tables(const Arguments&, std::span<const std::filesystem::path> inputs);
/// Writes --report and --csv, as far as given. Both are complete in temporary files before either appears; if the
/// second fails, the first is removed again.
void write_tables(const Arguments&, const std::function<std::string()>& csv,
                  const std::function<std::string()>& report);

} // namespace denoir::cli
