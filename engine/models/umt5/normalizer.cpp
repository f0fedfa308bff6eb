// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/normalizer.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

/// The `Nmt` normaliser: drops control characters, and turns separators and invisible characters into spaces.
std::string nmt(std::string_view text) {
    std::string out;
    for (const char32_t c : decode_utf8(text)) {
        const bool dropped =
            (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
        const bool space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
                           c == 0xFFFD;
        if (!dropped) append_utf8(out, space ? U' ' : c);
    }
    return out;
}

std::string strip(std::string_view text, bool left, bool right) {
    const std::u32string wide = decode_utf8(text);
    std::size_t begin = 0, end = wide.size();
    while (left && begin < end && is_white_space(wide[begin])) ++begin;
    while (right && end > begin && is_white_space(wide[end - 1])) --end;
    return encode_utf8(std::u32string_view(wide).substr(begin, end - begin));
}

/// Replaces each `pattern` by `content`. Stops as soon as the result is longer than `most` bytes, as replace_runs()
/// does.
std::string replace_each(std::string_view text, std::string_view pattern, std::string_view content,
                         std::size_t most = std::string::npos) {
    std::string out;
    for (std::size_t i = 0; i < text.size() && out.size() <= most;) {
        const std::size_t next = pattern.empty() ? text.size() : std::min(text.find(pattern, i), text.size());
        out += text.substr(i, next - i);
        if (next == text.size()) break;
        out += content;
        i = next + pattern.size();
    }
    return out;
}

std::string replace_runs(std::string_view text, std::string_view pattern, std::size_t at_least,
                         std::string_view content, std::size_t most) {
    const bool any_space = pattern == "\\s";
    const std::u32string wide = decode_utf8(text);
    const char32_t wanted = any_space ? 0 : decode_utf8(pattern).at(0);
    const auto matches = [&](char32_t c) { return any_space ? is_white_space(c) : c == wanted; };
    std::string out;
    for (std::size_t i = 0; i < wide.size() && out.size() <= most;) {
        std::size_t end = i;
        while (end < wide.size() && matches(wide[end])) ++end;
        if (end > i && end - i >= at_least) {
            out += content;
        } else {
            end = std::max(end, i + 1);
            out += encode_utf8(std::u32string_view(wide).substr(i, end - i));
        }
        i = end;
    }
    return out;
}

} // namespace

std::string Normalizer::apply(std::string_view text, std::size_t most) const {
    std::string out = applied(text, most);
    if (out.size() > most)
        throw Error("", "normalizer", "makes megabytes of a short text",
                    "use the tokenizer of UMT5, or a shorter text");
    return out;
}

/// Steps that can make many bytes out of one stop soon after `most` bytes; the others multiply the length by a small
/// number at most.
std::string Normalizer::applied(std::string_view text, std::size_t most) const {
    switch (kind) {
    case Kind::charsmap:
        return charsmap.apply(text, most);
    case Kind::nfc:
        return normalized(text, Form::nfc);
    case Kind::nfd:
        return normalized(text, Form::nfd);
    case Kind::nfkc:
        return normalized(text, Form::nfkc);
    case Kind::nfkd:
        return normalized(text, Form::nfkd);
    case Kind::lower_case:
        return lower_case(text);
    case Kind::nmt:
        return nmt(text);
    case Kind::strip:
        return strip(text, left, right);
    case Kind::replace:
        return at_least ? replace_runs(text, pattern, at_least, content, most)
                        : replace_each(text, pattern, content, most);
    case Kind::prepend:
        return text.empty() ? std::string() : content + std::string(text);
    }
    return std::string(text);
}

std::vector<PreTokenizer::Word> PreTokenizer::apply(const Word& word) const {
    std::vector<Word> words;
    if (kind == Kind::white_space) {
        std::size_t begin = 0;
        const auto cut = [&](std::size_t end) {
            if (end > begin) words.push_back({word.text.substr(begin, end - begin), word.first && begin == 0});
        };
        for (std::size_t i = 0; i < word.text.size();) {
            const std::string_view rest = std::string_view(word.text).substr(i);
            const std::size_t n = std::max<std::size_t>(utf8_length(rest), 1);
            if (is_white_space(decode_utf8(rest.substr(0, n))[0])) {
                cut(i);
                begin = i + n;
            }
            i += n;
        }
        cut(word.text.size());
        return words;
    }
    std::string text = replace_each(word.text, " ", replacement);
    const bool wanted = prepend == Prepend::always || (prepend == Prepend::first && word.first);
    if (wanted && !text.empty() && !text.starts_with(replacement)) text = replacement + text;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t next = split ? text.find(replacement, begin + replacement.size()) : std::string::npos;
        // If the text does not begin with the mark, the first one may lie before `next`.
        const std::size_t early = split && begin == 0 && !text.starts_with(replacement) ? text.find(replacement) : next;
        const std::size_t end = std::min({next, early, text.size()});
        words.push_back({text.substr(begin, end - begin), word.first && begin == 0});
        begin = end;
    }
    return words;
}

} // namespace denoir::umt5
