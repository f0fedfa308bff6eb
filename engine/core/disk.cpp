// SPDX-License-Identifier: Apache-2.0
#include "engine/core/disk.h"

#include <system_error>

namespace denoir {

std::optional<std::uint64_t> free_space(const std::filesystem::path& folder) {
    std::error_code code;
    const std::filesystem::space_info space = std::filesystem::space(folder, code);
    if (code || space.capacity == 0) return std::nullopt;
    return space.available;
}

} // namespace denoir
