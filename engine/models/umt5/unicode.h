// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The few functions on Unicode that prompts need. Nothing else includes ICU.
namespace denoir::umt5 {

enum class Form { nfc, nfd, nfkc, nfkd };

/// Each malformed byte becomes U+FFFD.
std::u32string decode_utf8(std::string_view s);
std::string encode_utf8(std::u32string_view s);
void append_utf8(std::string& out, char32_t c);

/// A run of more than 512 combining marks is normalised in pieces.
std::u32string normalized(std::u32string_view s, Form form);
std::string normalized(std::string_view s, Form form);
/// Converts each character without its context, as Rust's char::to_lowercase.
std::string lower_case(std::string_view s);
/// Unicode's full conversion, independent of a language ("ß" -> "SS").
std::u32string upper_case(std::u32string_view s);

/// Byte offsets of the ends of the extended grapheme clusters of well-formed UTF-8.
std::vector<std::size_t> grapheme_ends(std::string_view s);

/// Unicode White_Space, as Rust's char::is_whitespace.
bool is_white_space(char32_t c);
/// White_Space and U+001C…001F: Python's str.isspace.
bool is_python_space(char32_t c);
/// Decimal digits of every script (Python's \d).
bool is_decimal_digit(char32_t c);
/// Letters and numbers (Python's str.isalnum).
bool is_alphanumeric(char32_t c);
/// Letters, marks, digits, connectors (the \w of regular expressions).
bool is_word_character(char32_t c);

} // namespace denoir::umt5
