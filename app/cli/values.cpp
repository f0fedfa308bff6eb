// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/commands.h"
#include "engine/core/text.h"
#include "engine/session/request_json.h"

namespace denoir::cli {

std::int64_t whole_number(const Arguments& args, std::string_view option, std::int64_t low, std::int64_t high,
                          std::int64_t otherwise) {
    if (!args.has(option)) return otherwise;
    const std::string text = args.get(option);
    const auto value = read_whole<std::int64_t>(text);
    if (!value || *value < low || *value > high)
        throw UsageError("", std::string(option),
                         fmt::format("'{}' is not a whole number in range", printable(text, 40)),
                         fmt::format("use {} to {}", low, high));
    return *value;
}

std::optional<double> number(const Arguments& args, std::string_view option, double low, double high) {
    if (!args.has(option)) return std::nullopt;
    const std::string text = args.get(option);
    const auto value = read_double(text);
    if (!value || !(*value >= low && *value <= high))
        throw UsageError("", std::string(option), fmt::format("'{}' is not a number in range", printable(text, 40)),
                         fmt::format("use {} to {}", low, high));
    return value;
}

std::optional<Device> device_of(const Arguments& args) {
    Request r;
    if (args.has("--device")) set_field(r, "device", args.get("--device"));
    return r.device;
}

std::optional<PrecisionPolicy> precision_of(const Arguments& args) {
    Request r;
    if (args.has("--precision")) set_field(r, "precision", args.get("--precision"));
    return r.precision;
}

Json number_value(std::string_view option, const std::string& text) {
    if (const auto natural = read_whole<std::uint64_t>(text)) return *natural;
    if (const auto whole = read_whole<std::int64_t>(text)) return *whole;
    const auto real = read_double(text);
    if (!real) return text;
    if (!std::isfinite(*real))
        throw UsageError("", std::string(option), fmt::format("{} is not a finite number", printable(text, 20)),
                         "write a number");
    return *real;
}

void check_resume(const Arguments& args, const Command& command, std::initializer_list<std::string_view> also,
                  std::string_view what, std::string_view instead) {
    if (!args.words().empty())
        throw UsageError("", "--resume", fmt::format("takes the stored {}, not another one", what),
                         "leave the file out");
    for (const Option& option : command.options) {
        const bool fits = option.name == "--resume" || option.name == "--progress" || option.name == "--json" ||
                          std::find(also.begin(), also.end(), option.name) != also.end();
        if (!fits && args.has(option.name))
            throw UsageError("", std::string(option.name), "cannot be changed by --resume",
                             fmt::format("{}, or leave it out", instead));
    }
}

void set_size_fields(Request& r, const std::string& text) {
    try {
        set_request_size(r, text, {});
    } catch (const UsageError& e) {
        const std::string side = e.field() == "size" ? "" : e.field() + ": ";
        throw UsageError("", "--size", side + e.message(), e.hint());
    }
}

} // namespace denoir::cli
