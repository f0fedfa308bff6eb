// SPDX-License-Identifier: Apache-2.0
#include "engine/media/frames.h"

#include <sys/mount.h>

#include <limits>
#include <memory>
#include <optional>

#include "engine/core/atomic_file.h"
#include "engine/core/disk.h"
#include "engine/core/error.h"
#include "engine/media/colour.h"
#include "engine/media/frame_folder.h"
#include "engine/media/video_reader.h"
#include "tests/app/full_disk.h"
#include "tests/engine/media/support.h"

namespace denoir {
namespace {

using namespace test;

TEST(ToImage, TruncatesAndClamps) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    // Two frames [3, 2, 1, 2] with red, green and blue in turn, of which the second is converted.
    const Tensor video = Tensor::from(std::vector<float>{0, 0, -1, 1, 0, 0, -2, 3, 0, 0, 0, nan}, {3, 2, 1, 2});
    EXPECT_EQ(to_image(video, 1).rgb, (std::vector<std::uint8_t>{0, 0, 127, 255, 255, 0}));
    // A view with other strides gives the same picture.
    const Tensor turned =
        Tensor::from(std::vector<float>{-1, -2, 0, 1, 3, nan}, {1, 2, 3}).unsqueeze(0).permute({3, 0, 1, 2});
    EXPECT_EQ(to_image(turned, 0).rgb, to_image(video, 1).rgb);
}

TEST(ToImage, LevelsOfTheSpec) {
    // spec/pipelines.md 7.6: of the pixels that go in as u8/127.5 - 1, those of 63 levels come out one level lower.
    std::vector<float> values;
    for (int c = 0; c < 3; ++c)
        for (int v = 0; v < 256; ++v) values.push_back(static_cast<float>(v) / 127.5f - 1);
    const std::vector<std::uint8_t> out = to_image(Tensor::from(values, {3, 1, 1, 256}), 0).rgb;
    int lower = 0;
    for (int v = 0; v < 256; ++v) {
        const int difference = v - out[static_cast<std::size_t>(3 * v)];
        EXPECT_TRUE(difference == 0 || difference == 1);
        lower += difference;
    }
    EXPECT_EQ(lower, 63);
}

TEST(Thumbnail, NeverUp) {
    EXPECT_EQ(thumbnail(picture(100, 40), 50).width, 50);
    EXPECT_EQ(thumbnail(picture(100, 40), 50).height, 20);
    EXPECT_EQ(thumbnail(picture(40, 100), 30).width, 12);
    EXPECT_EQ(thumbnail(picture(100, 45), 50).height, 23); // rounded from 22.5
    EXPECT_EQ(thumbnail(picture(20, 10), 50), picture(20, 10));
    EXPECT_EQ(thumbnail(picture(300, 1), 10).height, 1);
}

TEST(FrameFolder, WholeOrNothing) {
    const TempFolder folder;
    {
        FrameFolderWriter writer(folder / "frames", "{\"schema\": 1}");
        writer.write(picture(6, 4));
    }
    EXPECT_EQ(folder.entries(), 0);
    std::filesystem::create_directory(folder / "frames");
    FrameFolderWriter writer(folder / "frames/", "{\"schema\": 1}");
    for (int i = 0; i < 3; ++i) writer.write(picture(6, 4, i));
    writer.finish();
    EXPECT_EQ(folder.entries(), 1);
    const auto files = frame_files(folder / "frames");
    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(files[2].filename(), "frame_00003.png");
    EXPECT_EQ(read_image(files[2]), picture(6, 4, 2));
    EXPECT_EQ(read_request_metadata(folder / "frames"), "{\"schema\": 1}");
    EXPECT_EQ(read_request_metadata(files[0]), "{\"schema\": 1}");
    EXPECT_THROW(FrameFolderWriter(folder / "frames"), Error);
    store(folder / "file", "x");
    EXPECT_THROW(FrameFolderWriter(folder / "file"), Error);
    EXPECT_THROW(FrameFolderWriter(folder / "no/such/place"), Error);
    EXPECT_EQ(folder.entries(), 2);
}

/// The partial folder of a process in another container, whose number means nothing here, stays while it is held.
TEST(FrameFolder, IsHeldWhileItIsWritten) {
    const TempFolder folder;
    const std::filesystem::path elsewhere = folder / ".frames.partial-2147483647-0";
    {
        FrameFolderWriter writer(folder / "frames");
        std::filesystem::rename(*std::filesystem::directory_iterator(folder.path()), elsewhere);
        remove_partials(folder.path(), "frames");
        EXPECT_TRUE(std::filesystem::exists(elsewhere));
    }
    remove_partials(folder.path(), "frames");
    EXPECT_EQ(folder.entries(), 0);
}

/// A run that goes on finds some of its frames written. Other files with such names are somebody else's and stay.
TEST(FrameFolder, GoesOnAmongItsOwnFramesAlone) {
    const TempFolder folder;
    const auto write = [&] {
        FrameFolderWriter writer(folder.path(), "", FrameFolderWriter::Folder::same_frames);
        for (int i = 0; i < 3; ++i) writer.write(picture(6, 4, i));
        writer.finish();
    };
    write();
    std::filesystem::remove(folder / "frame_00002.png");
    write();
    EXPECT_EQ(frame_files(folder.path()).size(), 3u);
    write_png(folder / "frame_00002.png", picture(6, 4, 9));
    EXPECT_THROW(write(), Error);
    EXPECT_EQ(read_image(folder / "frame_00002.png"), picture(6, 4, 9));
    EXPECT_EQ(folder.entries(), 3);
}

/// Callers recognise a full disk by the type of the error, whoever writes.
TEST(FrameFolder, AFullDiskIsTold) {
    const TempFolder folder;
    std::optional<FrameFolderWriter> writer(std::in_place, folder / "frames");
    {
        const app::FullDisk full;
        EXPECT_THROW(write_png(folder / "a.png", picture(6, 4)), NoSpace);
        EXPECT_THROW(writer->write(picture(6, 4)), NoSpace);
        writer.reset();
    }
    EXPECT_EQ(folder.entries(), 0);
}

/// A file that nothing can replace stands in for a disk that fails halfway.
TEST(FrameFolder, HalfAFolderDoesNotStay) {
    const TempFolder folder;
    write_png(folder / "same.png", picture(6, 4, 1));
    std::filesystem::create_directory(folder / "frames");
    const std::filesystem::path second = folder / "frames/frame_00002.png";
    std::filesystem::copy_file(folder / "same.png", second);
    if (::mount((folder / "same.png").c_str(), second.c_str(), "", MS_BIND, nullptr) != 0)
        GTEST_SKIP() << "needs to mount a file over another";
    const std::unique_ptr<const std::filesystem::path, void (*)(const std::filesystem::path*)> mounted(
        &second, [](const std::filesystem::path* path) { ::umount(path->c_str()); });
    FrameFolderWriter writer(folder / "frames", "", FrameFolderWriter::Folder::same_frames);
    for (int i = 0; i < 3; ++i) writer.write(picture(6, 4, i));
    EXPECT_THROW(writer.finish(), Error);
    EXPECT_FALSE(std::filesystem::exists(folder / "frames/frame_00001.png"));
    EXPECT_FALSE(std::filesystem::exists(folder / "frames/frame_00003.png"));
}

TEST(FrameFolder, HoldsOnlyFrames) {
    const TempFolder folder;
    std::error_code code;
    const auto holds = [&](int most) { return holds_only_frames(folder / "", most, code); };
    EXPECT_TRUE(holds(0));
    store(folder / ".a.mp4.partial-12-3", "x");
    EXPECT_TRUE(holds(0));
    store(folder / "frame_00002.png", "x");
    EXPECT_FALSE(holds(0));
    EXPECT_FALSE(holds(1));
    EXPECT_TRUE(holds(2));
    for (const char* other : {".hidden", "frame_00000.png", "frame_1.png", "frame_00001.png.txt", "frame_00001.jpg"}) {
        store(folder / other, "x");
        EXPECT_FALSE(holds(9)) << other;
        std::filesystem::remove(folder / other);
    }
    EXPECT_FALSE(code);
    EXPECT_FALSE(holds_only_frames(folder / "missing", 9, code));
    EXPECT_TRUE(code);
}

TEST(FrameFiles, NaturalOrder) {
    const TempFolder folder;
    for (const char* name : {"f10.png", "f2.png", "f1.PNG", "f02.png", "notes.txt", "g.jpg"}) store(folder / name, "x");
    store(folder / "._f1.png", "x"); // macOS writes such a file beside f1.png on other systems' disks
    std::filesystem::create_directory(folder / "z.png");
    store(folder / "h.txt", "BM and P6 are the beginnings of pictures");
    write_png(folder / "picture", picture(6, 4));
    std::filesystem::rename(folder / "picture", folder / "f3.dat"); // the content makes it a picture, not the name
    std::filesystem::create_symlink("f3.dat", folder / "f4.png");   // as programs that manage data keep their files
    std::filesystem::create_symlink("nowhere.png", folder / "f5.png");
    std::string names;
    for (const auto& path : frame_files(folder.path())) names += path.filename().string() + " ";
    EXPECT_EQ(names, "f1.PNG f02.png f2.png f3.dat f4.png f10.png g.jpg ");
    EXPECT_THROW(frame_files(folder / "missing"), Error);
}

TEST(Frames, TellsThatItNamesNoMatrix) {
    media::Frame frame = media::make_frame();
    frame->format = AV_PIX_FMT_YUV420P;
    frame->height = 577;
    frame->colorspace = AVCOL_SPC_UNSPECIFIED;
    EXPECT_TRUE(media::is_taken_for_bt709(*frame));
    frame->height = 576;
    EXPECT_FALSE(media::is_taken_for_bt709(*frame));
    frame->height = 720;
    frame->colorspace = AVCOL_SPC_SMPTE170M;
    EXPECT_FALSE(media::is_taken_for_bt709(*frame));
    frame->colorspace = AVCOL_SPC_UNSPECIFIED;
    frame->format = AV_PIX_FMT_GBRP;
    EXPECT_FALSE(media::is_taken_for_bt709(*frame));
}

} // namespace
} // namespace denoir
