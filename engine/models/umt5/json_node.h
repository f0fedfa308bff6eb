// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/json.h"
#include "engine/core/text.h"
#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {

/// A value of a tokenizer's JSON file together with its place in it, so that every refusal names the field.
struct Node {
    const Json& json;
    std::string path;
    std::string_view file;

    [[noreturn]] void refuse(std::string message, std::string hint = "get the tokenizer file again") const {
        throw Error(std::string(file), path, std::move(message), std::move(hint));
    }
    bool has(const char* key) const { return json.is_object() && json.contains(key) && !json[key].is_null(); }
    Node at(const char* key) const {
        if (!json.is_object()) refuse("is not an object");
        const std::string place = path.empty() ? key : path + "." + key;
        if (!has(key)) throw Error(std::string(file), place, "is missing", "get the tokenizer file again");
        return {json[key], place, file};
    }
    Node at(std::size_t i) const { return {json[i], fmt::format("{}[{}]", path, i), file}; }
    std::size_t items(std::size_t limit) const {
        if (!json.is_array()) refuse("is not an array");
        if (json.size() > limit) refuse(fmt::format("has more than {} items", limit));
        return json.size();
    }
    std::string string(std::size_t limit = Unigram::max_piece_bytes) const {
        if (!json.is_string()) refuse("is not a string");
        const auto& text = json.get_ref<const std::string&>();
        if (text.size() > limit) refuse(fmt::format("is longer than {} bytes", limit));
        return text;
    }
    bool boolean() const {
        if (!json.is_boolean()) refuse("is not true or false");
        return json.get<bool>();
    }
    bool flag(const char* key, bool otherwise) const { return has(key) ? at(key).boolean() : otherwise; }
    std::int64_t id() const {
        if (!json.is_number_integer() || json < 0 || json >= max_token_id)
            refuse(fmt::format("is not an id from 0 to {}", max_token_id - 1));
        return json.get<std::int64_t>();
    }
    double number() const {
        if (!json.is_number() || !std::isfinite(json.get<double>())) refuse("is not a number");
        return json.get<double>();
    }
    [[noreturn]] void unknown_type(std::string_view type) const {
        refuse(fmt::format("has the type \"{}\", which this program does not know", type), "use the tokenizer of UMT5");
    }
};

} // namespace denoir::umt5
