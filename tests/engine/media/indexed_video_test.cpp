// SPDX-License-Identifier: Apache-2.0
#include "engine/media/indexed_video.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <stop_token>

#include "engine/core/error.h"
#include "engine/media/video_writer.h"
#include "tests/engine/media/support.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;

std::vector<int> shuffled(int n, unsigned seed) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    return order;
}

/// Every frame, read in random order, backwards and forwards, must equal the one from reading in turn.
void expect_exact(const std::filesystem::path& path, const MediaLimits& limits = {}) {
    const std::vector<Image> expected = frames_in_turn(path);
    IndexedVideo video(path, limits);
    ASSERT_EQ(static_cast<std::size_t>(video.frames()), expected.size()) << path;
    ASSERT_EQ(video.times().size(), expected.size());
    EXPECT_EQ(video.times().front(), 0);
    EXPECT_TRUE(std::is_sorted(video.times().begin(), video.times().end()));
    EXPECT_EQ(std::adjacent_find(video.times().begin(), video.times().end()), video.times().end());
    const int n = video.frames();
    std::vector<int> order = shuffled(n, 1);
    for (int i = n; i-- > 0;) order.push_back(i);
    for (int i = 0; i < n; ++i) order.push_back(i);
    for (int i = 0; i < n; i += 3) order.push_back(i);
    Image image;
    for (const int i : order) {
        ASSERT_NO_THROW(video.read(i, image)) << path << " frame " << i;
        ASSERT_EQ(image, expected[static_cast<std::size_t>(i)]) << path << " frame " << i;
        EXPECT_LE(video.keyframe_before(i), i);
    }
}

class Clips : public testing::TestWithParam<const char*> {};

TEST_P(Clips, EveryFrameInAnyOrder) { expect_exact(fixture("clips") / GetParam()); }

INSTANTIATE_TEST_SUITE_P(IndexedVideo, Clips,
                         testing::Values("h264_long.mp4", "h264_open.mp4", "h264_refresh.mkv", "h264_intra.mkv",
                                         "h264_uneven.mkv", "h264_edited.mp4", "hevc_open.mp4", "vp8_hidden.webm",
                                         "vp9.webm", "av1.mkv", "mpeg4_b.avi", "mpeg4_b.mp4", "mpeg2.mkv",
                                         "ffv1_gop.mkv", "mjpeg.avi", "utvideo.avi", "animated.gif"),
                         [](const auto& clip) {
                             std::string name = clip.param;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

/// A file that is too large for memory is read again from its beginning.
TEST(IndexedVideo, PacketsThatAreNotKept) {
    MediaLimits limits;
    for (const std::uint64_t bytes : {0, 3000, 20000}) { // a quarter of this memory keeps what was read again
        limits.packet_bytes = bytes;
        expect_exact(fixture("clips/h264_open.mp4"), limits);
        expect_exact(fixture("clips/mpeg4_b.avi"), limits);
    }
}

TEST(IndexedVideo, OurOwnFiles) {
    const TempFolder folder;
    for (const char* name : {"a.mp4", "a.mkv"}) {
        VideoOptions o;
        o.width = 96;
        o.height = 64;
        o.fps = frame_rate(30000.0 / 1001);
        o.metadata_json = R"({"schema": 1})";
        VideoWriter writer(folder / name, o);
        for (int i = 0; i < 40; ++i) writer.write(picture(96, 64, i));
        writer.finish();
        expect_exact(folder / name);
        IndexedVideo video(folder / name);
        EXPECT_EQ(video.info().frames, 40);
        EXPECT_NEAR(video.info().fps.value(), 30000.0 / 1001, 0.02);
        EXPECT_NEAR(video.times().back(), 39 * 1001 / 30000.0, 2e-3);
        EXPECT_NEAR(video.info().duration, 40 * 1001 / 30000.0, 5e-3);
        EXPECT_EQ(video.info().comment, o.metadata_json);
    }
    EXPECT_EQ(IndexedVideo(folder / "a.mp4").keyframe_before(30), 24);
}

TEST(IndexedVideo, UnevenTimesAreKept) {
    IndexedVideo video(fixture("clips/h264_uneven.mkv"));
    double least = 1, most = 0;
    for (std::size_t i = 1; i < video.times().size(); ++i) {
        least = std::min(least, video.times()[i] - video.times()[i - 1]);
        most = std::max(most, video.times()[i] - video.times()[i - 1]);
    }
    EXPECT_LT(least, 0.06);
    EXPECT_GT(most, 0.12);
    const double mean = (video.frames() - 1) / video.times().back();
    EXPECT_NEAR(video.info().fps.value(), mean, 0.02 * mean);
    const double last = video.times().back() - video.times()[video.times().size() - 2];
    EXPECT_DOUBLE_EQ(video.info().duration, video.times().back() + last);
}

/// Some cameras and joined files change the size. A comparison would then show two different parts of the picture.
TEST(IndexedVideo, AFrameOfAnotherSizeIsRefused) {
    const TempFolder folder;
    std::string bytes = load(fixture("clips/mjpeg.avi"));
    const std::string header("\xFF\xC0\x00\x11\x08\x00\x30\x00\x40", 9); // a header for 64x48
    std::size_t at = 0;
    for (int frame = 0; frame < 6; ++frame) at = bytes.find(header, at + 1);
    ASSERT_NE(at, std::string::npos);
    bytes[at + 6] = 0x28; // now 40 rows
    store(folder / "a.avi", bytes);
    IndexedVideo video(folder / "a.avi");
    Image image;
    EXPECT_NO_THROW(video.read(4, image));
    const std::string said = refusal([&] { video.read(5, image); });
    EXPECT_NE(said.find("the size changes from 64 x 48 to 64 x 40"), std::string::npos) << said;
    EXPECT_NO_THROW(video.read(6, image));
    const std::string in_turn = refusal([&] { frames_in_turn(folder / "a.avi"); });
    EXPECT_NE(in_turn.find("the size changes"), std::string::npos) << in_turn;
}

/// A block of a Matroska file before time zero has no time, and then the packets' times do not tell the number of
/// frames.
TEST(IndexedVideo, AFileOfWhichOnePacketHasNoTimeIsCountedByDecoding) {
    const TempFolder folder;
    std::string bytes = load(fixture("clips/h264_intra.mkv"));
    // These bytes are the track, the block's time and its flags.
    const std::size_t third = bytes.find(std::string("\x81\x00\x53\x80", 4));
    ASSERT_NE(third, std::string::npos);
    bytes.replace(third + 1, 2, "\xFF\xFF");
    store(folder / "a.mkv", bytes);
    expect_exact(folder / "a.mkv");
}

/// Reading stops whether the packets are only read or all decoded, also when a frame is looked up later.
TEST(IndexedVideo, CanBeStopped) {
    for (const char* name : {"h264_long.mp4", "mpeg4_b.avi", "animated.gif"}) {
        std::stop_source stop;
        IndexedVideo video(fixture("clips") / name, {}, stop.get_token());
        stop.request_stop();
        Image image;
        EXPECT_THROW(video.read(video.frames() - 1, image), Cancelled) << name;
        EXPECT_THROW(IndexedVideo(fixture("clips") / name, {}, stop.get_token()), Cancelled) << name;
    }
}

TEST(IndexedVideo, AnImageThatWasMovedFromIsFilledAgain) {
    const std::filesystem::path path = fixture("clips/h264_open.mp4");
    const std::vector<Image> expected = frames_in_turn(path);
    IndexedVideo video(path);
    VideoReader reader(path);
    std::vector<Image> frames, others;
    Image image, other;
    for (int i = 0; i < 3; ++i) {
        video.read(i, image);
        frames.push_back(std::move(image));
        ASSERT_TRUE(reader.read(other));
        others.push_back(std::move(other));
    }
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(frames[i], expected[i]);
        EXPECT_EQ(others[i], expected[i]);
    }
}

/// One group of pictures is destroyed. Its frames are refused by number, or decoded wrongly where H.264 cannot tell;
/// all others can still be read.
TEST(IndexedVideo, DamageStaysWhereItIs) {
    const TempFolder folder;
    VideoOptions o;
    o.width = o.height = 64;
    o.codec = VideoOptions::Codec::h264;
    o.keyframe_interval = 4;
    VideoWriter writer(folder / "a.mkv", o);
    for (int i = 0; i < 24; ++i) writer.write(picture(64, 64, i));
    writer.finish();
    const std::vector<Image> expected = frames_in_turn(folder / "a.mkv");
    std::string bytes = load(folder / "a.mkv");
    for (std::size_t i = 0; i < 40; ++i) bytes[bytes.size() / 2 + i] ^= 0x55;
    store(folder / "b.mkv", bytes);
    IndexedVideo video(folder / "b.mkv");
    ASSERT_EQ(video.frames(), 24);
    Image image;
    int refused = 0;
    std::set<int> hurt; // the groups that are hit; 40 bytes may reach into a second one
    for (const int i : shuffled(24, 3)) {
        try {
            video.read(i, image);
            if (!(image == expected[static_cast<std::size_t>(i)])) hurt.insert(i / o.keyframe_interval);
        } catch (const Error& error) {
            ++refused;
            hurt.insert(i / o.keyframe_interval);
            EXPECT_NE(std::string(error.what()).find("frame " + std::to_string(i + 1) + ":"), std::string::npos);
            EXPECT_NE(error.file().find("b.mkv"), std::string::npos);
        }
    }
    EXPECT_GE(refused, 1);
    EXPECT_LE(hurt.size(), 2u);
}

TEST(IndexedVideo, CutAndForeignFilesAreRefused) {
    const TempFolder folder;
    for (const char* name : {"h264_long.mp4", "vp9.webm", "mpeg4_b.avi"}) {
        const std::string whole = load(fixture("clips") / name);
        for (std::size_t n = 0; n < whole.size(); n += 211) {
            store(folder / name, whole.substr(0, n));
            EXPECT_THROW(IndexedVideo(folder / name), Error) << name << " " << n;
        }
    }
    EXPECT_THROW(IndexedVideo(fixture("mode_RGB.png")), Error);
    EXPECT_THROW(IndexedVideo("/nowhere/a.mp4"), Error);
    EXPECT_THROW(IndexedVideo("/dev/zero"), Error);
}

TEST(IndexedVideo, FlippedBitsAreSurvived) {
    const TempFolder folder;
    std::mt19937 random(5);
    int opened = 0;
    for (const char* name : {"h264_open.mp4", "hevc_open.mp4", "vp8_hidden.webm", "mpeg4_b.avi", "ffv1_gop.mkv"}) {
        const std::string whole = load(fixture("clips") / name);
        for (int i = 0; i < 12; ++i) {
            std::string bytes = whole;
            const std::size_t within = i % 2 ? bytes.size() : std::min<std::size_t>(bytes.size(), 1500);
            for (int k = 0; k < 3; ++k) bytes[random() % within] ^= static_cast<char>(1u << random() % 8);
            store(folder / name, bytes);
            try {
                IndexedVideo video(folder / name);
                ++opened;
                Image image;
                for (const int n : shuffled(video.frames(), 7)) {
                    try {
                        video.read(n, image);
                    } catch (const Error& error) {
                        EXPECT_FALSE(error.file().empty());
                    }
                }
            } catch (const Error& error) {
                EXPECT_FALSE(error.file().empty());
            }
        }
    }
    EXPECT_GT(opened, 0);
}

} // namespace
} // namespace denoir
