// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace denoir {

/// The folders of the control groups by which a container or a batch system limits this process, outermost first; empty
/// where there are none. `controller`: one of cgroup version 1, such as `cpu`; empty for version 2, which has one tree
/// for all. `root`: the folder in which proc and sys/fs/cgroup are.
std::vector<std::filesystem::path> control_groups(std::string_view controller, const std::filesystem::path& root = "/");

/// How many cores' worth of time those groups allow this process, rounded up, at least one; nothing without a quota.
std::optional<int> cores_of_quota(const std::filesystem::path& root = "/");

} // namespace denoir
