// SPDX-License-Identifier: Apache-2.0
#include "engine/core/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "engine/core/control_groups.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// The number behind `word` in a file such as /proc/meminfo or memory.stat.
std::optional<std::size_t> number_behind(const fs::path& file, const std::string& word) {
    std::ifstream in(file);
    for (std::string found; in >> found;)
        if (std::size_t number = 0; found == word && in >> number) return number;
    return {};
}

std::optional<std::size_t> number_in(const fs::path& file) {
    std::ifstream in(file);
    if (std::size_t number = 0; in >> number) return number;
    return {}; // there is no such file, or it says "max"
}

/// The names of a version of control groups for the memory that a group may have, has, and could regain from the file
/// cache in it.
struct Names {
    const char *controller, *most, *used, *active_files, *inactive_files;
};
constexpr Names versions[] = {
    {"memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file", "total_inactive_file"},
    {"", "memory.max", "memory.current", "active_file", "inactive_file"}};

std::size_t left_in_group(const fs::path& group, const Names& names) {
    const auto most = number_in(group / names.most), used = number_in(group / names.used);
    if (!most || !used) return no_limit;
    const std::size_t files = number_behind(group / "memory.stat", names.active_files).value_or(0) +
                              number_behind(group / "memory.stat", names.inactive_files).value_or(0);
    const std::size_t held = *used - std::min(*used, files);
    return *most - std::min(*most, held);
}

std::size_t left_in_groups(const fs::path& root) {
    std::size_t left = no_limit;
    for (const Names& names : versions)
        for (const fs::path& group : control_groups(names.controller, root))
            left = std::min(left, left_in_group(group, names));
    return left;
}

} // namespace

std::size_t available_memory(const fs::path& root) {
    const auto kib = number_behind(root / "proc/meminfo", "MemAvailable:");
    if (!kib) return 0;
    return std::max<std::size_t>(1, std::min(*kib * 1024, left_in_groups(root)));
}

std::size_t peak_memory_bytes() {
    // Better than getrusage(), which after exec still counts the program before.
    if (const auto kib = number_behind("/proc/self/status", "VmHWM:")) return *kib * 1024;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::size_t(usage.ru_maxrss) * 1024;
}

Error not_enough_memory() { return {"", "memory", "there was not enough", "use a smaller size, fewer frames or bf16"}; }

bool is_out_of_memory(const Error& e) { return e.field() == "memory"; }

} // namespace denoir
