// SPDX-License-Identifier: Apache-2.0
#include "engine/session/output_check.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

class OutputCheck : public ::testing::Test {
protected:
    fs::path in(const char* name) const { return folder_.path() / name; }
    fs::path make(const char* name) const {
        write_file(in(name), "x");
        return in(name);
    }
    static std::string refusal(const fs::path& out, const std::vector<fs::path>& inputs = {}) {
        try {
            check_output(out, inputs);
            return "";
        } catch (const Error& e) {
            return e.what();
        }
    }
    test::TempFolder folder_;
};

TEST_F(OutputCheck, TellsVideosFromFolders) {
    const std::vector<fs::path> none;
    EXPECT_EQ(check_output(in("a.mp4"), none), OutputKind::video);
    EXPECT_EQ(check_output(in("a.MKV"), none), OutputKind::video);
    EXPECT_EQ(check_output(in("frames"), none), OutputKind::frames);
    EXPECT_EQ(check_output(in("frames.v2"), none), OutputKind::frames);
    fs::create_directory(in("empty"));
    EXPECT_EQ(check_output(in("empty/"), none), OutputKind::frames);
    EXPECT_EQ(check_output(make("old.mp4"), none), OutputKind::video);
}

TEST_F(OutputCheck, RefusesWhatCannotBeWritten) {
    fs::create_directory(in("folder.mp4"));
    fs::create_directory(in("full"));
    make("full/file");
    ASSERT_EQ(::mkfifo(in("pipe.mp4").c_str(), 0600), 0);
    for (const char* name : {"folder.mp4", "full", "pipe.mp4", "missing/a.mp4", "missing/frames", "a.avi", "a.gif",
                             "a.png", ".mp4", ".MKV", ".png", ".mp4/"})
        EXPECT_NE(refusal(in(name)), "") << name;
    EXPECT_NE(refusal(make("file")), "");
    EXPECT_NE(refusal("/dev/null"), "");
    EXPECT_NE(refusal(""), "");
    EXPECT_NE(refusal(in((std::string(300, 'a') + ".mp4").c_str())), "");
}

TEST_F(OutputCheck, RefusesInputsInAnySpelling) {
    const fs::path image = make("image.mp4");
    fs::create_symlink(image, in("link.mp4"));
    fs::create_hard_link(image, in("hard.mp4"));
    for (const fs::path& out :
         {image, in("link.mp4"), in("hard.mp4"), in("../") / folder_.path().filename() / "image.mp4"})
        EXPECT_NE(refusal(out, {image}), "") << out;
    EXPECT_NE(refusal(image, {in("link.mp4")}), "");
    EXPECT_NE(refusal(image, {folder_.path()}), "");
    EXPECT_NE(refusal(folder_.path(), {folder_.path()}), "");
    fs::create_directory(in("empty")); // the other program has not written its pictures yet
    EXPECT_NE(refusal(in("empty"), {in("empty")}).find("is also an input"), std::string::npos);
    // A new file in a folder that is read is not one of its inputs.
    EXPECT_EQ(refusal(in("new"), {folder_.path()}), "");
    EXPECT_EQ(refusal(in("other.mp4"), {image}), "");
}

TEST_F(OutputCheck, RefusesWhatAnotherRunKeeps) {
    fs::create_directories(in("fox/latents"));
    fs::create_directories(in("fox/solver"));
    make("fox/run.json");
    make("fox/latents/step_001.mp4");
    const fs::path video = make("fox/video.mp4");
    fs::create_directory_symlink(in("fox"), in("link"));
    fs::create_directory_symlink(in("fox/latents"), in("steps"));
    for (const fs::path& out : {video, in("link/video.mp4"), in("fox/latents/step_001.mp4"), in("steps/step_001.mp4")})
        EXPECT_NE(refusal(out).find("is a file of the run fox"), std::string::npos) << out;
    const fs::path before = fs::current_path();
    for (const char* folder : {"fox", "fox/latents"}) {
        fs::current_path(in(folder));
        EXPECT_NE(refusal(fs::exists("video.mp4") ? "video.mp4" : "step_001.mp4").find("of the run fox"),
                  std::string::npos);
    }
    fs::current_path(before);
    // A run that goes on may replace its own video.
    EXPECT_EQ(check_output(video, {}, 0, in("link")), OutputKind::video);
    EXPECT_EQ(refusal(in("fox/draft.mp4")), "");
    // The user's own file in a run's folder may be replaced like any other.
    EXPECT_EQ(refusal(make("fox/draft.mp4")), "");
    fs::remove(in("fox/solver")); // now run.json is another program's file
    EXPECT_EQ(refusal(video), "");
    // A run that is read owns its video in any case.
    EXPECT_NE(refusal(video, {in("fox")}).find("is also an input"), std::string::npos);
}

} // namespace
} // namespace denoir
