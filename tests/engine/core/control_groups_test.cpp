// SPDX-License-Identifier: Apache-2.0
#include "engine/core/control_groups.h"

#include <gtest/gtest.h>

#include "engine/core/atomic_file.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

class ControlGroups : public testing::Test {
protected:
    void put(const std::string& file, const std::string& text) {
        const fs::path path = folder_.path() / file;
        fs::create_directories(path.parent_path());
        write_file(path, text);
    }
    std::optional<int> cores() const { return cores_of_quota(folder_.path()); }
    test::TempFolder folder_;
};

TEST_F(ControlGroups, without_any_nothing_is_limited) {
    EXPECT_EQ(cores(), std::nullopt);
    put("proc/self/cgroup", "no groups\n\n:\n");
    EXPECT_EQ(cores(), std::nullopt);
    EXPECT_TRUE(control_groups("", folder_.path()).empty());
}

TEST_F(ControlGroups, the_least_quota_of_version_2_counts) {
    put("proc/self/cgroup", "0::/system.slice/docker-1.scope\n");
    put("sys/fs/cgroup/cpu.max", "max 100000\n");
    EXPECT_EQ(cores(), std::nullopt);
    put("sys/fs/cgroup/system.slice/docker-1.scope/cpu.max", "400000 100000\n");
    EXPECT_EQ(cores(), 4);
    put("sys/fs/cgroup/system.slice/docker-1.scope/cpu.max", "400001 100000\n");
    EXPECT_EQ(cores(), 5);
    put("sys/fs/cgroup/system.slice/cpu.max", "50000 100000\n");
    EXPECT_EQ(cores(), 1);
    put("proc/self/cgroup", "0::/\n"); // inside a container the process sees its own group as the root
    put("sys/fs/cgroup/cpu.max", "200000 100000\n");
    EXPECT_EQ(cores(), 2);
    for (const char* broken : {"", "x", "7", "-1 100000", "100000 0", "99999999999999999999999 100000"}) {
        put("sys/fs/cgroup/cpu.max", broken);
        EXPECT_EQ(cores(), std::nullopt) << broken;
    }
}

TEST_F(ControlGroups, version_1_has_a_tree_for_its_processors) {
    put("proc/self/cgroup", "4:memory:/a\n3:cpuset:/b\n2:cpu,cpuacct:/docker/c\n");
    put("sys/fs/cgroup/cpu/docker/c/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/docker/c/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cores(), std::nullopt);
    put("sys/fs/cgroup/cpu/docker/c/cpu.cfs_quota_us", "250000\n");
    EXPECT_EQ(cores(), 3);
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n"); // what a container sees, where its own group is the root
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cores(), 2);
}

} // namespace
} // namespace denoir
