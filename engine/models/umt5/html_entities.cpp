// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/html_entities.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "engine/core/text.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

struct Entity {
    std::string_view name; ///< without '&'; with the ';' unless the name is one that may lack it
    std::string_view text;
};

#include "engine/models/umt5/html_entities.inc"

constexpr std::size_t longest_name = 32; ///< characters that html.unescape looks up, without ';'

const Entity* find(std::string_view name) {
    const auto less = [](const Entity& e, std::string_view n) { return e.name < n; };
    const Entity* found = std::lower_bound(std::begin(named_entities), std::end(named_entities), name, less);
    return found != std::end(named_entities) && found->name == name ? found : nullptr;
}

/// The longest entity name that `name` begins with, of at least two letters and shorter than `name`; null if there is
/// none.
const Entity* find_prefix(std::string_view name) {
    for (std::size_t n = name.size() - 1; n > 1; --n)
        if (const Entity* e = find(name.substr(0, n))) return e;
    return nullptr;
}

/// `s` with a NUL in place of each other character: entity names are ASCII, so that no text with a NUL is one.
std::string ascii(std::u32string_view s) {
    std::string out;
    for (char32_t c : s) out += c > 0 && c < 0x80 ? static_cast<char>(c) : '\0';
    return out;
}

/// The text of the numeric reference `n` in HTML5: Windows-1252 for 0x80…0x9F, U+FFFD for numbers that are no
/// character, nothing for control characters and noncharacters.
std::u32string number_text(std::uint32_t n) {
    static constexpr char32_t windows[32] = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                             0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                             0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                             0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
    if (n == 0 || n > 0x10FFFF || (n >= 0xD800 && n <= 0xDFFF)) return U"\uFFFD";
    if (n >= 0x80 && n <= 0x9F) return {windows[n - 0x80]};
    const bool control = n < 0x20 && n != '\t' && n != '\n' && n != '\f' && n != '\r';
    if (control || n == 0x7F || (n >= 0xFDD0 && n <= 0xFDEF) || (n & 0xFFFE) == 0xFFFE) return {};
    return {static_cast<char32_t>(n)};
}

int digit_value(char32_t c, int base) {
    if (is_ascii_digit(c)) return static_cast<int>(c - '0');
    if (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
        return static_cast<int>((c | 0x20) - 'a') + 10;
    return -1;
}

struct Number {
    std::size_t length = 0; ///< characters from '&' to the end of the reference; 0: not a numeric reference
    std::uint32_t value = 0;
};

/// Reads `&#12;` or `&#x1F;`, with or without the semicolon, at the start of `s`.
Number numeric_reference(std::u32string_view s) {
    if (s.size() < 3 || s[1] != '#') return {};
    const int base = (s[2] | 0x20) == 'x' ? 16 : 10;
    const std::size_t start = base == 16 ? 3 : 2;
    std::size_t i = start;
    std::uint32_t value = 0;
    for (; i < s.size() && digit_value(s[i], base) >= 0; ++i)
        value = std::min<std::uint32_t>(
            value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit_value(s[i], base)), 0x110000);
    if (i == start) return {};
    return {i < s.size() && s[i] == ';' ? i + 1 : i, value};
}

/// Length of `&name;` at the start of `s`, with or without the semicolon; 0 if nothing that could be a name follows the
/// '&'.
std::size_t named_reference(std::u32string_view s) {
    std::size_t i = 1;
    while (i < s.size() && i <= longest_name &&
           std::u32string_view(U"\t\n\f <&#;").find(s[i]) == std::u32string_view::npos)
        ++i;
    if (i == 1) return 0;
    return i < s.size() && s[i] == ';' ? i + 1 : i;
}

/// ftfy's all-caps names: `name` in lower case is an entity, and the result is that entity's text in capitals. Empty if
/// there is no such entity, if `name` has a small letter, or if HTML itself gives it a meaning.
std::optional<std::u32string> unescape_capitals(std::string name) {
    if (find_prefix(name)) return std::nullopt;
    for (char& c : name) {
        if (is_ascii_lower(c)) return std::nullopt;
        c = lower_ascii(c);
    }
    const Entity* e = find(name);
    if (!e) return std::nullopt;
    return upper_case(decode_utf8(e->text));
}

} // namespace

std::u32string unescape_html(std::u32string_view text) {
    std::u32string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t next = std::min(text.find(U'&', i), text.size());
        out += text.substr(i, next - i);
        i = next;
        if (i == text.size()) break;
        const std::u32string_view rest = text.substr(i);
        if (const Number number = numeric_reference(rest); number.length) {
            out += number_text(number.value);
            i += number.length;
            continue;
        }
        const std::size_t length = named_reference(rest);
        const std::string name = length ? ascii(rest.substr(1, length - 1)) : std::string();
        const Entity* whole = length ? find(name) : nullptr;
        const Entity* prefix = length && !whole ? find_prefix(name) : nullptr;
        if (whole || prefix) {
            out += decode_utf8((whole ? whole : prefix)->text);
            const std::size_t used = whole ? length : prefix->name.size() + 1;
            out += rest.substr(used, length - used);
        } else {
            out += rest.substr(0, std::max<std::size_t>(length, 1));
        }
        i += std::max<std::size_t>(length, 1);
    }
    return out;
}

std::optional<std::u32string> unescape_reference(std::u32string_view reference) {
    const std::string name = ascii(reference.substr(1));
    if (const Entity* e = find(name)) return decode_utf8(e->text);
    if (!name.starts_with('#')) return unescape_capitals(name);
    const Number number = numeric_reference(reference);
    if (number.length != reference.size() || number.value == ';') return std::nullopt;
    return number_text(number.value);
}

} // namespace denoir::umt5
