// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace denoir::umt5 {

/// Text that was decoded with the wrong encoding ("schÃ¶n") set right, where it looks like that beyond doubt; all other
/// text unchanged. Follows ftfy's fix_encoding (6.3).
std::u32string fix_encoding(std::u32string_view text);

/// U+0080…009F, which nobody means, become the characters of Windows-1252.
void fix_c1_controls(std::u32string& text);

} // namespace denoir::umt5
