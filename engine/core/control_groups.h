// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace denoir {

/// The folders of the control groups by which a container or a batch system limits this process, the outermost first;
/// none where there are none. `controller`: of version 1 (such as `cpu`), empty for version 2, which has one tree for
/// all. `root`: where proc and sys/fs/cgroup lie.
std::vector<std::filesystem::path> control_groups(std::string_view controller, const std::filesystem::path& root = "/");

/// How many cores' time those groups leave to this process, rounded up, one at least; none where they do not say.
std::optional<int> cores_of_quota(const std::filesystem::path& root = "/");

} // namespace denoir
