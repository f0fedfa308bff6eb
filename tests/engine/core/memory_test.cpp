// SPDX-License-Identifier: Apache-2.0
#include "engine/core/memory.h"

#include <gtest/gtest.h>

#include "engine/core/atomic_file.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

class AvailableMemory : public testing::Test {
protected:
    void put(const std::string& file, const std::string& text) {
        const fs::path path = folder_.path() / file;
        fs::create_directories(path.parent_path());
        write_file(path, text);
    }
    void group(const std::string& name, const std::string& most, const std::string& used, const std::string& files) {
        put("sys/fs/cgroup" + name + "/memory.max", most + "\n");
        put("sys/fs/cgroup" + name + "/memory.current", used + "\n");
        put("sys/fs/cgroup" + name + "/memory.stat", "anon 5\nactive_file " + files + "\ninactive_file 100\n");
    }
    std::size_t available() const { return available_memory(folder_.path()); }
    test::TempFolder folder_;
};

TEST_F(AvailableMemory, IsKnownHere) { EXPECT_GT(available_memory(), std::size_t{1} << 20); }

TEST_F(AvailableMemory, IsWhatTheSystemSays) {
    EXPECT_EQ(available(), 0u);
    put("proc/meminfo", "MemTotal:       24683656 kB\nMemFree:   7 kB\nMemAvailable:   1000 kB\n");
    EXPECT_EQ(available(), 1000u * 1024);
    put("proc/self/cgroup", "4:memory:/a\n1:cpu:/\n0::/\n");
    EXPECT_EQ(available(), 1000u * 1024);
}

TEST_F(AvailableMemory, IsLimitedByTheGroupsOfTheProcess) {
    put("proc/meminfo", "MemAvailable:   1000 kB\n");
    put("proc/self/cgroup", "0::/system.slice/docker-1.scope\n");
    group("/system.slice", "max", "12345", "0");
    EXPECT_EQ(available(), 1000u * 1024);
    group("/system.slice/docker-1.scope", "500000", "200000", "50000");
    EXPECT_EQ(available(), 500'000u - 200'000 + 50'100);
    group("/system.slice", "300000", "280000", "0");
    EXPECT_EQ(available(), 300'000u - 280'000 + 100);
    // The group uses more than it may: nothing is left. That is 1, because 0 means "unknown".
    group("/system.slice", "300000", "999999", "0");
    EXPECT_EQ(available(), 1u);
    group("", "2000", "1000", "0"); // inside a container the process sees its own group as the root
    put("proc/self/cgroup", "0::/\n");
    EXPECT_EQ(available(), 1100u);
    put("proc/self/cgroup", "0::/../elsewhere/../../etc\n");
    EXPECT_EQ(available(), 1100u);
    group("", "max", "1000", "0");
    put("sys/fs/cgroup/memory.max", "99999999999999999999999999\n");
    EXPECT_EQ(available(), 1000u * 1024);
}

TEST_F(AvailableMemory, IsLimitedByTheGroupsOfVersion1) {
    put("proc/meminfo", "MemAvailable:   1000 kB\n");
    put("proc/self/cgroup", "4:memory:/docker/c\n2:cpu,cpuacct:/docker/c\n0::/\n");
    const auto limit = [&](const std::string& name, const std::string& most) {
        put("sys/fs/cgroup/memory" + name + "/memory.limit_in_bytes", most + "\n");
        put("sys/fs/cgroup/memory" + name + "/memory.usage_in_bytes", "200000\n");
        put("sys/fs/cgroup/memory" + name + "/memory.stat",
            "inactive_file 1\nactive_file 2\ntotal_inactive_file 100\ntotal_active_file 50000\n");
    };
    limit("", "9223372036854771712"); // how the system says that there is no limit
    EXPECT_EQ(available(), 1000u * 1024);
    limit("/docker/c", "500000");
    EXPECT_EQ(available(), 500'000u - 200'000 + 50'100);
    limit("", "300000"); // what a container sees, where its own group is the root
    EXPECT_EQ(available(), 300'000u - 200'000 + 50'100);
}

} // namespace
} // namespace denoir
