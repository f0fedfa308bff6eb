// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/named.h"

namespace denoir {

/// Where a document of JSON comes from: for messages, and for what relative paths in it mean.
struct JsonSource {
    std::string file;                       ///< as the user named it; empty: the values stand in none
    std::filesystem::path folder;           ///< relative paths start here; empty: at the working directory
    std::string hint = "correct the value"; ///< what to do about a value that does not fit
    /// Somebody wrote it: a value out of range is a UsageError that tells the range. Else a program did, and what does
    /// not fit has been changed: an Error with `hint`.
    bool by_hand = true;
};

/// A value of a document with its place there, asked for with its type and range. What does not fit is refused: an
/// Error, of a value that stands in no file a UsageError, naming the field as "forcing.overlap" or "steps[3].seconds".
/// (parse_json has refused repeated keys before.) Value and source must outlive it.
class JsonReader {
public:
    JsonReader(const Json& value, const JsonSource& source, std::string field = {})
        : value_(value), source_(source), field_(std::move(field)) {}

    const Json& value() const { return value_; }
    const JsonSource& source() const { return source_; }
    const std::string& field() const { return field_; }

    bool is_whole() const;        ///< a whole number of any size
    std::int64_t integer() const; ///< beyond 64 bits: the largest, the least
    std::int64_t integer(std::int64_t low, std::int64_t high) const;
    double number() const;
    double number(double low, double high) const;
    bool boolean() const;
    std::string text(std::size_t most_bytes = 4 << 20) const; ///< UTF-8 without NUL
    std::filesystem::path path() const;                       ///< from the source's folder
    template <class T> T one_of(std::span<const Named<T>> choices) const {
        std::vector<std::string_view> names;
        for (const auto& choice : choices) names.push_back(choice.name);
        return choices[index_of(names)].value;
    }

    // Objects
    bool has(std::string_view key) const;      ///< and it is not null
    JsonReader at(std::string_view key) const; ///< refused where it is missing
    bool flag(std::string_view key, bool otherwise) const { return has(key) ? at(key).boolean() : otherwise; }
    void check_object() const;
    /// Refuses what is no object, or has members besides these.
    void only(std::span<const std::string_view> known) const;
    /// A member that was found already.
    JsonReader member(std::string_view key, const Json& child) const {
        return {child, source_, field_.empty() ? std::string(key) : field_ + "." + std::string(key)};
    }

    // Lists
    /// How many; refused where there are more than `most`.
    std::size_t items(std::size_t most = std::numeric_limits<std::size_t>::max()) const;
    JsonReader item(std::size_t index) const;

    /// The value as messages have it; of a number beyond 64 bits, which the parser has rounded, only that it is one.
    std::string shown() const;
    /// "must be `wanted`, not …".
    [[noreturn]] void bad_type(std::string_view wanted) const;
    /// The right type, but no value that can be. `hint` is for who wrote it.
    [[noreturn]] void out_of_range(std::string message, std::string hint) const;
    /// Throws Error; without a hint with the source's.
    [[noreturn]] void refuse(std::string message, const std::string& hint = {}) const;

private:
    template <class T> [[noreturn]] void bad_number(std::string_view kind, bool is_one, T low, T high) const;
    std::size_t index_of(std::span<const std::string_view> names) const;

    const Json& value_;
    const JsonSource& source_;
    std::string field_;
};

/// An error as {"file", "field", "message", "hint"}, and back; a part that is not there is empty.
Json to_json(const Error&);
Error error_from(const JsonReader&);

} // namespace denoir
