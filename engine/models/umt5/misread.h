// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace denoir::umt5 {

/// Repairs UTF-8 text that was decoded as Latin-1, one of the Windows code pages, ISO 8859-2, MacRoman or CP437 (tried
/// in this order), allowing for the small damage that such text often suffers. Empty if none of these encodings
/// explains all of it.
std::optional<std::u32string> reread_as_utf8(std::u32string_view text);

/// The characters of bytes 0x80 … 0xFF in Windows-1252; its five unassigned bytes map to themselves.
const std::array<char16_t, 128>& windows_1252_upper();

} // namespace denoir::umt5
