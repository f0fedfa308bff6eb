// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "app/cli/commands.h"
#include "engine/session/request_json.h"

namespace denoir::cli {

std::int64_t whole_number(const Arguments& args, std::string_view option, std::int64_t low, std::int64_t high, std::int64_t otherwise) {
    if (!args.has(option)) return otherwise;
    const std::string text = args.get(option);
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || value < low || value > high)
        throw UsageError("", std::string(option), fmt::format("'{}' is no whole number in range", printable(text, 40)), fmt::format("use {} to {}", low, high));
    return value;
}

Device device_of(const Arguments& args) {
    Request r;
    if (args.has("--device")) set_request_field(r, "device", args.get("--device"), {});
    return r.device.value_or(Device{});
}

std::optional<PrecisionPolicy> precision_of(const Arguments& args) {
    Request r;
    if (args.has("--precision")) set_request_field(r, "precision", args.get("--precision"), {});
    return r.precision;
}

} // namespace denoir::cli
