// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string_view>

namespace denoir::log {

enum class Level { info, warning };

/// Receives messages, under a lock, on the thread that logs. The default writes warnings to stderr as `warning: …` and
/// drops the rest.
using Sink = std::function<void(Level, std::string_view)>;
void set_sink(Sink); ///< an empty one restores the default

void info(std::string_view);
void warning(std::string_view);

} // namespace denoir::log
