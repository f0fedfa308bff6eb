// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"
#include "engine/session/request_json.h"

namespace denoir {

template <class T> struct Named {
    std::string_view name;
    T value;
};

/// One value of a request being read: where it stands, and what to say when it does not fit. Errors name the field as
/// the user wrote it.
class FieldReader {
public:
    FieldReader(std::string key, const Json& value, const RequestSource& source)
        : key_(std::move(key)), value_(value), source_(source) {}

    const Json& value() const { return value_; }
    const RequestSource& source() const { return source_; }
    /// "--negative-prompt" or "negative_prompt".
    std::string field() const;
    [[noreturn]] void bad_type(std::string_view wanted) const;
    [[noreturn]] void out_of_range(std::string message, std::string hint) const;

    std::int64_t integer() const;
    std::int64_t integer(std::int64_t low, std::int64_t high) const;
    std::uint64_t seed() const;
    double number(double low, double high) const;
    bool boolean() const;
    std::string text() const;
    std::filesystem::path path() const;
    template <class T> T one_of(std::span<const Named<T>> choices) const {
        std::vector<std::string_view> names;
        for (const auto& choice : choices) names.push_back(choice.name);
        return choices[index_of(names)].value;
    }

    /// A member of an object value, with a dotted name.
    FieldReader member(std::string_view name, const Json& child) const {
        return {key_ + "." + std::string(name), child, source_};
    }
    /// Refuses what is no object, or has members besides these.
    void only(std::span<const std::string_view> known) const;

private:
    std::size_t index_of(std::span<const std::string_view> names) const;
    std::string key_;
    const Json& value_;
    const RequestSource& source_;
};

} // namespace denoir
