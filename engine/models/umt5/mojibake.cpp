// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/mojibake.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "engine/core/text.h"
#include "engine/models/umt5/misread.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

using Text = std::u32string;
using View = std::u32string_view;

struct ClassRange {
    char32_t first, last;
    std::uint32_t classes;
};

#include "engine/models/umt5/mojibake_classes.inc"

// Classes that are computed, above those of the table.
constexpr std::uint32_t small_letter = 1u << 24, capital_letter = 1u << 25, any_space = 1u << 26, word = 1u << 27,
                        other = 1u << 28; // `other`: every character but those of the set
static_assert(utf8_continuation_strict < small_letter);

std::uint32_t classes_of(char32_t c) {
    std::uint32_t classes = 0;
    const auto* range = std::partition_point(std::begin(class_ranges), std::end(class_ranges),
                                             [&](const ClassRange& r) { return r.last < c; });
    if (range != std::end(class_ranges) && c >= range->first) classes = range->classes;
    if (is_ascii_lower(c)) classes |= small_letter;
    if (is_ascii_upper(c)) classes |= capital_letter;
    if (is_python_space(c)) classes |= any_space;
    if (c == '_' || is_alphanumeric(c)) classes |= word;
    return classes;
}

/// The characters that one place of a rule allows: those of one of the classes, and the characters `also`. With `other`
/// among the classes, all characters but these.
struct Set {
    std::uint32_t classes;
    View also = {};
    bool contains(char32_t c, std::uint32_t its_classes) const {
        const bool inside = (its_classes & classes) != 0 || also.find(c) != View::npos;
        return (classes & other) ? !inside : inside;
    }
};

using Rule = std::vector<Set>;

/// Sequences of characters that hardly ever occur in correct text. Any match makes the text suspicious.
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
        // UTF-8 read as Windows-1252: accented Latin, Arabic, South Asian scripts
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
    // The one rule that depends on the place: Ã or Â, then a space, at the start of the text.
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

Text fix_encoding(View text, int depth);

/// Repairs each stretch that looks like UTF-8 read in another encoding on its own.
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

/// One step of repair: with the first encoding that explains the whole text, else of stretches of it, else of its
/// control characters.
Text fix_once(View text, int depth) {
    if (!looks_broken(text)) return Text(text);
    if (auto fixed = reread_as_utf8(text)) return std::move(*fixed);
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
    const auto& windows1252 = windows_1252_upper();
    for (char32_t& c : text)
        if (c >= 0x80 && c <= 0x9F) c = windows1252[c - 0x80];
}

} // namespace denoir::umt5
