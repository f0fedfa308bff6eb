// SPDX-License-Identifier: Apache-2.0
#include "engine/session/field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/core/text.h"
#include "engine/session/suggest.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_text_bytes = 4 << 20, max_path_bytes = 4096;

std::string shown(const Json& value) {
    return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace), 48);
}

} // namespace

std::string FieldReader::field() const {
    if (!source_.file.empty()) return key_;
    std::string option = "--";
    option += key_;
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
}

void FieldReader::bad_type(std::string_view wanted) const {
    const std::string message = fmt::format("must be {}, not {}", wanted, shown(value_));
    if (source_.file.empty()) throw UsageError("", field(), message, "see --help");
    throw Error(source_.file, field(), message, "correct the value");
}

void FieldReader::out_of_range(std::string message, std::string hint) const {
    throw UsageError(source_.file, field(), std::move(message), std::move(hint));
}

std::int64_t FieldReader::integer() const {
    if (!value_.is_number_integer()) bad_type("a whole number");
    const bool large = value_.is_number_unsigned() &&
                       value_.get<std::uint64_t>() > std::uint64_t(std::numeric_limits<std::int64_t>::max());
    return large ? std::numeric_limits<std::int64_t>::max() : value_.get<std::int64_t>();
}

std::int64_t FieldReader::integer(std::int64_t low, std::int64_t high) const {
    if (!value_.is_number_integer()) bad_type(fmt::format("a whole number from {} to {}", low, high));
    const std::int64_t v = integer();
    if (v < low || v > high) out_of_range(shown(value_) + " is out of range", fmt::format("use {} to {}", low, high));
    return v;
}

std::uint64_t FieldReader::seed() const {
    constexpr const char* range = "use 0 to 18446744073709551615";
    if (!value_.is_number()) bad_type("a whole number from 0 to 18446744073709551615");
    // Whole numbers beyond 64 bits arrive as floating point.
    if (!value_.is_number_unsigned() && !(value_.is_number_integer() && value_.get<std::int64_t>() >= 0))
        out_of_range(shown(value_) + " is not a whole number in range", range);
    return value_.get<std::uint64_t>();
}

double FieldReader::number(double low, double high) const {
    if (!value_.is_number()) bad_type(fmt::format("a number from {} to {}", low, high));
    const double v = value_.get<double>();
    if (!(v >= low && v <= high))
        out_of_range(shown(value_) + " is out of range", fmt::format("use {} to {}", low, high));
    return v;
}

bool FieldReader::boolean() const {
    if (!value_.is_boolean()) bad_type("true or false");
    return value_.get<bool>();
}

std::string FieldReader::text() const {
    if (!value_.is_string()) bad_type("text");
    const auto& s = value_.get_ref<const std::string&>();
    if (s.find('\0') != std::string::npos) out_of_range("holds a NUL character", "remove it");
    if (find_invalid_utf8(s)) out_of_range("is not UTF-8", "write it in UTF-8");
    if (s.size() > max_text_bytes)
        out_of_range(fmt::format("is longer than {} bytes", max_text_bytes),
                     "shorten it: a model reads some hundred words");
    return s;
}

fs::path FieldReader::path() const {
    const std::string s = text();
    if (s.empty()) out_of_range("is empty", "name a file, or leave it out");
    if (s.size() > max_path_bytes)
        out_of_range(fmt::format("is longer than {} bytes", max_path_bytes), "choose a shorter path");
    // As written where that is enough: messages show it again.
    return fs::path(s).is_absolute() || source_.folder.empty() ? fs::path(s) : source_.folder / s;
}

std::size_t FieldReader::index_of(std::span<const std::string_view> names) const {
    const std::string all = fmt::format("{}", fmt::join(names, ", "));
    if (!value_.is_string()) bad_type("one of " + all);
    const auto& s = value_.get_ref<const std::string&>();
    if (const auto it = std::find(names.begin(), names.end(), s); it != names.end())
        return std::size_t(it - names.begin());
    const std::string near = closest(s, names);
    out_of_range(fmt::format("'{}' is unknown", printable(s, 40)),
                 near.empty() ? "use one of " + all : fmt::format("did you mean {}? One of {}", near, all));
}

void FieldReader::only(std::span<const std::string_view> known) const {
    if (!value_.is_object()) bad_type("an object");
    for (const auto& [name, child] : value_.items()) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const std::string near = closest(name, known);
        throw Error(source_.file, key_ + "." + printable(name, 40), "is not a known key",
                    near.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                                 : fmt::format("did you mean {}?", near));
    }
}

} // namespace denoir
