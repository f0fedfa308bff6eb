// SPDX-License-Identifier: Apache-2.0
#include "engine/core/disk.h"

#include <sys/stat.h>

#include <system_error>

namespace denoir {

std::optional<std::uint64_t> free_space(const std::filesystem::path& folder) {
    std::error_code code;
    const std::filesystem::space_info space = std::filesystem::space(folder, code);
    if (code || space.capacity == 0) return std::nullopt;
    return space.available;
}

bool same_disk(const std::filesystem::path& a, const std::filesystem::path& b) {
    struct stat x {
    }, y{};
    return ::stat(a.c_str(), &x) == 0 && ::stat(b.c_str(), &y) == 0 && x.st_dev == y.st_dev;
}

} // namespace denoir
