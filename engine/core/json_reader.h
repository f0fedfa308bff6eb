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

/// Where a JSON document comes from, for messages and to resolve relative paths in it.
struct JsonSource {
    std::string file;                       ///< as the user named it; empty if the values are in no file
    std::filesystem::path folder;           ///< for relative paths; empty: the working directory
    std::string hint = "correct the value"; ///< what to do about a value that does not fit
    /// True if a person wrote it: a value out of range is then a UsageError that gives the range. Otherwise a program
    /// did, and a bad value means that the file was altered: an Error with `hint`.
    bool by_hand = true;
};

/// A value and its place in a document, to be read with the expected type and range. All members throw Error
/// (UsageError if the value is in no file) if it does not fit, naming the field as "forcing.overlap" or
/// "steps[3].seconds". (parse_json has refused repeated keys.) Value and source must outlive the reader.
class JsonReader {
public:
    JsonReader(const Json& value, const JsonSource& source, std::string field = {})
        : value_(value), source_(source), field_(std::move(field)) {}

    const Json& value() const { return value_; }
    const JsonSource& source() const { return source_; }
    const std::string& field() const { return field_; }

    bool is_whole() const;        ///< a whole number of any size
    std::int64_t integer() const; ///< clamped to 64 bits
    std::int64_t integer(std::int64_t low, std::int64_t high) const;
    double number() const;
    double number(double low, double high) const;
    bool boolean() const;
    std::string text(std::size_t most_bytes = 4 << 20) const; ///< UTF-8 without NUL
    std::filesystem::path path() const;                       ///< relative ones are in the source's folder
    template <class T> T one_of(std::span<const Named<T>> choices) const {
        std::vector<std::string_view> names;
        for (const auto& choice : choices) names.push_back(choice.name);
        return choices[index_of(names)].value;
    }

    // Objects
    bool has(std::string_view key) const;      ///< whether it is present and not null
    JsonReader at(std::string_view key) const; ///< throws if it is missing
    bool flag(std::string_view key, bool otherwise) const { return has(key) ? at(key).boolean() : otherwise; }
    void check_object() const;
    /// Throws unless this is an object whose keys are all in `known`.
    void only(std::span<const std::string_view> known) const;
    /// The reader of a member that the caller has already found.
    JsonReader member(std::string_view key, const Json& child) const {
        return {child, source_, field_.empty() ? std::string(key) : field_ + "." + std::string(key)};
    }

    // Lists
    /// The number of items. Throws if there are more than `most`.
    std::size_t items(std::size_t most = std::numeric_limits<std::size_t>::max()) const;
    JsonReader item(std::size_t index) const;

    /// The value as messages quote it. A number beyond 64 bits, which the parser has rounded, is described in words.
    std::string shown() const;
    /// Throws "must be `wanted`, not …".
    [[noreturn]] void bad_type(std::string_view wanted) const;
    /// Throws for a value of the right type that is not allowed. `hint` is for a person who wrote it.
    [[noreturn]] void out_of_range(std::string message, std::string hint) const;
    /// Throws Error with `hint`, or with the source's if it is empty.
    [[noreturn]] void refuse(std::string message, const std::string& hint = {}) const;

private:
    template <class T> [[noreturn]] void bad_number(std::string_view kind, bool is_one, T low, T high) const;
    std::size_t index_of(std::span<const std::string_view> names) const;

    const Json& value_;
    const JsonSource& source_;
    std::string field_;
};

/// An error as {"file", "field", "message", "hint"}, and back; a missing part is empty.
Json to_json(const Error&);
Error error_from(const JsonReader&);

} // namespace denoir
