// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace denoir {

/// The folders of the control groups by which a container or a batch system limits this process, outermost first; empty
/// if there are none. `controller`: one of cgroup version 1, such as `cpu`, or empty for version 2, which has one tree
/// for all controllers. `root`: the folder that holds proc and sys/fs/cgroup.
std::vector<std::filesystem::path> control_groups(std::string_view controller, const std::filesystem::path& root = "/");

/// The processor time that these groups allow this process, in cores, rounded up, at least one; empty without a quota.
std::optional<int> cores_of_quota(const std::filesystem::path& root = "/");

} // namespace denoir
