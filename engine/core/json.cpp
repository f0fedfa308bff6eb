// SPDX-License-Identifier: Apache-2.0
// A parser of our own for nlohmann's values: theirs takes twice the time for hostile texts, stops at NUL, searches
// objects for each new key, and its messages are not for users.
#include "engine/core/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/text.h"

namespace denoir {
namespace {

constexpr std::size_t max_depth = 64;
/// A header of 100 MB full of one-digit numbers would otherwise become gigabytes of nodes.
constexpr std::size_t max_values = 4'000'000;
constexpr std::size_t max_number_length = 1000;

/// "line 3, column 17" of a byte; columns count characters.
std::string place(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t line_start = before.rfind('\n') + 1; // npos + 1 = 0
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(),
                                          [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return fmt::format("line {}, column {}", line, column);
}

/// The last whole numbers beyond 64 bits, newest first.
std::vector<std::pair<double, std::string>>& large_numbers() {
    thread_local std::vector<std::pair<double, std::string>> all;
    return all;
}

using Members = Json::object_t::Container;

class Parser {
public:
    Parser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

    Json document() {
        Json result = value();
        skip_space();
        if (at_ < text_.size()) unexpected("the end");
        return result;
    }

private:
    /// An array or object that is being read, for the path in errors.
    struct Level {
        bool array;
        std::size_t index = 0;
        std::string_view key = {};
        bool in_value = false;
    };

    /// "noise.kind" or "weights[3]": the value that is being read.
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

    [[noreturn]] void fail(std::size_t offset, std::string_view what, std::string hint) const {
        throw Error(std::string(file_), path(), fmt::format("{} ({})", what, place(text_, offset)), std::move(hint));
    }

    [[noreturn]] void unexpected(std::string_view wanted) const {
        if (at_ >= text_.size()) fail(at_, "the text ends too early", "close what is open, or copy the file again");
        const std::string_view rest = text_.substr(at_, 64);
        const std::size_t end = std::min(rest.find_first_of(" \t\r\n,:[]{}"), rest.size());
        const std::string_view token = rest.substr(0, std::max<std::size_t>(end, 1));
        for (const std::string_view special : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "-nan", "-NaN"})
            if (token == special) fail(at_, fmt::format("{} is not a number of JSON", token), "write a finite number");
        fail(at_, fmt::format("not JSON: expected {}, found {}", wanted, printable(token, 40)),
             "correct the text there");
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    bool take(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    void skip_space() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
            ++at_;
    }

    Json value() {
        if (++values_ > max_values)
            fail(at_, fmt::format("more than {} values", max_values), "no file that is read here is that large");
        skip_space();
        switch (peek()) {
        case '{':
            return object();
        case '[':
            return array();
        case '"':
            return string();
        case 't':
            return literal("true", true);
        case 'f':
            return literal("false", false);
        case 'n':
            return literal("null", nullptr);
        default:
            return number();
        }
    }

    Json literal(std::string_view word, Json meaning) {
        const std::size_t end = at_ + word.size();
        if (text_.substr(at_, word.size()) != word ||
            (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end]))))
            unexpected("a value");
        at_ = end;
        return meaning;
    }

    void open(bool is_array) {
        if (open_.size() == max_depth)
            fail(at_, fmt::format("nested deeper than {} levels", max_depth), "make it flatter");
        open_.push_back({is_array});
        ++at_;
        skip_space();
    }

    Json array() {
        Json result(Json::value_t::array);
        auto& items = result.get_ref<Json::array_t&>();
        open(true);
        while (!take(']')) {
            if (!items.empty() && !take(',')) unexpected("a comma or ]");
            items.push_back(value());
            skip_space();
            open_.back().index = items.size();
        }
        open_.pop_back();
        return result;
    }

    Json object() {
        Json result(Json::value_t::object);
        // The vector below: appending there skips the search for the key that would make large objects quadratic.
        Members& members = result.get_ref<Json::object_t&>();
        std::vector<std::size_t> offsets;
        open(false);
        while (!take('}')) {
            if (!members.empty() && !take(',')) unexpected("a comma or }");
            skip_space();
            offsets.push_back(at_);
            if (peek() != '"') unexpected("a key in quotes");
            std::string key = string();
            open_.back().key = key;
            open_.back().in_value = true;
            skip_space();
            if (!take(':')) unexpected("a colon");
            Json member = value();
            open_.back().in_value = false;
            members.emplace_back(std::move(key), std::move(member));
            skip_space();
        }
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

    std::string string() {
        const std::size_t start = at_++;
        std::string out;
        for (;;) {
            const std::size_t run = at_;
            while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
                   static_cast<unsigned char>(text_[at_]) >= 0x20)
                ++at_;
            out.append(text_.substr(run, at_ - run));
            if (take('"')) break;
            if (!take('\\')) {
                if (at_ < text_.size()) fail(at_, "a control character in a text", "write it as \\n, \\t or \\u00XX");
                unexpected("a closing quote");
            }
            escape(out);
        }
        if (out.find('\0') != std::string::npos) fail(start, "the text holds a NUL character", "remove it");
        return out;
    }

    void escape(std::string& out) {
        constexpr std::string_view names = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const char c = peek();
        if (c == 'u') {
            ++at_;
            append_utf8(out, code_point());
            return;
        }
        const std::size_t which = c ? names.find(c) : std::string_view::npos;
        if (which == std::string_view::npos) unexpected("an escape that JSON knows");
        out += meanings[which];
        ++at_;
    }

    /// After "\u": one code point, which may need a second "\u" (surrogate pairs).
    std::uint32_t code_point() {
        const std::size_t start = at_ - 2;
        const std::uint32_t high = four_digits();
        if (high < 0xD800 || high > 0xDFFF) return high;
        std::uint32_t low = 0;
        if (high < 0xDC00 && text_.substr(at_, 2) == "\\u") {
            at_ += 2;
            low = four_digits();
        }
        if (low < 0xDC00 || low > 0xDFFF) fail(start, "half a surrogate pair in a text", "write both halves");
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    }

    std::uint32_t four_digits() {
        std::uint32_t code = 0;
        const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() < 4 || problem != std::errc() || end != digits.data() + 4)
            unexpected("four hexadecimal digits");
        at_ += 4;
        return code;
    }

    bool skip_digits() {
        const std::size_t start = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        return at_ > start;
    }

    Json number() {
        const std::size_t start = at_;
        const auto require_digits = [&] {
            if (skip_digits()) return;
            if (at_ < text_.size()) at_ = start;
            unexpected("a value");
        };
        take('-');
        if (!take('0')) require_digits();
        const bool whole = peek() != '.' && peek() != 'e' && peek() != 'E';
        if (take('.')) require_digits();
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            require_digits();
        }
        return number_from(start, whole);
    }

    Json number_from(std::size_t start, bool whole) const {
        const std::string_view digits = text_.substr(start, at_ - start);
        const char *begin = digits.data(), *end = begin + digits.size();
        if (digits.size() > max_number_length) fail(start, "a number of too many digits", "write a shorter one");
        std::uint64_t natural = 0;
        if (whole && *begin != '-' && std::from_chars(begin, end, natural).ec == std::errc()) return natural;
        std::int64_t integer = 0;
        if (whole && std::from_chars(begin, end, integer).ec == std::errc()) return integer;
        const double real = read_double(digits).value_or(0);
        if (!std::isfinite(real))
            fail(start, fmt::format("{} is too large for a number", printable(digits, 40)), "write a finite number");
        if (whole) remember_written(real, digits);
        return real;
    }

    std::string_view text_, file_;
    std::size_t at_ = 0, values_ = 0;
    std::vector<Level> open_;
};

} // namespace

std::string as_typed(const Json& value) {
    if (value.is_number_float())
        for (const auto& [number, digits] : large_numbers())
            if (number == value.get<double>()) return digits;
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void remember_written(double value, std::string_view digits) {
    constexpr std::size_t most = 16;
    auto& all = large_numbers();
    all.emplace(all.begin(), value, digits);
    if (all.size() > most) all.pop_back();
}

Json parse_json(std::string_view text, std::string_view file) {
    if (const auto bad = find_invalid_utf8(text))
        throw Error(std::string(file), "", fmt::format("not UTF-8 ({})", place(text, *bad)), "save the text as UTF-8");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw Error(std::string(file), "", "is empty", "it should hold JSON");
    if (text.starts_with("\xEF\xBB\xBF")) // which some editors write, and none shows
        throw Error(std::string(file), "", "begins with a byte order mark", "save it as UTF-8 without one");
    return Parser(text, file).document();
}

} // namespace denoir
