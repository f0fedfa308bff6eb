// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/json_fields.h"
#include "engine/core/suggest.h"
#include "engine/core/text.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_path_bytes = 4096;

/// Whether the value is beyond 64 bits. It is a double then, as the parser turns such whole numbers into doubles.
bool is_beyond_64_bits(const Json& value) {
    return value.is_number_float() && (value.get<double>() >= 0x1p64 || value.get<double>() <= -0x1p63);
}

/// Whether the value does not fit into a signed number of 64 bits.
bool is_clamped(const Json& value) {
    return is_beyond_64_bits(value) ||
           (value.is_number_unsigned() &&
            value.get<std::uint64_t>() > std::uint64_t(std::numeric_limits<std::int64_t>::max()));
}

} // namespace

std::string JsonReader::shown() const {
    if (is_beyond_64_bits(value_)) return "a number beyond 64 bits"; // its digits are not known any more
    return printable(one_line(value_), 48);
}

void JsonReader::bad_type(std::string_view wanted) const {
    const std::string message = fmt::format("must be {}, not {}", wanted, shown());
    if (source_.file.empty()) throw UsageError("", field_, message, source_.hint);
    throw Error(source_.file, field_, message, source_.hint);
}

void JsonReader::out_of_range(std::string message, std::string hint) const {
    if (!source_.by_hand) refuse(std::move(message));
    throw UsageError(source_.file, field_, std::move(message), std::move(hint));
}

void JsonReader::refuse(std::string message, const std::string& hint) const {
    throw Error(source_.file, field_, std::move(message), hint.empty() ? source_.hint : hint);
}

template <class T> void JsonReader::bad_number(std::string_view kind, bool is_one, T low, T high) const {
    if (!is_one || !source_.by_hand) bad_type(fmt::format("{} from {} to {}", kind, low, high));
    out_of_range(shown() + " is out of range", fmt::format("use {} to {}", low, high));
}

bool JsonReader::is_whole() const { return value_.is_number_integer() || is_beyond_64_bits(value_); }

std::int64_t JsonReader::integer() const {
    using Limits = std::numeric_limits<std::int64_t>;
    if (!is_whole()) bad_type("a whole number");
    if (!is_clamped(value_)) return value_.get<std::int64_t>();
    return value_.is_number_float() && value_.get<double>() < 0 ? Limits::min() : Limits::max();
}

std::int64_t JsonReader::integer(std::int64_t low, std::int64_t high) const {
    const bool whole = is_whole();
    if (!whole || is_clamped(value_) || integer() < low || integer() > high)
        bad_number("a whole number", whole, low, high);
    return integer();
}

double JsonReader::number() const {
    if (!value_.is_number() || !std::isfinite(value_.get<double>())) bad_type("a number");
    return value_.get<double>();
}

double JsonReader::number(double low, double high) const {
    const bool is_one = value_.is_number();
    if (!is_one || !(value_.get<double>() >= low && value_.get<double>() <= high))
        bad_number("a number", is_one, low, high);
    return value_.get<double>();
}

bool JsonReader::boolean() const {
    if (!value_.is_boolean()) bad_type("true or false");
    return value_.get<bool>();
}

std::string JsonReader::text(std::size_t most_bytes) const {
    if (!value_.is_string()) bad_type("text");
    const auto& s = value_.get_ref<const std::string&>();
    if (s.find('\0') != std::string::npos) out_of_range("holds a NUL character", "remove it");
    if (find_invalid_utf8(s)) out_of_range("is not UTF-8", "write it in UTF-8");
    if (s.size() > most_bytes)
        out_of_range(fmt::format("is longer than {} bytes", most_bytes),
                     "shorten it: a model reads some hundred words");
    return s;
}

fs::path JsonReader::path() const {
    const std::string s = text();
    if (s.empty()) out_of_range("is empty", "name a file, or leave it out");
    if (s.size() > max_path_bytes)
        out_of_range(fmt::format("is longer than {} bytes", max_path_bytes), "choose a shorter path");
    // Unchanged if possible, as messages show it.
    return fs::path(s).is_absolute() || source_.folder.empty() ? fs::path(s) : source_.folder / s;
}

std::size_t JsonReader::index_of(std::span<const std::string_view> names) const {
    const std::string all = fmt::format("{}", fmt::join(names, ", "));
    if (!value_.is_string()) bad_type("one of " + all);
    const auto& s = value_.get_ref<const std::string&>();
    if (const auto it = std::find(names.begin(), names.end(), s); it != names.end())
        return std::size_t(it - names.begin());
    const std::string near = closest(s, names);
    out_of_range(fmt::format("'{}' is unknown", printable(s, 40)),
                 near.empty() ? "use one of " + all : fmt::format("did you mean {}? One of {}", near, all));
}

bool JsonReader::has(std::string_view key) const {
    if (!value_.is_object()) return false;
    const auto it = value_.find(key);
    return it != value_.end() && !it->is_null();
}

JsonReader JsonReader::at(std::string_view key) const {
    check_object();
    const auto it = value_.find(key);
    if (it == value_.end()) member(key, value_).refuse("is missing");
    return member(key, *it);
}

void JsonReader::check_object() const {
    if (!value_.is_object()) bad_type("an object");
}

void JsonReader::only(std::span<const std::string_view> known) const {
    check_object();
    for (const auto& [key, child] : value_.items()) {
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        member(printable(key, 40), child)
            .refuse("is not a known key",
                    did_you_mean(key, known, fmt::format("known are {}", fmt::join(known, ", "))));
    }
}

std::size_t JsonReader::items(std::size_t most) const {
    if (!value_.is_array()) bad_type("a list");
    if (value_.size() > most)
        out_of_range(fmt::format("{} are too many", value_.size()), fmt::format("name at most {}", most));
    return value_.size();
}

JsonReader JsonReader::item(std::size_t index) const {
    return {value_[index], source_, fmt::format("{}[{}]", field_, index)};
}

Json to_json(const Error& e) {
    return {{"file", e.file()}, {"field", e.field()}, {"message", e.message()}, {"hint", e.hint()}};
}

Error error_from(const JsonReader& in) {
    static constexpr std::string_view parts[] = {"file", "field", "message", "hint"};
    in.only(parts);
    const auto part = [&](const char* key) { return in.value().contains(key) ? in.at(key).text() : std::string(); };
    return {part("file"), part("field"), part("message"), part("hint")};
}

} // namespace denoir
