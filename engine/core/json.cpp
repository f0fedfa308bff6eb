// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/json_scanner.h"
#include "engine/core/text.h"

namespace denoir {
namespace {

/// Limit of values in a document: a file of 100 MB full of one-digit numbers would become gigabytes of nodes. A
/// tokenizer.json of a million pieces has three for each.
constexpr std::size_t max_values = 3'200'000;

/// The place of the byte at `offset`, as "line 3, column 17"; columns count characters.
std::string place(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t line_start = before.rfind('\n') + 1; // npos + 1 = 0
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(),
                                          [](char c) { return !is_utf8_continuation(c); });
    return fmt::format("line {}, column {}", line, column);
}

using Members = Json::object_t::Container;

/// Scans a document into nlohmann's values.
class Parser final : JsonScanner {
public:
    Parser(std::string_view text, std::string_view file) : JsonScanner(text), text_(text), file_(file) {}

    Json document() {
        skip_space();
        Json result = value();
        finish();
        return result;
    }

private:
    /// An array or object that is being read. All of them form the path in errors.
    struct Level {
        bool array;
        std::size_t index = 0;
        std::string_view key = {};
        bool in_value = false;
    };

    /// The path of the value that is being read: "noise.kind" or "weights[3]".
    std::string path() const {
        std::string out;
        for (const Level& level : open_) {
            if (level.array)
                out += fmt::format("[{}]", level.index);
            else if (level.in_value)
                out.append(out.empty() ? "" : ".").append(level.key);
        }
        return out;
    }

    Error problem(std::size_t offset, std::string_view what, std::string hint) const override {
        return {std::string(file_), path(), fmt::format("{} ({})", what, place(text_, offset)), std::move(hint)};
    }

    Json value() {
        if (++values_ > max_values)
            fail(at(), fmt::format("more than {} values", max_values), "no file that is read here is that large");
        switch (peek()) {
        case '{':
            return object();
        case '[':
            return array();
        case '"':
            return string();
        case 't':
            return literal("true"), true;
        case 'f':
            return literal("false"), false;
        case 'n':
            return literal("null"), nullptr;
        default:
            return number();
        }
    }

    Json array() {
        Json result(Json::value_t::array);
        auto& items = result.get_ref<Json::array_t&>();
        open_.push_back({true});
        each_element([&](std::size_t i) {
            open_.back().index = i;
            items.push_back(value());
            open_.back().index = i + 1;
        });
        open_.pop_back();
        return result;
    }

    Json object() {
        Json result(Json::value_t::object);
        // The underlying vector: appending to it skips the search for the key, which takes quadratic time.
        Members& members = result.get_ref<Json::object_t&>();
        std::vector<std::size_t> offsets;
        open_.push_back({false});
        each_member([&](std::string key, std::size_t offset) {
            offsets.push_back(offset);
            open_.back().key = key;
            open_.back().in_value = true;
            Json member = value();
            open_.back().in_value = false;
            members.emplace_back(std::move(key), std::move(member));
        });
        refuse_repeated_keys(members, offsets);
        open_.pop_back();
        return result;
    }

    void refuse_repeated_keys(const Members& members, const std::vector<std::size_t>& offsets) {
        if (members.size() < 2) return;
        std::vector<std::uint32_t> order(members.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            const int difference = members[a].first.compare(members[b].first);
            return difference != 0 ? difference < 0 : a < b;
        });
        std::size_t repeated = members.size();
        for (std::size_t i = 1; i < order.size(); ++i)
            if (members[order[i - 1]].first == members[order[i]].first)
                repeated = std::min<std::size_t>(repeated, order[i]);
        if (repeated == members.size()) return;
        open_.back().key = members[repeated].first;
        open_.back().in_value = true;
        fail(offsets[repeated], "appears a second time", "keep one of them");
    }

    Json number() {
        const std::size_t start = at();
        const std::string_view digits = JsonScanner::number();
        const char *begin = digits.data(), *end = begin + digits.size();
        if (digits.find_first_of(".eE") == std::string_view::npos) {
            std::uint64_t natural = 0;
            if (*begin != '-' && std::from_chars(begin, end, natural).ec == std::errc()) return natural;
            std::int64_t integer = 0;
            if (std::from_chars(begin, end, integer).ec == std::errc()) return integer;
        }
        const double real = read_double(digits).value_or(0);
        if (!std::isfinite(real))
            fail(start, fmt::format("{} is too large for a number", printable(digits, 40)), "write a finite number");
        return real;
    }

    std::string_view text_, file_;
    std::size_t values_ = 0;
    std::vector<Level> open_;
};

} // namespace

Json parse_json(std::string_view text, std::string_view file) {
    if (const auto bad = find_invalid_utf8(text))
        throw Error(std::string(file), "", fmt::format("not UTF-8 ({})", place(text, *bad)), "save the text as UTF-8");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw Error(std::string(file), "", "is empty", "it should hold JSON");
    if (text.starts_with("\xEF\xBB\xBF")) // some editors write it, but none shows it
        throw Error(std::string(file), "", "begins with a byte order mark", "save it as UTF-8 without one");
    return Parser(text, file).document();
}

} // namespace denoir
