// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/clean.h"

#include <algorithm>

#include "engine/core/text.h"
#include "engine/models/umt5/html_entities.h"
#include "engine/models/umt5/mojibake.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

using Text = std::u32string;
using View = std::u32string_view;

/// Decodes each `&…;` (at most 24 letters and digits, perhaps after '#') once or, if `nested`, until none is left.
Text decode_references(View text, bool nested) {
    constexpr std::size_t longest = 24;
    Text out;
    out.reserve(text.size());
    std::size_t barrier = 0; // the output before it is decoded text that must not become part of another reference
    Text pending;            // decoded text that is still to be read, last character first
    for (std::size_t i = 0; i < text.size() || !pending.empty();) {
        const char32_t c = pending.empty() ? text[i++] : pending.back();
        if (!pending.empty()) pending.pop_back();
        out += c;
        if (c != ';') continue;
        std::size_t start = out.size() - 1; // of the letters before the ';'
        while (start > barrier && is_ascii_alphanumeric(out[start - 1])) --start;
        const std::size_t letters = out.size() - 1 - start;
        if (start > barrier && out[start - 1] == '#') --start;
        if (letters == 0 || letters > longest || start == barrier || out[start - 1] != '&') continue;
        --start;
        if (const auto decoded = unescape_reference(View(out).substr(start))) {
            out.resize(start);
            if (nested) {
                pending.append(decoded->rbegin(), decoded->rend());
            } else {
                out += *decoded;
                barrier = out.size();
            }
        }
    }
    return out;
}

/// Latin ligatures and digraphs that stand for two letters (not æ, œ, which are letters of their own).
View ligature_letters(char32_t c) {
    switch (c) {
    case 0x132:
        return U"IJ";
    case 0x133:
        return U"ij";
    case 0x149:
        return U"\u02BCn";
    case 0x1C4:
        return U"D\u017D";
    case 0x1C5:
        return U"D\u017E";
    case 0x1C6:
        return U"d\u017E";
    case 0x1C7:
        return U"LJ";
    case 0x1C8:
        return U"Lj";
    case 0x1C9:
        return U"lj";
    case 0x1CA:
        return U"NJ";
    case 0x1CB:
        return U"Nj";
    case 0x1CC:
        return U"nj";
    case 0x1F1:
        return U"DZ";
    case 0x1F2:
        return U"Dz";
    case 0x1F3:
        return U"dz";
    case 0xFB00:
        return U"ff";
    case 0xFB01:
        return U"fi";
    case 0xFB02:
        return U"fl";
    case 0xFB03:
        return U"ffi";
    case 0xFB04:
        return U"ffl";
    case 0xFB05:
        return U"\u017Ft";
    case 0xFB06:
        return U"st";
    default:
        return {};
    }
}

Text split_ligatures(View text) {
    Text out;
    out.reserve(text.size());
    for (const char32_t& c : text) {
        const View letters = ligature_letters(c);
        out += letters.empty() ? View(&c, 1) : letters;
    }
    return out;
}

/// Replaces fullwidth and halfwidth forms by the usual characters.
Text fix_width(View text) {
    Text out;
    out.reserve(text.size());
    for (const char32_t& c : text) {
        if (c == 0x3000)
            out += U' ';
        else if (c >= 0xFF01 && c < 0xFFF0)
            out += normalized(View(&c, 1), Form::nfkc);
        else
            out += c;
    }
    return out;
}

void straighten_quotes(Text& text) {
    for (char32_t& c : text) {
        if (c == 0x2BC || (c >= 0x2018 && c <= 0x201B)) c = '\'';
        if (c >= 0x201C && c <= 0x201F) c = '"';
    }
}

Text fix_line_breaks(View text) {
    Text out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char32_t c = text[i];
        if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
        out += c == '\r' || c == 0x2028 || c == 0x2029 || c == 0x85 ? U'\n' : c;
    }
    return out;
}

/// Removes the colour and cursor codes of terminals: ESC, '[', digits and semicolons, one letter.
Text remove_terminal_escapes(View text) {
    Text out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == 0x1B && i + 1 < text.size() && text[i + 1] == '[') {
            std::size_t end = i + 2;
            while (end < text.size() && (text[end] == ';' || is_decimal_digit(text[end]))) ++end;
            if (end < text.size() && is_ascii_letter(text[end])) {
                i = end;
                continue;
            }
        }
        out += text[i];
    }
    return out;
}

bool is_unwanted_control(char32_t c) {
    return c < 0x09 || c == 0x0B || (c >= 0x0E && c < 0x20) || c == 0x7F || (c >= 0x206A && c <= 0x206F) ||
           c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFC);
}

/// One round of ftfy's list of repairs, in its order.
Text repair(View segment, bool references, bool nested) {
    Text text = references ? decode_references(segment, nested) : Text(segment);
    text = fix_encoding(text);
    fix_c1_controls(text);
    text = fix_width(split_ligatures(text));
    straighten_quotes(text);
    text = remove_terminal_escapes(fix_line_breaks(text));
    std::erase_if(text, is_unwanted_control);
    return normalized(text, Form::nfc);
}

Text collapse_white_space(View text) {
    Text out;
    out.reserve(text.size());
    for (char32_t c : text) {
        if (!is_python_space(c))
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += U' ';
    }
    if (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

} // namespace

Text fix_text(View text) {
    constexpr std::size_t longest_segment = 1'000'000;
    // Each round but the last changes something; ordinary text needs two. The bounds are for inputs that are built to
    // unfold one layer per round ("&amp;amp;amp;…"), which would take quadratic time.
    constexpr int plain_rounds = 16, most_rounds = 64;
    bool references = true; // false from the first segment with a "<" on, as that looks like real HTML
    Text out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t line_end = text.find(U'\n', begin);
        const std::size_t end = std::min(line_end == View::npos ? text.size() : line_end + 1, begin + longest_segment);
        Text segment(text.substr(begin, end - begin));
        if (segment.find(U'<') != Text::npos) references = false;
        for (int round = 0; round < most_rounds; ++round) {
            Text repaired = repair(segment, references, round >= plain_rounds);
            if (repaired == segment) break;
            segment = std::move(repaired);
        }
        out += segment;
        begin = end;
    }
    return out;
}

std::string clean(std::string_view utf8) {
    return encode_utf8(collapse_white_space(unescape_html(unescape_html(fix_text(decode_utf8(utf8))))));
}

} // namespace denoir::umt5
