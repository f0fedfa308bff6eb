// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace denoir::umt5 {

/// Repairs text that was clearly decoded with the wrong encoding ("schÃ¶n"); leaves all other text unchanged. Follows
/// ftfy's fix_encoding (6.3).
std::u32string fix_encoding(std::u32string_view text);

/// Replaces the control characters U+0080 … U+009F, which are never intended, by the characters that these bytes have
/// in Windows-1252.
void fix_c1_controls(std::u32string& text);

} // namespace denoir::umt5
