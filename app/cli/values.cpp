// SPDX-License-Identifier: Apache-2.0
#include "app/cli/values.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "app/cli/request_options.h"
#include "engine/core/file.h"
#include "engine/core/text.h"

namespace denoir::cli {
namespace {

/// By the file that was followed to.
std::map<std::string, std::string>& followed() {
    static std::map<std::string, std::string> all;
    return all;
}

} // namespace

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

std::filesystem::path output_file(const std::string& given) {
    if (given.empty()) return {};
    const std::filesystem::path file = behind_link(given);
    if (file != given) followed()[file.string()] = given;
    return file;
}

Error as_given(const Error& e) {
    const auto it = followed().find(e.file());
    return it == followed().end() ? e : Error(it->second, e.field(), e.message(), e.hint());
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

} // namespace denoir::cli
