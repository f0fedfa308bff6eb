// SPDX-License-Identifier: Apache-2.0
#include "engine/session/unchanged.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "engine/core/error.h"
#include "engine/session/file_hashes.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

/// Puts another file in the place of `file`, with the same time.
void replace_as_old(const fs::path& file, const std::string& text) {
    const auto time = fs::last_write_time(file);
    const fs::path other = file.string() + ".new";
    write(other, text);
    fs::last_write_time(other, time);
    fs::rename(other, file);
}

/// Waits longer than one tick of a file system's clock.
void wait_a_tick() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

/// A run stores no checksum of these inputs. One that was replaced, even by a file with the same time, is no longer
/// what was encoded.
TEST(InputsUnchanged, SeesEachThatWasReplaced) {
    for (const char* input : {"image", "last_image", "noise", "video"}) {
        const test::TempFolder folder;
        RunRecord run;
        Request& r = run.request;
        r.forcing.emplace();
        for (const auto& [name, path] : {std::pair<const char*, fs::path*>{"image", &r.image},
                                         {"last_image", &r.last_image},
                                         {"noise", &r.noise.file},
                                         {"video", &r.forcing->video}}) {
            *path = folder / name;
            write(*path, "before");
        }
        EXPECT_FALSE(inputs_unchanged(run, folder.path())); // nothing is encoded yet
        write(folder / "conditioning.safetensors", "x");
        EXPECT_TRUE(inputs_unchanged(run, folder.path()));
        wait_a_tick();
        replace_as_old(folder / input, "after");
        EXPECT_FALSE(inputs_unchanged(run, folder.path())) << input;
    }
}

TEST(InputsUnchanged, SeesAModelsFileOfAnotherTime) {
    const test::TempFolder folder;
    write(folder / "conditioning.safetensors", "x");
    write(folder / "model", "weights");
    const fs::path files[]{folder / "model"};
    RunRecord run;
    run.files = FileHashes(files).files();
    EXPECT_TRUE(inputs_unchanged(run, folder.path()));
    fs::last_write_time(folder / "model", fs::last_write_time(folder / "model") + std::chrono::seconds(1));
    EXPECT_FALSE(inputs_unchanged(run, folder.path()));
}

/// Reading gigabytes takes long: only files with another time are read, and only if there is a sum to compare with.
TEST(ModelChanges, AreToldByEachFilesSizeTimeAndSum) {
    const test::TempFolder folder;
    ::setenv("DENOIR_HOME", (folder / "home").c_str(), 1);
    const std::vector<fs::path> files{folder / "as it was", folder / "longer", folder / "touched", folder / "other",
                                      folder / "no sum",    folder / "gone",   folder / "a folder"};
    for (const fs::path& file : files) write(file, "abc");
    FileHashes hashes(files, FileHashes::Pace::waited_for);
    ASSERT_TRUE(hashes.wait(std::chrono::minutes(1)));
    std::vector<ModelFile> then = hashes.files();
    ASSERT_EQ(then.size(), files.size());
    then[4].sha256.clear();
    write(files[1], "abcd");
    write(files[3], "abd");
    for (const int i : {2, 3, 4}) fs::last_write_time(files[i], fs::last_write_time(files[i]) + std::chrono::hours(1));
    fs::remove(files[5]);
    fs::remove(files[6]);
    fs::create_directory(files[6]);

    const ModelChanges changes = model_changes(then, {});
    EXPECT_EQ(changes.changed, (std::vector<std::string>{files[1], files[3]}));
    EXPECT_EQ(changes.unsure, (std::vector<std::string>{files[4], files[5], files[6]}));

    std::stop_source stopped;
    stopped.request_stop();
    then[3].bytes = 1 << 30; // too long for the first, quick look
    fs::resize_file(files[3], then[3].bytes);
    EXPECT_THROW(model_changes(then, stopped.get_token()), Cancelled);
    ::unsetenv("DENOIR_HOME");
}

/// If a file changed in between, two models made the steps of the run. Its record must keep the sum of the first.
TEST(SinceTheBeginning, AFileKeepsTheSumThatItBeganWith) {
    const std::string a(64, 'a'), b(64, 'b');
    const auto after = [](const ModelFile& began, const ModelFile& now) {
        const std::vector<ModelFile> files = since_the_beginning(std::vector{began}, {now});
        EXPECT_EQ(files.size(), 1u);
        return std::pair(files[0].modified_ns, files[0].sha256);
    };
    EXPECT_EQ(after({"f", 3, 1, a}, {"f", 3, 2, b}), std::pair(std::int64_t{1}, a));
    EXPECT_EQ(after({"f", 3, 1, a}, {"f", 3, 2, ""}), std::pair(std::int64_t{1}, a));
    EXPECT_EQ(after({"f", 3, 1, a}, {"f", 3, 2, a}), std::pair(std::int64_t{2}, a)) << "copied anew";
    EXPECT_EQ(after({"f", 3, 1, ""}, {"f", 3, 1, b}), std::pair(std::int64_t{1}, b)) << "known later";
    EXPECT_EQ(after({"f", 3, 1, ""}, {"f", 3, 2, b}), std::pair(std::int64_t{1}, std::string()));
    EXPECT_EQ(since_the_beginning(std::vector<ModelFile>{{"gone", 3, 1, a}}, {}).size(), 1u);
}

/// So that tens of gigabytes are not read twice.
TEST(FileHashes, ComeFromTheCacheWhileTheFileLooksUnchanged) {
    const test::TempFolder folder;
    ::setenv("DENOIR_HOME", (folder / "home").c_str(), 1);
    const fs::path files[]{folder / "model", folder / "other"};
    for (const fs::path& file : files) write(file, "abc");
    for (const fs::path& file : files) { // each of them adds its sum to the cache
        FileHashes hashes(std::span(&file, 1), FileHashes::Pace::waited_for);
        EXPECT_TRUE(hashes.wait(std::chrono::minutes(1)));
    }
    for (const fs::path& file : files) {
        const auto time = fs::last_write_time(file);
        std::ofstream(file, std::ios::in | std::ios::out)
            << "xyz"; // changed in place with its old time, which nobody can notice
        fs::last_write_time(file, time);
    }
    const FileHashes again(files);
    for (const ModelFile& file : again.files()) EXPECT_EQ(file.sha256.substr(0, 8), "ba7816bf") << file.path;
    ::unsetenv("DENOIR_HOME");
}

/// The cache tells files of one size apart by their times and their places on the disk.
TEST(FileHashes, AreComputedAnewForAnotherFileOfThatName) {
    const test::TempFolder folder;
    ::setenv("DENOIR_HOME", (folder / "home").c_str(), 1);
    const fs::path files[]{folder / "model"};
    const auto sum = [&] {
        FileHashes hashes(files, FileHashes::Pace::waited_for);
        EXPECT_TRUE(hashes.wait(std::chrono::minutes(1)));
        return hashes.files().at(0).sha256;
    };
    write(files[0], "abc");
    const std::string first = sum();
    EXPECT_EQ(first.substr(0, 8), "ba7816bf");
    EXPECT_EQ(sum(), first);
    replace_as_old(files[0], "abd");
    const std::string second = sum();
    EXPECT_NE(second, first);
    write(files[0], "abc"); // changed in place, with a new time
    fs::last_write_time(files[0], fs::last_write_time(files[0]) + std::chrono::seconds(1));
    EXPECT_EQ(sum(), first);
    ::unsetenv("DENOIR_HOME");
}

} // namespace
} // namespace denoir
