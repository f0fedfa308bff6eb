// SPDX-License-Identifier: Apache-2.0
#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/core/mapped_file.h"
#include "engine/core/own_folders.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <tuple>

#include "engine/core/disk.h"
#include "engine/core/error.h"
#include "engine/core/open_file.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace {

using test::refusal;

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
    fs::path make(const std::string& name, std::string_view content) const {
        std::ofstream(folder / name, std::ios::binary) << content;
        return folder / name;
    }
    int entries() const { return temporary.entries(); }

    const test::TempFolder temporary;
    const fs::path folder = temporary.path();
};

TEST_F(Files, read_and_map) {
    const fs::path path = make("a b\u00df.bin", "hello");
    EXPECT_EQ(read_text(path, 5), "hello");
    const auto map = MappedFile::open(path);
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(map->data()), map->bytes()), "hello");
    EXPECT_EQ(map->name(), path.native());
    EXPECT_EQ(map->backend(), nullptr);
    EXPECT_EQ(read_text(make("empty", ""), 5), "");
    EXPECT_EQ(MappedFile::open(folder / "empty")->span().size(), 0u);
}

TEST_F(Files, the_limit_is_told) {
    EXPECT_EQ(refusal([&] { read_text(make("long", "hello"), 4); }),
              (folder / "long").native() + ": is longer than 4 bytes; no file that is read here is that long");
}

TEST_F(Files, files_of_unknown_size_are_read) {
    EXPECT_FALSE(read_text("/proc/self/status", 1 << 20).empty()); // the system says that this file has 0 bytes
    EXPECT_NE(refusal([] { read_text("/proc/self/status", 10); }), "accepted");
}

TEST_F(Files, files_of_unknown_size_are_read_in_blocks) {
    const auto reads = [] { // how many reads this thread has asked the system for
        std::ifstream file("/proc/thread-self/io");
        std::string word;
        long count = 0;
        while (file >> word)
            if (word == "syscr:") file >> count;
        return count;
    };
    const long before = reads();
    if (before == 0) GTEST_SKIP() << "the system does not count them";
    ASSERT_GT(read_text("/proc/self/status", 1 << 20).size(), 500u);
    EXPECT_LT(reads() - before, 50);
}

TEST_F(Files, only_regular_files) {
    const fs::path pipe = folder / "pipe", socket_path = folder / "socket";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path.c_str());
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const auto check = [](const fs::path& path, const char* why) {
        EXPECT_EQ(refusal([&] { MappedFile::open(path); }), path.native() + why);
        EXPECT_EQ(refusal([&] { read_text(path, 100); }), path.native() + why);
    };
    check(folder, ": is a folder, not a regular file; name a regular file");
    check(pipe, ": is a pipe, not a regular file; name a regular file");
    check(socket_path, ": is a socket, not a regular file; name a regular file");
    check("/dev/zero", ": is a device, not a regular file; name a regular file");
    check(folder / "none", ": no such file or folder; check the name");
    check(make("file", "") / "below", ": a part of this path is not a folder; check the name");
    fs::create_symlink("loop", folder / "loop");
    check(folder / "loop", ": symbolic links lead in a circle; name the file itself");
    EXPECT_NE(refusal([&] { MappedFile::open(""); }), "accepted");
    EXPECT_NE(refusal([&] { MappedFile::open(std::string("file\0x", 6)); }), "accepted");
    ::close(fd);
}

TEST_F(Files, what_cannot_be_looked_at_is_not_called_absent) {
    fs::create_symlink("file", folder / "link");
    EXPECT_FALSE(has_entry(folder / "link") || has_regular_file(folder / "link")); // a link that leads nowhere
    make("file", "");
    EXPECT_TRUE(has_entry(folder / "link") && has_regular_file(folder / "link"));
    EXPECT_TRUE(has_entry(folder) && has_entry("/dev/null"));
    EXPECT_FALSE(has_regular_file(folder) || has_regular_file("/dev/null"));
    EXPECT_FALSE(has_entry(folder / "file/below") || has_regular_file(folder / "file/below"));
    fs::create_symlink("loop", folder / "loop");
    for (const auto has : {has_entry, has_regular_file})
        EXPECT_EQ(refusal([&] { has(folder / "loop"); }),
                  (folder / "loop").native() + ": symbolic links lead in a circle; name the file itself");
}

TEST_F(Files, whatever_the_system_reports_says_what_to_do) {
    for (int code = 1; code < 200; ++code) EXPECT_FALSE(system_error("a", code).hint().empty()) << code;
}

TEST_F(Files, a_mapped_file_cut_short_reads_as_zeros_and_is_told) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const fs::path path = make("weights", std::string(5 * page, 'x')), other = make("other", "y");
    auto map = MappedFile::open(path);
    const auto kept = MappedFile::open(other);
    const MappedFileWatch watch;
    EXPECT_EQ(map->span()[3 * page], std::byte{'x'});
    EXPECT_NO_THROW(watch.check());
    fs::resize_file(path, page + 1);
    const MappedFileWatch later;
    const std::byte* bytes = map->span().data();
    EXPECT_EQ(bytes[0], std::byte{'x'});
    EXPECT_EQ(bytes[4 * page], std::byte{0});
    EXPECT_EQ(bytes[2 * page + 7], std::byte{0});
    for (const MappedFileWatch& w : {watch, later}) {
        try {
            w.check();
            ADD_FAILURE();
        } catch (const Error& e) {
            EXPECT_EQ(e.file(), path.native());
        }
    }
    EXPECT_NO_THROW(MappedFileWatch().check()); // a watch that began after the damage does not report it
    EXPECT_EQ(kept->span()[0], std::byte{'y'});
    map.reset();
    EXPECT_THROW(watch.check(), Error);
}

TEST_F(Files, other_bus_errors_still_end_the_process) {
    const fs::path path = make("own", std::string(8192, 'x'));
    const auto die = [&] {
        MappedFile::open(path);
        const int fd = ::open(path.c_str(), O_RDONLY);
        const auto* own = static_cast<const volatile char*>(::mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE, fd, 0));
        ::_exit(own[1 << 19]);
    };
    EXPECT_EXIT(
        die(), [](int status) { return status != 0; }, ""); // a sanitizer turns the signal into a report and an exit
}

TEST_F(Files, temporary_folders_go) {
    fs::path place;
    {
        const ScratchFolder own("test-", folder);
        place = own.path();
        EXPECT_TRUE(fs::is_directory(place));
        make(place.filename() / "file", "x");
    }
    EXPECT_FALSE(fs::exists(place));
    const ScratchFolder own("test-", folder);
    remove_temporaries();
    EXPECT_EQ(entries(), 0);
    EXPECT_THROW(ScratchFolder("test-", folder / "missing"), Error);
}

/// A killed process leaves its folder: it is old and no process holds its lock. All other folders must stay.
TEST_F(Files, temporary_folders_of_killed_processes_go) {
    const ScratchFolder held("test-", folder);
    const fs::path left = folder / "test-aBcDeF", young = folder / "test-aBcDeG", other = folder / "test-of-somebody";
    for (const fs::path& place : {left, young, other}) {
        fs::create_directory(place);
        make(place.filename() / "file", "x");
    }
    const auto an_hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const fs::path& place : {held.path(), left, other}) fs::last_write_time(place, an_hour_ago);
    const ScratchFolder next("test-", folder);
    EXPECT_FALSE(fs::exists(left));
    for (const fs::path& place : {held.path(), young, other}) EXPECT_TRUE(fs::exists(place)) << place;
}

TEST_F(Files, names_of_partials) {
    EXPECT_EQ(partial_of(".a.mp4.partial-12-3"), 12);
    EXPECT_EQ(partial_of("a.partial-12-3"), 0);
}

/// The partial file of a process in another container, whose number means nothing here. Only its lock says that it is
/// still in use.
TEST_F(Files, partials_that_somebody_holds_stay) {
    const fs::path path = folder / "out.mkv", elsewhere = folder / ".out.mkv.partial-2147483647-0";
    {
        const AtomicFile file(path);
        fs::rename(file.temporary(), elsewhere);
        remove_partials(folder, "out.mkv");
        EXPECT_TRUE(fs::exists(elsewhere));
    }
    remove_partials(folder, "out.mkv");
    EXPECT_FALSE(fs::exists(elsewhere));
}

TEST_F(Files, dropped_pages_come_back) {
    std::string content(100'000, '\0');
    for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 % 251);
    const auto map = MappedFile::open(make("pages", content));
    const auto* bytes = reinterpret_cast<const char*>(map->data());
    EXPECT_EQ(bytes[50'000], content[50'000]);
    for (const auto& [at, n] :
         {std::pair<std::size_t, std::size_t>{0, 100'000}, {10, 5}, {99'999, 1}, {100'000, 1}, {5000, ~std::size_t{0}}})
        map->drop_pages(at, n);
    EXPECT_EQ(std::string_view(bytes, map->bytes()), content);
}

TEST_F(Files, writing_replaces_at_once) {
    const fs::path path = make("out.json", "old");
    {
        AtomicFile file(path);
        file.write("new");
        EXPECT_EQ(read_text(path, 10), "old");
        EXPECT_EQ(file.temporary().filename().native().substr(0, 19),
                  ".out.json.partial-" + std::to_string(::getpid()).substr(0, 1));
        file.commit();
    }
    EXPECT_EQ(read_text(path, 10), "new");
    EXPECT_EQ(entries(), 1);
}

TEST_F(Files, of_files_that_belong_together_none_stays_where_one_fails) {
    write_file(folder / "old", "before");
    const auto finish = [&](OutputGroup& outputs, const char* name) {
        AtomicFile file(folder / name);
        file.write("new");
        if (std::string_view(name) == "bad") fs::create_directory(folder / name);
        outputs.finish(folder / name, [&] { file.commit(); });
    };
    EXPECT_THROW(
        {
            OutputGroup outputs;
            finish(outputs, "old");
            finish(outputs, "a");
            finish(outputs, "bad");
            outputs.keep();
        },
        Error);
    EXPECT_FALSE(fs::exists(folder / "a"));
    EXPECT_TRUE(fs::exists(folder / "old")); // its old content is lost in any case, so the new one stays

    OutputGroup outputs;
    finish(outputs, "a");
    finish(outputs, "b");
    outputs.keep();
    EXPECT_TRUE(fs::exists(folder / "a") && fs::exists(folder / "b"));
}

TEST_F(Files, who_may_read_a_file_does_not_change_when_it_is_replaced) {
    const fs::path path = make("out.json", "old");
    const auto mode = [&] { return fs::status(path).permissions(); };
    const fs::perms as_made = mode();
    for (const fs::perms set : {fs::perms(0600), fs::perms(0664), fs::perms(0444)}) {
        fs::permissions(path, set);
        write_file(path, "new");
        EXPECT_EQ(mode(), set);
    }
    fs::remove(path);
    write_file(path, "new"); // the mode of a new file is what the umask says
    EXPECT_EQ(mode(), as_made);
}

/// Needs root, since only root may give files away.
TEST_F(Files, whose_a_file_is_does_not_change_when_it_is_replaced) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs to be root";
    constexpr uid_t owner = 12345, other = 777;
    constexpr gid_t group = 54321;
    const fs::path path = make("out.json", "old");
    ASSERT_EQ(::chown(path.c_str(), owner, group), 0);
    fs::permissions(path, fs::perms(0640));
    const auto rights = [&] {
        struct stat status {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0);
        return std::tuple(status.st_uid, status.st_gid, status.st_mode & 0777);
    };
    write_file(path, "new");
    EXPECT_EQ(rights(), std::tuple(owner, group, mode_t{0640}));

    // A user who cannot keep the file's group must not let another group read it.
    fs::permissions(folder, fs::perms::all);
    fs::permissions(folder.parent_path(), fs::perms::all);
    const pid_t child = ::fork();
    if (child == 0) {
        const bool plain = ::setgroups(0, nullptr) == 0 && ::setgid(other) == 0 && ::setuid(other) == 0;
        ::_exit(plain && refusal([&] { write_file(path, "newer"); }) == "accepted" ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    EXPECT_EQ(rights(), std::tuple(other, gid_t{other}, mode_t{0600}));
}

TEST_F(Files, without_commit_nothing_stays) {
    { AtomicFile(folder / "out").write("x"); }
    EXPECT_EQ(entries(), 0);
}

TEST_F(Files, a_hurried_end_removes_what_is_being_written) {
    AtomicFile a(folder / "a"), b(folder / "b");
    b.commit();
    remove_temporaries();
    EXPECT_EQ(entries(), 1);
    EXPECT_TRUE(fs::exists(folder / "b"));
}

TEST_F(Files, two_writers_of_one_name_do_not_meet) {
    AtomicFile a(folder / "out"), b(folder / "out");
    a.write("a");
    b.write("b");
    b.commit();
    a.commit();
    EXPECT_EQ(read_text(folder / "out", 10), "a");
    EXPECT_EQ(entries(), 1);
}

TEST_F(Files, a_leftover_of_a_dead_process_is_not_touched) {
    fs::path next;
    {
        AtomicFile probe(folder / "out");
        next = probe.temporary();
    }
    std::string name = next.native();
    const std::size_t digits = name.rfind('-') + 1;
    name = name.substr(0, digits) + std::to_string(std::stoul(name.substr(digits)) + 1);
    std::ofstream(name) << "theirs";
    write_file(folder / "out", "ours");
    EXPECT_EQ(read_text(name, 10), "theirs");
    EXPECT_EQ(read_text(folder / "out", 10), "ours");
}

TEST_F(Files, long_names_can_be_written) {
    const fs::path path = folder / std::string(255, 'n');
    write_file(path, "x");
    EXPECT_EQ(read_text(path, 1), "x");
    EXPECT_NE(refusal([&] { write_file(folder / std::string(256, 'n'), "x"); }).find("the name is too long"),
              std::string::npos);
    EXPECT_EQ(entries(), 1);
}

TEST_F(Files, what_cannot_be_written_is_refused_before) {
    EXPECT_NE(refusal([&] { AtomicFile(folder / "none" / "out"); }).find("no such file or folder"), std::string::npos);
    EXPECT_NE(refusal([&] { AtomicFile{folder}; }).find("is a folder"), std::string::npos);
    EXPECT_NE(refusal([&] { AtomicFile(folder / ""); }).find("is a folder"), std::string::npos);
    EXPECT_NE(refusal([&] { AtomicFile("/dev/full"); }).find("is a device"), std::string::npos);
}

/// Runs `f` in a process of its own, since it changes what holds for the whole process. 0 if it returned true.
int in_child(const std::function<bool()>& f) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(f() ? 0 : 1);
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(Files, a_failed_write_leaves_the_old_file) {
    const fs::path path = make("out", "old");
    EXPECT_EQ(in_child([&] {
                  ::signal(SIGXFSZ, SIG_IGN);
                  const rlimit limit = {1000, 1000}; // the second half of the write is beyond this limit
                  ::setrlimit(RLIMIT_FSIZE, &limit);
                  bool no_space = false;
                  const std::string line = refusal([&] {
                      try {
                          write_file(path, std::string(2000, 'x'));
                      } catch (const NoSpace&) {
                          no_space = true;
                          throw;
                      }
                  });
                  return no_space && line.find(path.native()) == 0 && line.find("free some space") != std::string::npos;
              }),
              0);
    EXPECT_EQ(read_text(path, 10), "old");
    EXPECT_EQ(entries(), 1);
}

/// Callers that stop quietly on a full disk recognise it by the type of the error.
TEST_F(Files, a_full_disk_is_told_from_other_errors) {
    for (const auto& [code, full] :
         {std::pair{ENOSPC, true}, {EDQUOT, true}, {EFBIG, true}, {EACCES, false}, {EROFS, false}, {EIO, false}}) {
        try {
            throw_system_error(folder / "x", code);
        } catch (const Error& e) {
            EXPECT_EQ(dynamic_cast<const NoSpace*>(&e) != nullptr, full) << e.what();
        }
    }
}

TEST_F(Files, same_file_sees_through_links) {
    const fs::path a = make("a", "x"), b = make("b", "x");
    fs::create_symlink("a", folder / "link");
    fs::create_hard_link(a, folder / "hard");
    EXPECT_TRUE(same_file(a, folder / "link"));
    EXPECT_TRUE(same_file(a, folder / "." / "hard"));
    EXPECT_FALSE(same_file(a, b));
    EXPECT_FALSE(same_file(folder / "none", folder / "none"));
}

TEST_F(Files, a_result_goes_behind_the_link_that_is_named) {
    const fs::path at = folder / "elsewhere" / "film.mp4";
    fs::create_directory(folder / "elsewhere");
    fs::create_symlink("elsewhere/film.mp4", folder / "out.mp4");
    fs::create_symlink(folder / "out.mp4", folder / "again.mp4");
    for (const char* name : {"out.mp4", "again.mp4"}) {
        fs::remove(at);
        EXPECT_EQ(behind_link(folder / name), at) << name; // although the file may not exist yet
        write_file(at, "x");
        EXPECT_EQ(behind_link(folder / name), at) << name;
    }
    EXPECT_EQ(behind_link(at), at);
    // A link whose extension differs from its target's, a folder, a circle or a device stays as it is: other code
    // decides whether to write there.
    fs::create_symlink("elsewhere/film.mp4", folder / "out.mkv");
    fs::create_directory_symlink("elsewhere", folder / "frames");
    fs::create_directory_symlink("elsewhere/later", folder / "later");
    fs::create_symlink("loop.mp4", folder / "loop.mp4");
    fs::create_symlink("/dev/null", folder / "null.mp4");
    for (const char* name : {"out.mkv", "frames", "later", "loop.mp4", "null.mp4", "nothing.mp4"})
        EXPECT_EQ(behind_link(folder / name), folder / name) << name;
    if (::geteuid() != 0) return;
    // A link that belongs to another user is not followed.
    ASSERT_EQ(::lchown((folder / "out.mp4").c_str(), 12345, 12345), 0);
    EXPECT_EQ(behind_link(folder / "out.mp4"), folder / "out.mp4");
}

TEST_F(Files, who_only_reads_makes_no_folder) {
    EXPECT_EQ(in_child([&] {
                  ::setenv("DENOIR_HOME", (folder / "home").c_str(), 1);
                  return data_place() == folder / "home/data" && !fs::exists(folder / "home") &&
                         data_folder() == data_place() && fs::is_directory(data_place());
              }),
              0);
}

TEST_F(Files, own_folders) {
    EXPECT_EQ(in_child([&] {
                  ::setenv("DENOIR_HOME", (folder / "home").c_str(), 1);
                  return data_folder() == folder / "home" / "data" && config_folder() == folder / "home" / "config" &&
                         fs::is_directory(cache_folder());
              }),
              0);
    EXPECT_EQ(in_child([&] {
                  ::unsetenv("DENOIR_HOME");
                  ::setenv("HOME", (folder / "user").c_str(), 1);
                  ::setenv("XDG_DATA_HOME", (folder / "xdg").c_str(), 1);
                  ::setenv("XDG_CONFIG_HOME", "relative", 1);
                  ::unsetenv("XDG_CACHE_HOME");
                  return data_folder() == folder / "xdg/denoir" && config_folder() == folder / "user/.config/denoir" &&
                         cache_folder() == folder / "user/.cache/denoir" && fs::is_directory(folder / "xdg/denoir");
              }),
              0);
    EXPECT_EQ(in_child([&] {
                  ::setenv("DENOIR_HOME", make("file", "x").c_str(), 1);
                  return refusal([] { data_folder(); }).find("not a folder") != std::string::npos;
              }),
              0);
}

TEST_F(Files, a_file_is_on_the_disk_of_its_folder) {
    EXPECT_TRUE(same_disk(make("file", "x"), folder));
    EXPECT_FALSE(same_disk("/proc", folder));
    EXPECT_FALSE(same_disk(folder / "none", folder)); // the disk of a missing file is unknown
}

} // namespace
} // namespace denoir
