// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace denoir::umt5 {

/// A prompt as the reference passes it to its tokenizer (spec/umt5.md 5): after ftfy.fix_text and html.unescape
/// (twice), with runs of white space reduced to one space and both ends stripped. Malformed UTF-8 becomes U+FFFD.
std::string clean(std::string_view utf8);

/// ftfy.fix_text alone.
std::u32string fix_text(std::u32string_view text);

} // namespace denoir::umt5
