// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace denoir::umt5 {

/// Python's html.unescape: HTML5 character references, numeric ones with the corrections of the standard, legacy names
/// without a semicolon also as a prefix ("&notit;" -> "¬it;"). One pass.
std::u32string unescape_html(std::u32string_view text);

/// What ftfy turns one reference `&…;` into: names with a semicolon, their all-caps spellings (&EACUTE;), complete
/// numeric references. Empty if ftfy leaves it as it is.
std::optional<std::u32string> unescape_reference(std::u32string_view reference);

} // namespace denoir::umt5
