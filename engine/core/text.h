// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace denoir {

// These are true for ASCII characters only, whatever the locale.
constexpr bool is_ascii_digit(char32_t c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_upper(char32_t c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_lower(char32_t c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_letter(char32_t c) { return is_ascii_upper(c) || is_ascii_lower(c); }
constexpr bool is_ascii_alphanumeric(char32_t c) { return is_ascii_letter(c) || is_ascii_digit(c); }

/// Whether this is a byte of a UTF-8 character other than its first.
constexpr bool is_utf8_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Bytes of the well-formed UTF-8 sequence that `text` (not empty) starts with: 1 to 4, or 0 if there is none.
std::size_t utf8_length(std::string_view text);

/// Offset of the first byte that is not part of well-formed UTF-8; empty if there is none.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Appends the 1 to 4 bytes of UTF-8 of `code`, a Unicode scalar value.
void append_utf8(std::string& out, std::uint32_t code);

/// The whole of `text` read as a decimal number (or inf, nan), whatever the locale; empty for other text. Numbers too
/// large for a double become infinite, those too small 0.
std::optional<double> read_double(std::string_view text);

/// The whole of `text` read as a decimal integer in the range of T; empty for other text. A minus sign is allowed if T
/// is signed, a plus sign never.
template <std::integral T> std::optional<T> read_whole(std::string_view text) {
    T value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// "1 frame", "2 frames", "0 frames". `what` is the singular.
std::string counted(std::uint64_t n, std::string_view what);

/// "3.50 GiB", "12.0 MiB", "4.5 KiB", "700 B".
std::string bytes_text(double bytes);

/// The natural order of names: runs of digits compare as numbers ("frame_2" before "frame_10"), everything else byte by
/// byte. Names that differ only in leading zeros compare byte by byte.
bool natural_less(std::string_view a, std::string_view b);

/// `text` as part of a file's name, at most `limit` bytes: ASCII letters, digits and the characters in `also` are kept;
/// anything between them becomes a single '-'. Ends in a letter or a digit.
std::string file_slug(std::string_view text, std::size_t limit, std::string_view also = {});

/// A to Z become lower case, every other byte is unchanged, whatever the locale.
char lower_ascii(char c);
std::string lower_ascii(std::string_view text);

} // namespace denoir
