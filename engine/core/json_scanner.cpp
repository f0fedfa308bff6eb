// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "engine/core/text.h"

namespace denoir {

void JsonScanner::unexpected(std::string_view wanted) const {
    if (at_ >= text_.size()) fail(at_, "the text ends too early", "close what is open, or copy the file again");
    const std::string_view rest = text_.substr(at_, 64);
    const std::size_t end = std::min(rest.find_first_of(" \t\r\n,:[]{}"), rest.size());
    const std::string_view token = rest.substr(0, std::max<std::size_t>(end, 1));
    for (const std::string_view special : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "-nan", "-NaN"})
        if (token == special) fail(at_, fmt::format("{} is not a number of JSON", token), "write a finite number");
    fail(at_, fmt::format("not JSON: expected {}, found {}", wanted, printable(token, 40)), "correct the text there");
}

void JsonScanner::open(char bracket, std::string_view kind) {
    constexpr int max_depth = 64;
    if (peek() != bracket) unexpected(kind);
    if (depth_ == max_depth) fail(at_, fmt::format("nested deeper than {} levels", max_depth), "make it flatter");
    ++depth_;
    ++at_;
    skip_space();
}

void JsonScanner::literal(std::string_view word) {
    const std::size_t end = at_ + word.size();
    if (text_.substr(at_, word.size()) != word || (end < text_.size() && is_ascii_alphanumeric(text_[end])))
        unexpected("a value");
    at_ = end;
}

std::string JsonScanner::string() {
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

void JsonScanner::escape(std::string& out) {
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

/// Reads one code point after a "\u". A surrogate pair needs a second "\u".
char32_t JsonScanner::code_point() {
    const std::size_t start = at_ - 2;
    const char32_t high = four_digits();
    if (high < 0xD800 || high > 0xDFFF) return high;
    char32_t low = 0;
    if (high < 0xDC00 && text_.substr(at_, 2) == "\\u") {
        at_ += 2;
        low = four_digits();
    }
    if (low < 0xDC00 || low > 0xDFFF) fail(start, "half a surrogate pair in a text", "write both halves");
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

char32_t JsonScanner::four_digits() {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() < 4 || problem != std::errc() || end != digits.data() + 4) unexpected("four hexadecimal digits");
    at_ += 4;
    return code;
}

bool JsonScanner::skip_digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_ascii_digit(text_[at_])) ++at_;
    return at_ > start;
}

std::string_view JsonScanner::number() {
    constexpr std::size_t most = 1000;
    const std::size_t start = at_;
    const auto require_digits = [&] {
        if (skip_digits()) return;
        if (at_ < text_.size()) at_ = start;
        unexpected("a value");
    };
    take('-');
    if (!take('0')) require_digits();
    if (take('.')) require_digits();
    if (take('e') || take('E')) {
        if (!take('+')) take('-');
        require_digits();
    }
    if (at_ - start > most) fail(start, "a number of too many digits", "write a shorter one");
    return text_.substr(start, at_ - start);
}

void JsonScanner::skip_value() {
    switch (peek()) {
    case '{':
        return each_member([&](const std::string&, std::size_t) { skip_value(); });
    case '[':
        return each_element([&](std::size_t) { skip_value(); });
    case '"':
        string();
        return;
    case 't':
        return literal("true");
    case 'f':
        return literal("false");
    case 'n':
        return literal("null");
    default:
        number();
    }
}

} // namespace denoir
