// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace denoir {

/// Bytes of the well-formed UTF-8 sequence that `text` (not empty) starts with: 1 to 4, or 0 where there is none.
std::size_t utf8_length(std::string_view text);

/// Offset of the first byte that is not part of well-formed UTF-8; nullopt where all is well.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

} // namespace denoir
