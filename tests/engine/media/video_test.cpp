// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "engine/core/error.h"
#include "engine/media/frame_folder.h"
#include "engine/media/indexed_video.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "tests/app/full_disk.h"
#include "tests/engine/media/support.h"

namespace denoir {
namespace {

using namespace test;

VideoOptions options(int width, int height) {
    VideoOptions o;
    o.width = width;
    o.height = height;
    o.metadata_json = R"({"schema": 1, "prompt": "a fox — Füchse 狐"})";
    return o;
}

void write_video(const std::filesystem::path& path, const VideoOptions& o, int frames) {
    VideoWriter writer(path, o);
    for (int i = 0; i < frames; ++i) writer.write(picture(o.width, o.height, i));
    writer.finish();
}

/// What a command prints; empty if its program is not installed.
std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
    if (!pipe) return text;
    std::array<char, 4096> buffer;
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), n);
    ::pclose(pipe);
    return text;
}

TEST(Video, Mp4RoundTrip) {
    const TempFolder folder;
    const VideoOptions o = options(160, 96);
    write_video(folder / "a.mp4", o, 20);
    VideoReader reader(folder / "a.mp4");
    EXPECT_EQ(reader.info().width, 160);
    EXPECT_EQ(reader.info().height, 96);
    EXPECT_EQ(reader.info().fps, (Rational{24, 1}));
    EXPECT_EQ(reader.info().frames, 20);
    EXPECT_NEAR(reader.info().duration, 20 / 24.0, 1e-3);
    EXPECT_EQ(reader.info().container, "mp4");
    EXPECT_EQ(reader.info().codec, "h264");
    EXPECT_EQ(reader.info().comment, o.metadata_json);
    int i = 0;
    for (Image frame; reader.read(frame); ++i) {
        const Image expected = picture(160, 96, i);
        EXPECT_GT(difference(frame, expected).psnr, 36) << i;
        // The frame must be nearer to the picture it was made of than to the next one, or the order is wrong.
        EXPECT_LT(difference(frame, picture(160, 96, i + 1)).psnr, difference(frame, expected).psnr) << i;
    }
    EXPECT_EQ(i, 20);
    EXPECT_EQ(folder.entries(), 1);
}

/// Made by `ffmpeg -f lavfi -i testsrc2=size=64x48:rate=24 -frames:v 5 -pix_fmt yuv420p10le -c:v libx264 -crf 30
/// -x264-params threads=1:colorprim=bt2020:colormatrix=bt2020nc:transfer=smpte2084`, and with arib-std-b67.
TEST(Video, SaysOfHdrThatItIsReadAsIfItWereNone) {
    const TempFolder folder;
    write_video(folder / "sdr.mp4", options(64, 48), 2);
    for (const auto& [file, name] : {std::pair(folder / "sdr.mp4", ""), std::pair(fixture("hdr_pq.mp4"), "PQ"),
                                     std::pair(fixture("hdr_hlg.mp4"), "HLG")}) {
        const VideoReader reader(file);
        EXPECT_EQ(reader.info().hdr, name);
        EXPECT_EQ(IndexedVideo(file).info().hdr, name);
        EXPECT_EQ(hdr_warning(reader.info()).find(fmt::format("is HDR ({})", name)), *name ? 0 : std::string::npos);
    }
}

/// Frames that an edit list leaves out are not shown and not counted, whatever the file's tables say.
TEST(Video, FramesAreThoseThatAreShown) {
    for (const char* name : {"h264_edited.mp4", "h264_long.mp4", "h264_open.mp4", "hevc_open.mp4", "mpeg4_b.mp4"}) {
        const std::filesystem::path file = fixture("clips") / name;
        EXPECT_EQ(VideoReader(file).info().frames, std::int64_t(frames_in_turn(file).size())) << name;
    }
}

/// Programs write edits as 64-bit numbers (version 1) if a film may be long.
TEST(Video, EditListsOfEitherVersion) {
    const TempFolder folder;
    const std::filesystem::path narrow = fixture("clips/h264_edited.mp4");
    std::string wide = load(narrow);
    const std::size_t list = wide.find("elst") + 4; // the fields are version, count, duration, media time and rate
    wide.replace(list, 16,
                 be32(1 << 24) + be32(1) + be32(0) + wide.substr(list + 8, 4) + be32(0) + wide.substr(list + 12, 4));
    for (const char* holder : {"moov", "trak", "edts", "elst"}) {
        const std::size_t size = wide.find(holder) - 4;
        ASSERT_EQ(wide.substr(size, 2), std::string(2, '\0'));
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(wide[size + i]); };
        wide.replace(size, 4, be32((byte(2) << 8 | byte(3)) + 8u));
    }
    store(folder / "wide.mp4", wide);
    EXPECT_EQ(VideoReader(folder / "wide.mp4").info().frames, VideoReader(narrow).info().frames);
    EXPECT_EQ(frames_in_turn(folder / "wide.mp4"), frames_in_turn(narrow));
    wide.replace(wide.find("edts"), 4, "free");
    store(folder / "all.mp4", wide);
    EXPECT_GT(frames_in_turn(folder / "all.mp4").size(), frames_in_turn(narrow).size());
}

TEST(Video, SaysWhatReadingItLeavesOut) {
    const VideoInfo hdr = VideoReader(fixture("hdr_pq.mp4")).info();
    EXPECT_EQ(hdr.kind.bits, 10);
    EXPECT_EQ(reading_warnings(hdr), std::vector{hdr_warning(hdr)}); // of the two warnings the worse one
    for (const char* name : {"h264_long.mp4", "animated.gif", "utvideo.avi", "ffv1_gop.mkv", "mjpeg.avi"})
        EXPECT_TRUE(reading_warnings(VideoReader(fixture("clips") / name).info()).empty()) << name;
    VideoInfo odd;
    odd.kind = {10, true, false};
    odd.matrix = "YCgCo";
    const std::vector<std::string> said = reading_warnings(odd);
    ASSERT_EQ(said.size(), 3u);
    EXPECT_NE(said[0].find("YCgCo"), std::string::npos);
    const VideoInfo television = VideoReader(fixture("clips/h264_interlaced.mp4")).info();
    EXPECT_TRUE(television.interlaced);
    EXPECT_EQ(television.pixel, (Rational{4, 3}));
    const std::vector<std::string> notes = reading_warnings(television);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_NE(notes[0].find("is interlaced"), std::string::npos);
    EXPECT_NE(notes[1].find("pixels of 4:3"), std::string::npos);
    EXPECT_TRUE(reading_warnings({.pixel = {1280, 1281}}).empty()); // so close to square that a side was only rounded
    EXPECT_TRUE(reading_warnings({.taken_for_bt709 = true})[0].find("BT.709") != std::string::npos);
}

/// Some cameras and copies leave a few bytes behind the last atom. All data that the index names lies before them.
TEST(Video, BytesBehindTheLastAtomArePassedOver) {
    const TempFolder folder;
    write_video(folder / "a.mp4", options(64, 48), 6);
    const std::string whole = load(folder / "a.mp4");
    const std::vector<Image> frames = frames_in_turn(folder / "a.mp4");
    for (const std::string& tail : {std::string(1, '\0'), std::string("\0\0\1", 3), std::string("1234567"),
                                    std::string(8, '\0'), std::string(4096, '\0'), std::string("\0\0\0\x40\1\2\3\4", 8),
                                    std::string("\0\0\0\x08"
                                                "fre\xE9",
                                                8)}) {
        store(folder / "b.mp4", whole + tail);
        EXPECT_EQ(frames_in_turn(folder / "b.mp4"), frames) << tail.size();
    }
    // A file that ends within an atom, in its header or behind that, is refused.
    for (const std::string& tail : {std::string("\0\0\0\x40"
                                                "free",
                                                8),
                                    std::string("\0\0\0\x40"
                                                "free12345",
                                                13),
                                    std::string("\0\0\0\1"
                                                "mdat\0\0\0",
                                                11)}) {
        store(folder / "b.mp4", whole + tail);
        EXPECT_THROW(frames_in_turn(folder / "b.mp4"), Error) << tail.size();
    }
    for (std::size_t end = whole.size() - 1; end > whole.size() - 30; --end) {
        store(folder / "b.mp4", whole.substr(0, end));
        EXPECT_THROW(frames_in_turn(folder / "b.mp4"), Error) << end;
    }
}

/// The writer puts the index first. A file that ends behind it, or a few bytes into the next atom, has lost all its
/// frames.
TEST(Video, AnIndexWithoutItsDataIsCutShort) {
    const TempFolder folder;
    write_video(folder / "a.mp4", options(64, 48), 6);
    const std::string whole = load(folder / "a.mp4");
    const std::size_t data = whole.find("mdat") - 4;
    ASSERT_GT(data, whole.find("moov"));
    for (std::size_t end = data - 7; end < data + 8; ++end) {
        store(folder / "b.mp4", whole.substr(0, end));
        EXPECT_THROW(frames_in_turn(folder / "b.mp4"), Error) << end;
    }
}

TEST(Video, Ffv1IsExactAtOddSizes) {
    const TempFolder folder;
    for (const auto& [w, h] : {std::pair{33, 17}, {64, 48}, {2, 2}, {70, 3}}) {
        write_video(folder / "a.mkv", options(w, h), 5);
        const std::vector<Image> frames = frames_in_turn(folder / "a.mkv");
        ASSERT_EQ(frames.size(), 5u);
        for (int i = 0; i < 5; ++i) EXPECT_EQ(frames[static_cast<std::size_t>(i)], picture(w, h, i));
    }
    EXPECT_EQ(read_request_metadata(folder / "a.mkv"), options(2, 2).metadata_json);
    EXPECT_EQ(VideoReader(folder / "a.mkv").info().container, "mkv");
}

// FFV1's encoder needs more memory for such a picture than a file from a stranger may ask for.
TEST(Video, Ffv1OfLargePictures) {
    const TempFolder folder;
    write_video(folder / "a.mkv", options(3840, 2160), 1);
    const std::vector<Image> frames = frames_in_turn(folder / "a.mkv");
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0], picture(3840, 2160, 0));
    EXPECT_THROW(check_video_output(folder / "b.mkv", options(8192, 8192)), UsageError);
    EXPECT_NO_THROW(check_video_output(folder / "b.mp4", options(8192, 8192)));
}

TEST(Video, H264InMatroska) {
    const TempFolder folder;
    VideoOptions o = options(64, 48);
    o.codec = VideoOptions::Codec::h264;
    write_video(folder / "a.mkv", o, 7);
    EXPECT_EQ(frames_in_turn(folder / "a.mkv").size(), 7u);
    EXPECT_EQ(VideoReader(folder / "a.mkv").info().codec, "h264");
}

TEST(Video, PureColoursComeBack) {
    const TempFolder folder;
    const std::array<std::array<std::uint8_t, 3>, 9> colours{{{0, 0, 0},
                                                              {255, 255, 255},
                                                              {255, 0, 0},
                                                              {0, 255, 0},
                                                              {0, 0, 255},
                                                              {255, 255, 0},
                                                              {0, 255, 255},
                                                              {255, 0, 255},
                                                              {128, 128, 128}}};
    VideoWriter writer(folder / "a.mp4", options(64, 64));
    for (const auto& colour : colours) {
        Image image(64, 64);
        for (std::size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = colour[i % 3];
        writer.write(image);
    }
    writer.finish();
    const std::vector<Image> frames = frames_in_turn(folder / "a.mp4");
    ASSERT_EQ(frames.size(), colours.size());
    for (std::size_t f = 0; f < frames.size(); ++f)
        for (std::size_t i = 0; i < frames[f].rgb.size(); ++i) ASSERT_NEAR(frames[f].rgb[i], colours[f][i % 3], 2) << f;
}

TEST(Video, SameBytesTwice) {
    const TempFolder folder;
    for (const char* name : {"a.mp4", "a.mkv"}) {
        write_video(folder / name, options(96, 64), 9);
        const std::string first = load(folder / name);
        write_video(folder / name, options(96, 64), 9);
        EXPECT_EQ(first, load(folder / name)) << name;
    }
}

/// "trun" names a table of MP4, and a user may write that word into a prompt.
TEST(Video, PromptsMayHoldNamesOfTables) {
    const TempFolder folder;
    VideoOptions o = options(32, 32);
    o.metadata_json = R"({"prompt": "an elephant's trunk, stsz, cmov"})";
    write_video(folder / "a.mp4", o, 2);
    EXPECT_EQ(frames_in_turn(folder / "a.mp4").size(), 2u);
    EXPECT_EQ(read_request_metadata(folder / "a.mp4"), o.metadata_json);
}

TEST(Video, MetadataOnlyWhereAsked) {
    const TempFolder folder;
    VideoOptions o = options(32, 32);
    o.metadata_json.clear();
    for (const char* name : {"a.mp4", "a.mkv"}) {
        write_video(folder / name, o, 2);
        EXPECT_EQ(read_request_metadata(folder / name), "");
        EXPECT_EQ(load(folder / name).find("COMMENT"), std::string::npos);
    }
    EXPECT_EQ(read_request_metadata(fixture("sampling_420.jpg")), "");
}

TEST(Video, ProbeAgrees) {
    const TempFolder folder;
    VideoOptions o = options(160, 96);
    o.fps = frame_rate(30000.0 / 1001);
    EXPECT_EQ(o.fps, (Rational{30000, 1001}));
    write_video(folder / "a.mp4", o, 40);
    const std::string file = (folder / "a.mp4").string();
    const std::string streams = output_of("ffprobe -v error -show_streams -show_format " + file);
    if (streams.empty()) GTEST_SKIP() << "ffprobe is not installed";
    for (const char* line :
         {"codec_name=h264", "pix_fmt=yuv420p", "color_range=tv", "color_space=bt709", "color_transfer=bt709",
          "color_primaries=bt709", "avg_frame_rate=30000/1001", "nb_frames=40", "width=160"})
        EXPECT_NE(streams.find(line), std::string::npos) << line;
    EXPECT_NE(streams.find("TAG:comment=" + o.metadata_json), std::string::npos) << streams;
    // There is a keyframe at least every 12 frames.
    const std::string keys =
        output_of("ffprobe -v error -select_streams v -show_entries frame=key_frame -of csv=p=0 " + file);
    int distance = 12;
    for (const char c : keys)
        if (c == '0' || c == '1') {
            distance = c == '1' ? 1 : distance + 1;
            EXPECT_LE(distance, 12);
        }
    const std::string bytes = load(file);
    EXPECT_LT(bytes.find("moov"), bytes.find("mdat"));
    EXPECT_EQ(bytes.find("Lavf"), std::string::npos);
}

TEST(Video, PadsOddSidesOnlyWhenAsked) {
    const TempFolder folder;
    VideoOptions o = options(33, 17);
    EXPECT_THROW(VideoWriter(folder / "a.mp4", o), UsageError);
    o.odd_size = VideoOptions::OddSize::pad;
    write_video(folder / "a.mp4", o, 3);
    EXPECT_EQ(VideoReader(folder / "a.mp4").info().width, 34);
    EXPECT_EQ(VideoReader(folder / "a.mp4").info().height, 18);
    Image white(33, 17); // white up to the last column and row
    std::fill(white.rgb.begin(), white.rgb.end(), std::uint8_t{255});
    VideoWriter writer(folder / "b.mp4", o);
    writer.write(white);
    writer.finish();
    const std::vector<Image> frames = frames_in_turn(folder / "b.mp4");
    for (const std::uint8_t v : frames.at(0).rgb) ASSERT_GE(v, 250);
}

TEST(Video, RefusesWhatCannotBeWritten) {
    const TempFolder folder;
    std::filesystem::create_directory(folder / "dir.mp4");
    const VideoOptions good = options(32, 32);
    const auto refuses = [&](const char* name, auto change, bool usage) {
        VideoOptions o = good;
        change(o);
        try {
            VideoWriter(folder / name, o).finish();
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(dynamic_cast<const UsageError*>(&error) != nullptr, usage) << error.what();
            EXPECT_NE(error.file().find(name), std::string::npos) << error.what();
        }
    };
    refuses(
        "a.avi", [](VideoOptions&) {}, true);
    refuses(
        "a.mp4", [](VideoOptions& o) { o.crf = 52; }, true);
    refuses(
        "a.mp4",
        [](VideoOptions& o) {
            o.fps = {0, 1};
        },
        true);
    refuses(
        "a.mp4", [](VideoOptions& o) { o.width = 0; }, true);
    refuses(
        "a.mkv", [](VideoOptions& o) { o.height = 1; }, true);
    refuses(
        "a.mp4", [](VideoOptions& o) { o.width = 20000; }, true);
    refuses(
        "a.mp4", [](VideoOptions& o) { o.codec = VideoOptions::Codec::ffv1; }, true);
    refuses(
        "dir.mp4", [](VideoOptions&) {}, false);
    refuses(
        "no/such/a.mp4", [](VideoOptions&) {}, false);
    refuses(
        "a.mp4", [](VideoOptions&) {}, false); // no frames are written
    EXPECT_EQ(folder.entries(), 1);
}

TEST(Video, AnUnfinishedFileLeavesNothing) {
    const TempFolder folder;
    {
        VideoWriter writer(folder / "a.mp4", options(32, 32));
        writer.write(picture(32, 32));
    }
    EXPECT_EQ(folder.entries(), 0);
    store(folder / "a.mkv", "older");
    {
        VideoWriter writer(folder / "a.mkv", options(32, 32));
        writer.write(picture(32, 32));
    }
    EXPECT_EQ(load(folder / "a.mkv"), "older");
}

TEST(Video, FullDiskLeavesNothing) {
    const TempFolder folder;
    for (const char* name : {"a.mp4", "a.mkv"}) {
        for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, rlim_t{5000}}) {
            const app::FullDisk disk(limit);
            try {
                write_video(folder / name, options(160, 96), 20);
                ADD_FAILURE() << name << limit;
            } catch (const Error& error) {
                EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
            }
        }
        EXPECT_EQ(folder.entries(), 0);
    }
    {
        const app::FullDisk disk(1000);
        EXPECT_THROW(write_png(folder / "a.png", picture(96, 64)), Error);
        FrameFolderWriter writer(folder / "frames");
        EXPECT_THROW(writer.write(picture(96, 64)), Error);
    }
    EXPECT_EQ(folder.entries(), 0);
}

/// A ramp of grey in full range: 0 is black, the largest value is white, and all between lies where it belongs.
TEST(Video, FullRangeOfMoreThanEightBits) {
    const TempFolder folder;
    if (output_of("ffmpeg -version").empty()) GTEST_SKIP() << "ffmpeg is not installed";
    for (const int bits : {8, 10, 12}) {
        const int most = (1 << bits) - 1, width = 1024, height = 4;
        std::string raw;
        const auto put = [&](int value) {
            raw += static_cast<char>(value & 255);
            if (bits > 8) raw += static_cast<char>(value >> 8);
        };
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) put(most * x / (width - 1));
        for (int i = 0; i < 2 * width * height; ++i) put(1 << (bits - 1));
        std::ofstream(folder / "ramp.raw", std::ios::binary) << raw;
        const std::string format = bits == 8 ? "yuv444p" : "yuv444p" + std::to_string(bits) + "le";
        output_of("ffmpeg -nostdin -y -f rawvideo -s 1024x4 -pix_fmt " + format + " -i " +
                  (folder / "ramp.raw").string() + " -c:v ffv1 -color_range pc -colorspace bt709 " +
                  (folder / "ramp.mkv").string());
        const Image frame = frames_in_turn(folder / "ramp.mkv").at(0);
        int others = 0;
        for (int x = 0; x < width; ++x) {
            const int value = most * x / (width - 1);
            others += frame.row(0)[3 * x] != std::lround(255.0 * value / most);
        }
        EXPECT_LE(others, width / 100) << bits;
        EXPECT_EQ(frame.row(0)[3 * (width - 1)], 255) << bits;
    }
}

/// H.264, or its decoder, says where the chroma samples lie; FFV1 does not.
TEST(Video, ChromaLiesWhereItDidInAnotherCodec) {
    const TempFolder folder;
    if (output_of("ffmpeg -version").empty()) GTEST_SKIP() << "ffmpeg is not installed";
    for (const std::string range : {"tv", "pc"}) {
        const std::string one = (folder / (range + ".mkv")).string(), other = (folder / (range + ".mp4")).string();
        output_of(
            "ffmpeg -nostdin -y -f lavfi -i testsrc=size=64x48:rate=24 -frames:v 2 -pix_fmt yuv420p -color_range " +
            range + " -c:v ffv1 " + one);
        output_of("ffmpeg -nostdin -y -i " + one + " -c:v libx264 -qp 0 " + other);
        const std::vector<Image> a = frames_in_turn(one), b = frames_in_turn(other);
        ASSERT_EQ(a.size(), 2u) << range;
        ASSERT_EQ(b.size(), 2u) << range;
        EXPECT_TRUE(a[1] == b[1]) << range;
    }
}

TEST(Video, ReadsWhatOthersWrite) {
    const TempFolder folder;
    write_video(folder / "a.mkv", options(64, 48), 6);
    if (output_of("ffmpeg -version").empty()) GTEST_SKIP() << "ffmpeg is not installed";
    const auto convert = [&](const std::string& arguments, const std::string& name) {
        output_of("ffmpeg -nostdin -y -i " + (folder / "a.mkv").string() + " " + arguments + " " +
                  (folder / name).string());
        return std::filesystem::exists(folder / name);
    };
    // A tagged file with full range and BT.601 must be read with that range and matrix.
    ASSERT_TRUE(convert("-vf scale=out_color_matrix=bt601:out_range=full:flags=accurate_rnd+full_chroma_int -c:v "
                        "libx264 -crf 1 -pix_fmt yuv444p -color_range pc -colorspace smpte170m",
                        "601.mp4"));
    std::vector<Image> frames = frames_in_turn(folder / "601.mp4");
    ASSERT_EQ(frames.size(), 6u);
    EXPECT_GT(difference(frames[2], picture(64, 48, 2)).psnr, 38);
    ASSERT_TRUE(convert("-vf scale=out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int -c:v libx264 -crf 1 "
                        "-pix_fmt yuv444p -colorspace bt709",
                        "709.mp4"));
    frames = frames_in_turn(folder / "709.mp4");
    EXPECT_GT(difference(frames.at(2), picture(64, 48, 2)).psnr, 38);
    ASSERT_TRUE(convert("-c:v mjpeg -q:v 1 -pix_fmt yuvj444p", "a.avi"));
    EXPECT_GT(difference(frames_in_turn(folder / "a.avi").at(3), picture(64, 48, 3)).psnr, 33);
    ASSERT_TRUE(convert("", "a.gif"));
    EXPECT_EQ(frames_in_turn(folder / "a.gif").size(), 6u);
    // A display matrix turns the picture, so that its right edge comes to the top.
    output_of("ffmpeg -nostdin -y -i " + (folder / "709.mp4").string() + " -c copy -metadata:s:v:0 rotate=90 " +
              (folder / "turned.mp4").string());
    VideoReader turned(folder / "turned.mp4");
    EXPECT_EQ(turned.info().width, 48);
    Image image;
    ASSERT_TRUE(turned.read(image));
    // rotate=90 asks the player to turn the picture clockwise.
    const Image flat = frames_in_turn(folder / "709.mp4").at(0);
    EXPECT_TRUE(std::equal(flat.row(0), flat.row(0) + 3, image.row(0) + 3 * 47) ||
                std::equal(flat.row(0), flat.row(0) + 3, image.row(63)));
}

/// All eight ways to turn and mirror a frame, as the matrix of a track writes them: a pixel goes from (x, y) to (a x +
/// c y, b x + d y).
TEST(Video, TurnsAndMirrorsAsItsTrackSays) {
    const TempFolder folder;
    write_video(folder / "a.mp4", options(64, 48), 1);
    const std::string bytes = load(folder / "a.mp4");
    const Image flat = frames_in_turn(folder / "a.mp4").at(0);
    const std::size_t matrix = bytes.find("tkhd") + 44;
    ASSERT_EQ(bytes.substr(matrix, 4), be32(0x10000));
    const auto fixed = [](int v) { return be32(static_cast<std::uint32_t>(v * 0x10000)); };
    for (const bool turned : {false, true})
        for (const int first : {1, -1})
            for (const int second : {1, -1}) {
                const int a = turned ? 0 : first, b = turned ? first : 0, c = turned ? second : 0,
                          d = turned ? 0 : second;
                store(folder / "b.mp4",
                      std::string(bytes).replace(matrix, 20, fixed(a) + fixed(b) + be32(0) + fixed(c) + fixed(d)));
                const Image laid = frames_in_turn(folder / "b.mp4").at(0);
                ASSERT_EQ(laid.width, turned ? 48 : 64);
                ASSERT_EQ(laid.height, turned ? 64 : 48);
                int others = 0;
                for (int y = 0; y < flat.height; ++y)
                    for (int x = 0; x < flat.width; ++x) {
                        const int to_x = a * x + c * y + (a + c < 0 ? laid.width - 1 : 0),
                                  to_y = b * x + d * y + (b + d < 0 ? laid.height - 1 : 0);
                        others += !std::equal(flat.row(y) + 3 * x, flat.row(y) + 3 * x + 3, laid.row(to_y) + 3 * to_x);
                    }
                EXPECT_EQ(others, 0) << a << b << c << d;
                Image found;
                IndexedVideo(folder / "b.mp4").read(0, found);
                EXPECT_EQ(found, laid);
            }
}

TEST(Video, APictureIsNoVideo) {
    EXPECT_THROW(VideoReader(fixture("mode_RGB.png")), Error);
    EXPECT_THROW(VideoReader("/nowhere/a.mp4"), Error);
}

} // namespace
} // namespace denoir
