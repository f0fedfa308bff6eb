// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/mojibake.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "engine/core/text.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

using Text = std::u32string;
using View = std::u32string_view;

struct ClassRange {
    char32_t first, last;
    std::uint32_t classes;
};

/// A one-byte encoding whose lower half is ASCII.
struct Encoding {
    bool sloppy; ///< every byte has a character, and byte 0x1A stands for U+FFFD
    bool macroman;
    std::array<char16_t, 128> upper;
};

#include "engine/models/umt5/mojibake.inc"

// Classes that are computed, above those of the table.
constexpr std::uint32_t small_letter = 1u << 24, capital_letter = 1u << 25, any_space = 1u << 26, word = 1u << 27,
                        other = 1u << 28; // `other`: every character but those of the set
static_assert(utf8_continuation_strict < small_letter);

std::uint32_t classes_of(char32_t c) {
    std::uint32_t classes = 0;
    const auto* range = std::partition_point(std::begin(class_ranges), std::end(class_ranges),
                                             [&](const ClassRange& r) { return r.last < c; });
    if (range != std::end(class_ranges) && c >= range->first) classes = range->classes;
    if (c >= 'a' && c <= 'z') classes |= small_letter;
    if (c >= 'A' && c <= 'Z') classes |= capital_letter;
    if (is_python_space(c)) classes |= any_space;
    if (c == '_' || is_alphanumeric(c)) classes |= word;
    return classes;
}

/// One character of a rule: of one of the classes, or one of the characters `also`. `other` turns it round.
struct Set {
    std::uint32_t classes;
    View also = {};
    bool contains(char32_t c, std::uint32_t its_classes) const {
        const bool inside = (its_classes & classes) != 0 || also.find(c) != View::npos;
        return (classes & other) ? !inside : inside;
    }
};

using Rule = std::vector<Set>;

/// Neighbours that hardly ever stand together in meant text. Any match makes the text suspicious.
const std::vector<Rule>& rules() {
    constexpr std::uint32_t accented = lower_accented | upper_accented;
    constexpr std::uint32_t punctuation = start_punctuation | end_punctuation;
    constexpr std::uint32_t letter = small_letter | capital_letter;
    constexpr std::uint32_t any_symbol = box | punctuation | currency | numeric | law;
    constexpr std::uint32_t arabic = common | currency | bad | numeric | start_punctuation;
    constexpr std::uint32_t cyrillic = c1 | bad | punctuation | currency;
    static const std::vector<Rule> all = {
        {{c1}},
        {{bad | accented | any_symbol}, {bad}},
        {{letter}, {lower_common | upper_common}, {bad}},
        {{bad}, {accented | any_symbol}},
        {{lower_accented | lower_common | box | end_punctuation | currency | numeric}, {upper_accented}},
        {{box | end_punctuation | currency | numeric}, {lower_accented}},
        {{lower_accented | box | end_punctuation}, {currency}},
        {{any_space}, {upper_accented}, {currency}},
        {{upper_accented | box}, {numeric | law}},
        {{accented | box | currency | end_punctuation}, {start_punctuation}, {numeric}},
        {{accented | currency | numeric | box | law}, {end_punctuation}, {start_punctuation}},
        {{currency | numeric | box}, {start_punctuation}},
        {{small_letter}, {upper_accented}, {start_punctuation | currency}},
        {{box}, {kaomoji}},
        {{accented | currency | numeric | punctuation | law}, {box}},
        {{box}, {end_punctuation}},
        {{accented}, {punctuation}, {word}},
        // œ before anything but a plain letter; a degree sign after a capital
        {{0, U"Œœ"}, {letter | other}},
        {{upper_accented}, {0, U"°"}},
        // Windows-1252 read for UTF-8: accented Latin, Arabic, South Asian scripts
        {{0, U"ÂÃÎÐ"}, {punctuation, U"€œŠš¢£Ÿž\u00A0\u00AD®©°·»–—´"}},
        {{0, U"×"}, {0, U"²³"}},
        {{0, U"ØÙ"}, {arabic, U"ŸŠ®°µ»"}, {0, U"ØÙ"}, {arabic, U"ŸŠ®°µ»"}},
        {{0, U"à"}, {0, U"²µ¹¼½¾"}},
        // MacRoman
        {{0, U"√"}, {0, U"±∂†≠®™´≤≥¥µø"}},
        {{0, U"≈"}, {0, U"°¢"}},
        {{0, U"‚"}, {0, U"Ä"}, {0, U"ìîïòôúùû†°¢π"}},
        {{0, U"‚"}, {0, U"âó"}, {0, U"àä°ê"}},
        // Windows-1251: general punctuation, then Latin-1 and Cyrillic letters
        {{0, U"в"}, {0, U"Ђ"}},
        {{0, U"ВГРС"}, {cyrillic, U"°µ"}, {0, U"ВГРС"}},
        {{0, U"Г"}, {0, U"ў"}, {0, U"В"}, {0, U"Ђ"}, {0, U"В"}, {other, U"\n"}, {letter, U" "}},
        // à, á and the no-break space of Windows-1252
        {{0, U"Ã"}, {0, U"\u00A0¡"}},
        {{small_letter}, {0, U"ÃÂ"}, {0, U" "}},
        {{small_letter}, {any_space}, {0, U"ÃÂ"}, {0, U" "}},
        {{small_letter | end_punctuation, U".,?!"}, {0, U"Â"}, {punctuation, U" "}},
        // Windows-1253: general punctuation, then Latin-1 and Greek letters
        {{0, U"β"}, {0, U"€"}, {0, U"™\u00A0Ά\u00AD®°"}},
        {{0, U"ΒΓΞΟ"}, {cyrillic, U"°"}, {0, U"ΒΓΞΟ"}},
        // Windows-1257
        {{0, U"ā"}, {0, U"€"}},
    };
    return all;
}

bool looks_broken(View text) {
    if (std::all_of(text.begin(), text.end(), [](char32_t c) { return c < 0x80; })) return false;
    std::vector<std::uint32_t> classes(text.size());
    std::transform(text.begin(), text.end(), classes.begin(), classes_of);
    // The one rule that knows a place: Ã or Â, then a space, at the start.
    if (text.size() > 1 && (text[0] == U'Ã' || text[0] == U'Â') && text[1] == ' ') return true;
    for (const Rule& rule : rules()) {
        for (std::size_t i = 0; i + rule.size() <= text.size(); ++i) {
            std::size_t k = 0;
            while (k < rule.size() && rule[k].contains(text[i + k], classes[i + k])) ++k;
            if (k == rule.size()) return true;
        }
    }
    return false;
}

// Bytes
// ----------------------------------------------------------------------------------------------------------------

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

/// Length of a UTF-8 sequence at `s` in which a space stands where the byte 0xA0 should; 0: none. Only such places
/// where the repaired character is a likely one.
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

/// "à" alone keeps the space behind it, but in the Portuguese contractions, where the space was its second byte.
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

/// Length of what is left of a UTF-8 (or CESU-8) sequence some bytes of which were lost (0x1A, at times '?'); 0: none.
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
        // At most one '?', and at least one byte lost.
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

/// UTF-8; with `variants` also Java's two-byte NUL and surrogate pairs of three bytes each (CESU-8). None where
/// malformed.
std::optional<Text> decode_strict(std::string_view bytes, bool variants) {
    std::string plain;
    for (std::size_t i = 0; i < bytes.size();) {
        const std::string_view rest = bytes.substr(i);
        // A line end that closes the text counts as a missing last byte: ftfy's patterns end in `$`.
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

std::optional<Text> reread_as_utf8(std::string bytes, const Encoding* encoding) {
    if (!(encoding && encoding->macroman) && has_spaced_sequence(bytes)) bytes = restore_a0(bytes);
    if (encoding && encoding->sloppy) bytes = replace_lossy(bytes);
    const bool variants = bytes.find('\xED') != std::string::npos || bytes.find('\xC0') != std::string::npos;
    return decode_strict(bytes, variants);
}

// Text
// -----------------------------------------------------------------------------------------------------------------

Text fix_encoding(View text, int depth);

/// Repairs the stretches that look like UTF-8 read as something else, each on its own.
Text fix_stretches(View text, int depth) {
    std::vector<std::uint32_t> classes(text.size());
    std::transform(text.begin(), text.end(), classes.begin(), classes_of);
    const auto sequence = [&](std::size_t i) -> std::size_t {
        constexpr std::uint32_t leads[] = {utf8_first_of_2, utf8_first_of_3, utf8_first_of_4};
        for (std::size_t n = 2; n <= 4; ++n) {
            if (i + n > text.size() || !(classes[i] & leads[n - 2])) continue;
            const auto* first = &classes[i] + 1;
            if (std::all_of(first, first + n - 1, [](std::uint32_t c) { return c & utf8_continuation; })) return n;
        }
        return 0;
    };
    Text out;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        if (i == 0 || !(classes[i - 1] & utf8_continuation_strict))
            for (std::size_t n = sequence(end); n != 0; n = end < text.size() ? sequence(end) : 0) end += n;
        if (end == i) {
            out += text[i++];
            continue;
        }
        const View stretch = text.substr(i, end - i);
        if (stretch.size() < text.size() && looks_broken(stretch))
            out += fix_encoding(stretch, depth + 1);
        else
            out += stretch;
        i = end;
    }
    return out;
}

/// One step: the first encoding that explains the text, else its stretches, else its control characters.
Text fix_once(View text, int depth) {
    if (!looks_broken(text)) return Text(text);
    const std::optional<std::string> latin1 = encode_latin1(text);
    if (latin1)
        if (const auto fixed = reread_as_utf8(*latin1, nullptr)) return *fixed;
    for (const Encoding& encoding : encodings)
        if (const auto bytes = encode(text, encoding))
            if (const auto fixed = reread_as_utf8(*bytes, &encoding)) return *fixed;
    if (Text fixed = fix_stretches(text, depth); fixed != text) return fixed;
    Text fixed(text);
    fix_c1_controls(fixed);
    return fixed;
}

Text fix_encoding(View text, int depth) {
    // Each step undoes one wrong reading; text that was misread more often than this is beyond repair.
    constexpr int most_steps = 32, most_depth = 8;
    Text current(text);
    for (int step = 0; step < most_steps && depth < most_depth; ++step) {
        Text fixed = fix_once(current, depth);
        if (fixed == current) break;
        current = std::move(fixed);
    }
    return current;
}

} // namespace

Text fix_encoding(View text) { return fix_encoding(text, 0); }

void fix_c1_controls(Text& text) {
    const auto& windows1252 = encodings[0].upper;
    for (char32_t& c : text)
        if (c >= 0x80 && c <= 0x9F) c = windows1252[c - 0x80];
}

} // namespace denoir::umt5
