// SPDX-License-Identifier: Apache-2.0
#include "engine/core/control_groups.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// Microseconds of processor time that are allowed in each period. Zero or less if there is no limit ("max", -1) or no
/// such file.
struct Quota {
    long long time = 0, period = 0;
    bool limits() const { return time > 0 && period > 0; }
    int cores() const { return static_cast<int>(std::clamp<long long>((time - 1) / period + 1, 1, 1 << 20)); }
};

Quota quota_of(const fs::path& group) {
    Quota quota;
    if (std::ifstream both(group / "cpu.max"); both >> quota.time >> quota.period) return quota;
    std::ifstream time(group / "cpu.cfs_quota_us"), period(group / "cpu.cfs_period_us");
    return time >> quota.time && period >> quota.period ? quota : Quota{};
}

/// Whether a comma-separated list holds a name.
bool among(std::string_view list, std::string_view name) {
    for (;;) {
        const std::size_t comma = list.find(',');
        if (list.substr(0, comma) == name) return true;
        if (comma == std::string_view::npos) return false;
        list.remove_prefix(comma + 1);
    }
}

} // namespace

std::vector<fs::path> control_groups(std::string_view controller, const fs::path& root) {
    std::ifstream lines(root / "proc/self/cgroup"); // each line is hierarchy:controllers:path
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        if (!among(std::string_view(line).substr(first + 1, second - first - 1), controller)) continue;
        fs::path group = root / "sys/fs/cgroup";
        if (!controller.empty()) group /= controller;
        std::vector<fs::path> groups{group};
        for (const fs::path& part : fs::path(line.substr(second + 1)).relative_path())
            if (part != "..") groups.push_back(group /= part);
        return groups;
    }
    return {};
}

std::optional<int> cores_of_quota(const fs::path& root) {
    std::optional<int> least;
    for (const char* controller : {"", "cpu"})
        for (const fs::path& group : control_groups(controller, root))
            if (const Quota quota = quota_of(group); quota.limits())
                least = std::min(least.value_or(quota.cores()), quota.cores());
    return least;
}

} // namespace denoir
