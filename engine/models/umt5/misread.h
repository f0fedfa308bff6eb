// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace denoir::umt5 {

/// UTF-8 that was read as Latin-1, one of the Windows code pages, ISO 8859-2, MacRoman or CP437 (tried in this order),
/// read as what it is, with the small damage forgiven that such text has often suffered. None where no encoding
/// explains it all.
std::optional<std::u32string> reread_as_utf8(std::u32string_view text);

/// The characters of the bytes 0x80…0xFF in Windows-1252; its five unassigned bytes stand for themselves.
const std::array<char16_t, 128>& windows_1252_upper();

} // namespace denoir::umt5
