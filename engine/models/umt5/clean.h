// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace denoir::umt5 {

/// The prompt as the reference gives it to its tokenizer (spec/umt5.md 5): ftfy.fix_text, html.unescape twice, runs of
/// white space made one space, the ends stripped. Malformed UTF-8 becomes U+FFFD.
std::string clean(std::string_view utf8);

/// ftfy.fix_text alone.
std::u32string fix_text(std::u32string_view text);

} // namespace denoir::umt5
