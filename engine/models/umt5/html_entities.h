// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace denoir::umt5 {

/// Python's html.unescape: decodes HTML5 character references in one pass, numeric ones with the corrections of the
/// standard, legacy names without a semicolon also as the beginning of a longer word ("&notit;" -> "¬it;").
std::u32string unescape_html(std::u32string_view text);

/// The text that ftfy replaces one reference `&…;` by. It knows names with a semicolon, their all-caps spellings
/// (&EACUTE;), and complete numeric references. Empty if ftfy leaves the reference as it is.
std::optional<std::u32string> unescape_reference(std::u32string_view reference);

} // namespace denoir::umt5
