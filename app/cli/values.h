// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/options.h"
#include "engine/session/request_json.h"

namespace denoir::cli {

/// Values of options, refused by the option's name.
std::int64_t whole_number(const Arguments&, std::string_view option, std::int64_t low, std::int64_t high,
                          std::int64_t otherwise);
/// Nothing where the option was not given.
std::optional<double> number(const Arguments&, std::string_view option, double low, double high);
std::optional<Device> device_of(const Arguments&);
std::optional<PrecisionPolicy> precision_of(const Arguments&);
/// The JSON value of a number as typed; text that is no number stays text, and the field refuses it.
Json number_value(std::string_view option, const std::string& text);

} // namespace denoir::cli
