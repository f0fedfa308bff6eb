// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/unicode.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "engine/core/error.h"
#include "engine/core/text.h"

namespace denoir::umt5 {
namespace {

constexpr char32_t replacement = 0xFFFD;
/// ICU sorts a run of combining marks in quadratic time. Real text has a handful of them in a row.
constexpr std::size_t longest_run = 512;

void check(UErrorCode status) {
    if (U_FAILURE(status)) throw Error("", "prompt", "cannot be processed as Unicode text", "shorten it");
}

const UNormalizer2* instance(Form form) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* n = nullptr;
    switch (form) {
    case Form::nfc:
        n = unorm2_getNFCInstance(&status);
        break;
    case Form::nfd:
        n = unorm2_getNFDInstance(&status);
        break;
    case Form::nfkc:
        n = unorm2_getNFKCInstance(&status);
        break;
    case Form::nfkd:
        n = unorm2_getNFKDInstance(&status);
        break;
    }
    check(status);
    return n;
}

std::u16string to_utf16(std::u32string_view s) {
    std::u16string out;
    out.reserve(s.size());
    for (char32_t c : s) {
        if (c > 0x10FFFF || U_IS_SURROGATE(c)) c = replacement;
        if (c <= 0xFFFF) {
            out += static_cast<char16_t>(c);
        } else {
            out += static_cast<char16_t>(U16_LEAD(c));
            out += static_cast<char16_t>(U16_TRAIL(c));
        }
    }
    return out;
}

std::u32string to_utf32(std::u16string_view s) {
    std::u32string out;
    out.reserve(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (U16_IS_LEAD(s[i]) && i + 1 < s.size() && U16_IS_TRAIL(s[i + 1])) {
            out += static_cast<char32_t>(U16_GET_SUPPLEMENTARY(s[i], s[i + 1]));
            ++i;
        } else {
            out += U16_IS_SURROGATE(s[i]) ? replacement : static_cast<char32_t>(s[i]);
        }
    }
    return out;
}

std::u32string normalized(std::u32string_view s, const UNormalizer2* n) {
    const std::u16string in = to_utf16(s);
    std::u16string out(in.size() + in.size() / 2 + 16, u'\0');
    for (;;) {
        UErrorCode status = U_ZERO_ERROR;
        const std::int32_t size = unorm2_normalize(n, in.data(), static_cast<std::int32_t>(in.size()), out.data(),
                                                   static_cast<std::int32_t>(out.size()), &status);
        if (status == U_BUFFER_OVERFLOW_ERROR) {
            out.resize(static_cast<std::size_t>(size));
            continue;
        }
        check(status);
        out.resize(static_cast<std::size_t>(size));
        return to_utf32(out);
    }
}

struct CloseBreaks {
    void operator()(UBreakIterator* b) const { ubrk_close(b); }
};
struct CloseText {
    void operator()(UText* t) const { utext_close(t); }
};

} // namespace

std::u32string decode_utf8(std::string_view s) {
    std::u32string out;
    out.reserve(s.size());
    while (!s.empty()) {
        const std::size_t n = utf8_length(s);
        char32_t c = n == 0 ? replacement : static_cast<std::uint8_t>(s[0]);
        if (n > 1) c &= 0x7Fu >> n;
        for (std::size_t i = 1; i < n; ++i) c = (c << 6) | (static_cast<std::uint8_t>(s[i]) & 0x3F);
        out += c;
        s.remove_prefix(std::max<std::size_t>(n, 1));
    }
    return out;
}

void append_utf8(std::string& out, char32_t c) {
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = replacement;
    denoir::append_utf8(out, c);
}

std::string encode_utf8(std::u32string_view s) {
    std::string out;
    out.reserve(s.size());
    for (char32_t c : s) append_utf8(out, c);
    return out;
}

std::u32string normalized(std::u32string_view s, Form form) {
    // NFC changes nothing below U+0300, the other forms nothing below U+0080: nearly every prompt is done here.
    const char32_t first = form == Form::nfc ? 0x300 : 0x80;
    if (std::all_of(s.begin(), s.end(), [&](char32_t c) { return c < first; })) return std::u32string(s);
    const UNormalizer2* n = instance(form);
    std::u32string out;
    std::size_t begin = 0, run = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        run = unorm2_hasBoundaryBefore(n, static_cast<UChar32>(s[i])) ? 0 : run + 1;
        if (run <= longest_run) continue;
        out += normalized(s.substr(begin, i - begin), n);
        begin = i;
        run = 1;
    }
    return out += normalized(s.substr(begin), n);
}

std::string normalized(std::string_view s, Form form) { return encode_utf8(normalized(decode_utf8(s), form)); }

std::string lower_case(std::string_view s) {
    std::u32string out;
    for (char32_t c : decode_utf8(s)) {
        if (c == 0x130)
            out += U"i\u0307"; // the only character whose lower case is two characters
        else
            out += static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
    }
    return encode_utf8(out);
}

std::u32string upper_case(std::u32string_view s) {
    const std::u16string in = to_utf16(s);
    std::u16string out(3 * in.size() + 1, u'\0'); // no character becomes more than three capitals
    UErrorCode status = U_ZERO_ERROR;
    const std::int32_t size = u_strToUpper(out.data(), static_cast<std::int32_t>(out.size()), in.data(),
                                           static_cast<std::int32_t>(in.size()), "", &status);
    check(status);
    out.resize(static_cast<std::size_t>(size));
    return to_utf32(out);
}

std::vector<std::size_t> grapheme_ends(std::string_view s) {
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<UText, CloseText> text(
        utext_openUTF8(nullptr, s.data(), static_cast<std::int64_t>(s.size()), &status));
    check(status);
    const std::unique_ptr<UBreakIterator, CloseBreaks> breaks(ubrk_open(UBRK_CHARACTER, "", nullptr, 0, &status));
    check(status);
    ubrk_setUText(breaks.get(), text.get(), &status);
    check(status);
    std::vector<std::size_t> ends;
    ubrk_first(breaks.get());
    for (std::int32_t end = ubrk_next(breaks.get()); end != UBRK_DONE; end = ubrk_next(breaks.get()))
        ends.push_back(static_cast<std::size_t>(end));
    return ends;
}

bool is_white_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_python_space(char32_t c) { return is_white_space(c) || (c >= 0x1C && c <= 0x1F); }

bool is_decimal_digit(char32_t c) { return u_charType(static_cast<UChar32>(c)) == U_DECIMAL_DIGIT_NUMBER; }

bool is_alphanumeric(char32_t c) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & (U_GC_L_MASK | U_GC_N_MASK)) != 0; }

bool is_word_character(char32_t c) {
    const auto u = static_cast<UChar32>(c);
    const std::uint32_t categories = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
    return u_hasBinaryProperty(u, UCHAR_ALPHABETIC) || (U_GET_GC_MASK(u) & categories) != 0 ||
           u_hasBinaryProperty(u, UCHAR_JOIN_CONTROL);
}

} // namespace denoir::umt5
