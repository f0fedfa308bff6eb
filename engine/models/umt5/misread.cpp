// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/misread.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "engine/core/text.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

using Text = std::u32string;
using View = std::u32string_view;

/// A one-byte encoding whose lower half is ASCII.
struct Encoding {
    bool sloppy; ///< every byte has a character, and U+FFFD becomes byte 0x1A
    bool macroman;
    std::array<char16_t, 128> upper;
};

#include "engine/models/umt5/misread_encodings.inc"

bool between(char c, int first, int last) {
    const auto b = static_cast<std::uint8_t>(c);
    return b >= first && b <= last;
}

std::optional<std::string> encode_latin1(View text) {
    std::string bytes;
    for (char32_t c : text) {
        if (c > 0xFF) return std::nullopt;
        bytes += static_cast<char>(c);
    }
    return bytes;
}

std::optional<std::string> encode(View text, const Encoding& encoding) {
    std::string bytes;
    for (char32_t c : text) {
        if (c < 0x80 && !(encoding.sloppy && c == 0x1A)) {
            bytes += static_cast<char>(c);
        } else if (encoding.sloppy && c == 0xFFFD) {
            bytes += '\x1A';
        } else {
            const auto found = std::find(encoding.upper.begin(), encoding.upper.end(), c);
            if (found == encoding.upper.end()) return std::nullopt;
            bytes += static_cast<char>(0x80 + (found - encoding.upper.begin()));
        }
    }
    return bytes;
}

/// Length of the UTF-8 sequence at the start of `s` in which a space replaces the byte 0xA0; 0 if there is none. Only
/// sequences whose repaired character is a likely one count.
std::size_t spaced_sequence(std::string_view s) {
    const auto continuation = [](char c) { return between(c, 0x80, 0xBF) && c != '\x85' && c != '\xA0'; };
    if (s.size() >= 2 && std::string_view("\xC2\xC3\xC5\xCE\xD0\xD9").find(s[0]) != std::string_view::npos &&
        s[1] == ' ')
        return 2;
    if (s.size() >= 3 && between(s[0], 0xE2, 0xE3) && s[1] == ' ' && continuation(s[2])) return 3;
    if (s.size() >= 3 && between(s[0], 0xE0, 0xE3) && continuation(s[1]) && s[2] == ' ') return 3;
    if (s.size() < 4 || s[0] != '\xF0') return 0;
    int spaces = 0;
    for (std::size_t i = 1; i < 4; ++i) {
        if (s[i] != ' ' && !between(s[i], 0x80, 0xBF)) return 0;
        spaces += s[i] == ' ';
    }
    return spaces == 1 ? 4 : 0;
}

bool has_spaced_sequence(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (spaced_sequence(bytes.substr(i))) return true;
    return false;
}

/// Repairs "à" (bytes C3 A0) where a space replaces its second byte. The space was probably also the one behind the
/// word "à", so it is kept, unless another space or the rest of a Portuguese contraction (àquele, às) follows.
std::string separate_a_grave(std::string_view bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        out += bytes[i];
        const std::string_view rest = bytes.substr(i + 1);
        if (bytes[i] != '\xC3' || !rest.starts_with(' ')) continue;
        const std::string_view next = rest.substr(1);
        if (next.starts_with(' ') || next.starts_with("quele") || next.starts_with("quela") ||
            next.starts_with("quilo") || next.starts_with("s "))
            continue;
        out += "\xA0 ";
        ++i;
    }
    return out;
}

std::string restore_a0(std::string_view bytes) {
    std::string out = separate_a_grave(bytes);
    for (std::size_t i = 0; i < out.size();) {
        const std::size_t n = spaced_sequence(std::string_view(out).substr(i));
        std::replace(out.begin() + static_cast<std::ptrdiff_t>(i), out.begin() + static_cast<std::ptrdiff_t>(i + n),
                     ' ', '\xA0');
        i += std::max<std::size_t>(n, 1);
    }
    return out;
}

/// Length of the UTF-8 (or CESU-8) sequence at the start of `s` if some of its bytes were lost, which 0x1A and in some
/// places '?' stand for; 0 if there is none.
std::size_t lossy_sequence(std::string_view s) {
    const auto lost = [](char c) { return c == '\x1A' || c == '?'; };
    const auto kept_or_1a = [](char c) { return c == '\x1A' || between(c, 0x80, 0xBF); };
    const auto any = [&](char c) { return lost(c) || between(c, 0x80, 0xBF); };
    if (s.size() >= 2 && between(s[0], 0xC2, 0xDF) && s[1] == '\x1A') return 2;
    if (s.size() >= 2 && between(s[0], 0xC2, 0xC3) && s[1] == '?') return 2;
    if (s.size() >= 6 && s[0] == '\xED' && between(s[1], 0xA0, 0xAF) && s[3] == '\xED' && between(s[4], 0xB0, 0xBF) &&
        any(s[2]) && any(s[5]) && (lost(s[2]) || lost(s[5])))
        return 6;
    if (s.size() >= 3 && between(s[0], 0xE0, 0xEF) &&
        ((lost(s[1]) && kept_or_1a(s[2])) || (kept_or_1a(s[1]) && lost(s[2]))))
        return 3;
    if (s.size() >= 4 && between(s[0], 0xF0, 0xF4)) {
        // Of the three bytes, at least one was lost, and at most one is a '?'.
        int gone = 0, questions = 0;
        for (std::size_t i = 1; i < 4; ++i) {
            if (!any(s[i])) return 0;
            gone += lost(s[i]);
            questions += s[i] == '?';
        }
        if (gone > 0 && questions <= 1) return 4;
    }
    return !s.empty() && s[0] == '\x1A' ? 1 : 0;
}

std::string replace_lossy(std::string_view bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes.size();) {
        const std::size_t n = lossy_sequence(bytes.substr(i));
        if (n)
            out += "\xEF\xBF\xBD";
        else
            out += bytes[i];
        i += std::max<std::size_t>(n, 1);
    }
    return out;
}

/// Decodes UTF-8 and, with `variants`, also Java's two-byte NUL and surrogate pairs of three bytes each (CESU-8). Empty
/// if malformed.
std::optional<Text> decode_strict(std::string_view bytes, bool variants) {
    std::string plain;
    for (std::size_t i = 0; i < bytes.size();) {
        const std::string_view rest = bytes.substr(i);
        // A line end at the end of the text passes for the last byte, because ftfy's patterns end in `$`.
        const auto last = [&](std::size_t k) {
            return between(rest[k], 0x80, 0xBF) || (rest[k] == '\n' && rest.size() == k + 1);
        };
        if (variants && rest.size() >= 2 && rest[0] == '\xC0' &&
            (rest[1] == '\x80' || (rest[1] == '\n' && rest.size() == 2))) {
            plain += '\0';
            i += 2;
            continue;
        }
        if (variants && rest.size() >= 6 && rest[0] == '\xED' && between(rest[1], 0xA0, 0xAF) &&
            between(rest[2], 0x80, 0xBF) && rest[3] == '\xED' && between(rest[4], 0xB0, 0xBF) && last(5)) {
            const auto bits = [&](std::size_t k, unsigned mask) {
                return static_cast<char32_t>(static_cast<std::uint8_t>(rest[k]) & mask);
            };
            append_utf8(plain,
                        (bits(1, 0xF) << 16) + (bits(2, 0x3F) << 10) + (bits(4, 0xF) << 6) + bits(5, 0x3F) + 0x10000);
            i += 6;
            continue;
        }
        const std::size_t n = utf8_length(rest);
        if (n == 0) return std::nullopt;
        plain += rest.substr(0, n);
        i += n;
    }
    return decode_utf8(plain);
}

std::optional<Text> reread(std::string bytes, const Encoding* encoding) {
    if (!(encoding && encoding->macroman) && has_spaced_sequence(bytes)) bytes = restore_a0(bytes);
    if (encoding && encoding->sloppy) bytes = replace_lossy(bytes);
    const bool variants = bytes.find('\xED') != std::string::npos || bytes.find('\xC0') != std::string::npos;
    return decode_strict(bytes, variants);
}

} // namespace

std::optional<Text> reread_as_utf8(View text) {
    if (const auto bytes = encode_latin1(text))
        if (auto fixed = reread(*bytes, nullptr)) return fixed;
    for (const Encoding& encoding : encodings)
        if (const auto bytes = encode(text, encoding))
            if (auto fixed = reread(*bytes, &encoding)) return fixed;
    return std::nullopt;
}

const std::array<char16_t, 128>& windows_1252_upper() { return encodings[0].upper; }

} // namespace denoir::umt5
