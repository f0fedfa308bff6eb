// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/run_layout.h"

#include <gtest/gtest.h>

#include "engine/core/atomic_file.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

TEST(RunLayout, TellsRunsFromOtherFolders) {
    const test::TempFolder folder;
    const fs::path run = folder.path() / "run", other = folder.path() / "other";
    fs::create_directory(run);
    fs::create_directory(other);
    write_file(run / "run.json", "{}");
    write_file(other / "video.mp4", "x");
    EXPECT_TRUE(is_run_folder(run) && is_run_folder(run / ""));
    EXPECT_FALSE(is_run_folder(other) || is_run_folder(run / "run.json") || is_run_folder(folder.path() / "none"));
    EXPECT_FALSE(is_run_folder(folder.path() / std::string(300, 'x'))); // longer than any file system's names

    EXPECT_EQ(run_of_video(run / "video.mp4"), run); // whether the file exists or not
    EXPECT_EQ(run_of_video(run / "copy.mp4"), std::nullopt);
    EXPECT_EQ(run_of_video(run), std::nullopt);
    EXPECT_EQ(run_of_video(other / "video.mp4"), std::nullopt);
}

TEST(RunLayout, AVideoWithoutAFolderLiesInTheCurrentOne) {
    const test::TempFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    EXPECT_EQ(run_of_video("video.mp4"), std::nullopt);
    write_file("run.json", "{}");
    EXPECT_EQ(run_of_video("video.mp4"), ".");
    fs::current_path(before);
}

} // namespace
} // namespace denoir
