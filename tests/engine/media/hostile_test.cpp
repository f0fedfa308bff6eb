// SPDX-License-Identifier: Apache-2.0
// Files from strangers: nothing here may crash, hang, take more than 2 s or 1 GiB, or throw anything but Error.
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include <chrono>
#include <random>

#include "engine/core/error.h"
#include "engine/media/containers.h"
#include "engine/media/video_writer.h"
#include "tests/engine/media/support.h"
#include "tests/engine/sanitized.h"

namespace denoir {
namespace {

using namespace test;

enum class Must { refuse, survive };

/// Runs `read`, which must throw an Error in time, or may succeed if `must` allows it. Only this thread's own processor
/// time counts, because other tests run at the same time.
template <class Read> std::string attempt(const std::string& what, Must must, Read&& read) {
    const auto seconds = [] {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    };
    const double begin = seconds();
    std::string said;
    try {
        read();
        EXPECT_EQ(must, Must::survive) << what << ": accepted";
    } catch (const Error& error) {
        said = error.what();
        EXPECT_FALSE(error.file().empty()) << what;
        EXPECT_LE(said.size(), 400u);
        EXPECT_EQ(said.find('\n'), std::string::npos);
    }
    EXPECT_TRUE(said.empty() || seconds() - begin < (sanitized ? 10 : 2)) << what << ": " << said;
    return said;
}

void drain(const std::filesystem::path& path) {
    VideoReader reader(path);
    for (Image frame; reader.read(frame);) {
    }
}

std::string attempt_image(const std::filesystem::path& path, Must must = Must::refuse) {
    attempt(path.filename().string() + " (info)", Must::survive, [&] { image_info(path); });
    return attempt(path.filename().string(), must, [&] { read_image(path); });
}

std::string attempt_video(const std::filesystem::path& path, Must must = Must::refuse) {
    attempt(path.filename().string() + " (metadata)", Must::survive, [&] { read_request_metadata(path); });
    return attempt(path.filename().string(), must, [&] { drain(path); });
}

std::string chunk(const std::string& type, const std::string& body) {
    const std::string both = type + body;
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(both.data()), static_cast<uInt>(both.size()));
    return be32(static_cast<std::uint32_t>(body.size())) + both + be32(static_cast<std::uint32_t>(sum));
}

std::string deflate_zeros(std::size_t bytes) {
    const std::string raw(bytes, '\0');
    std::string packed(compressBound(static_cast<uLong>(bytes)), '\0');
    uLongf size = static_cast<uLongf>(packed.size());
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
              static_cast<uLong>(bytes), 6);
    packed.resize(size);
    return packed;
}

std::string png(std::uint32_t width, std::uint32_t height, const std::string& idat, const std::string& extra = {}) {
    const std::string header = be32(width) + be32(height) + std::string("\x08\x02\0\0\0", 5);
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + extra + chunk("IDAT", idat) + chunk("IEND", "");
}

/// A GIF of 2 x 2 pixels with codes for `bits` bits a pixel.
std::string still_gif(char bits, const std::string& codes) {
    return std::string("GIF89a\2\0\2\0\x80\0\0\1\2\3\4\5\6\x2C\0\0\0\0\2\0\2\0\0", 29) + bits +
           static_cast<char>(codes.size()) + codes + std::string("\0;", 2);
}

/// Turns one to twenty bits somewhere in the first `within` bytes.
std::string flipped(std::string bytes, std::mt19937& random, std::size_t within = SIZE_MAX) {
    within = std::min(within, bytes.size());
    for (unsigned n = random() % 3 == 0 ? 20 : 1 + random() % 3; n > 0; --n)
        bytes[random() % within] ^= static_cast<char>(1u << random() % 8);
    return bytes;
}

TEST(HostileImage, NotAPicture) {
    const TempFolder folder;
    store(folder / "m3u8.png", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n");
    store(folder / "concat.png", "ffconcat version 1.0\nfile /etc/hostname\n");
    store(folder / "sdp.png", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 1 RTP/AVP 96\n");
    store(folder / "svg.png", "<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/hostname'/></svg>");
    store(folder / "empty.png", "");
    store(folder / "one.jpg", "\xff");
    store(folder / "text.jpg", "hello");
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        attempt_image(entry.path());
        attempt_video(entry.path());
    }
    ASSERT_EQ(::mkfifo((folder / "fifo.png").c_str(), 0600), 0);
    std::filesystem::create_directory(folder / "dir.png");
    for (const char* name : {"fifo.png", "dir.png", "missing.png", "http:", "%d.png"}) {
        attempt_image(folder / name);
        attempt(name, Must::refuse, [&] { VideoReader(folder / name); });
    }
    attempt_image("/dev/zero");
    attempt_image("http://127.0.0.1/a.png");
}

TEST(HostileImage, EveryPrefixIsRefused) {
    const TempFolder folder;
    for (const char* name :
         {"sampling_420.jpg", "progressive.jpg", "interlaced.png", "palette_2.png", "lossy.webp", "lossless.webp",
          "mode_RGB.bmp", "picture.gif", "tiff_lzw.tiff", "picture.ppm", "picture.pbm"}) {
        const std::string whole = load(fixture(name));
        for (std::size_t n = 0; n < whole.size(); n += n < 300 ? 1 : 29) {
            store(folder / name, whole.substr(0, n));
            attempt_image(folder / name);
        }
        store(folder / name, whole.substr(0, whole.size() - 1));
        attempt_image(folder / name);
    }
}

/// If the codes end early, libav leaves the rest of the picture unset and only says so in its log.
TEST(HostileImage, GifCodesThatEndEarlyAreRefused) {
    const TempFolder folder;
    const std::string whole = still_gif(2, "\x44\x10\x05"); // clear, 0, 1, 0, 1 and the end
    store(folder / "whole.gif", whole);
    EXPECT_EQ(attempt_image(folder / "whole.gif", Must::survive), "");
    const std::string end = still_gif(2, "\x44\x50"); // clear, 0, 1, 0 and the end
    store(folder / "end.gif", end);
    EXPECT_NE(attempt_image(folder / "end.gif").find("its picture data is broken"), std::string::npos);
    store(folder / "unknown.gif", still_gif(2, "\x44\xF0")); // clear, 0, 1, 0 and an undefined code
    EXPECT_NE(attempt_image(folder / "unknown.gif").find("its picture data is broken"), std::string::npos);
    store(folder / "bits.gif", still_gif(13, "\x44\x10\x05"));
    EXPECT_NE(attempt_image(folder / "bits.gif").find("the file is damaged: the data is damaged"), std::string::npos);

    constexpr std::size_t canvas = 19; // its size in bytes
    const auto picture = [](const std::string& still) {
        return std::string("\x21\xF9\4\0\5\0\0\0", 8) + still.substr(canvas, still.size() - canvas - 1);
    };
    store(folder / "moving.gif", whole.substr(0, canvas) + picture(whole) + picture(end) + ";");
    EXPECT_NE(attempt_video(folder / "moving.gif").find("frame 2: the data is damaged"), std::string::npos);
}

TEST(HostileImage, FlippedBits) {
    const TempFolder folder;
    std::mt19937 random(1);
    for (const char* name :
         {"sampling_420.jpg", "progressive.jpg", "cmyk.jpg", "turned.jpg", "interlaced.png", "palette_2.png",
          "grey16.png", "lossy.webp", "lossless.webp", "alpha.webp", "mode_P.bmp", "mode_RGB.bmp", "picture.gif",
          "tiff_lzw.tiff", "packbits.tiff", "raw.tiff", "alpha.tiff", "picture.ppm"}) {
        const std::string whole = load(fixture(name));
        for (int i = 0; i < (sanitized ? 25 : 60); ++i) {
            store(folder / name, flipped(whole, random, i % 2 ? SIZE_MAX : 100));
            attempt_image(folder / name, Must::survive);
        }
    }
}

TEST(HostileImage, HugeClaims) {
    const TempFolder folder;
    const auto refuse = [&](const char* name, const std::string& bytes) {
        store(folder / name, bytes);
        attempt_image(folder / name);
    };
    refuse("16k.png", png(16384, 16384, deflate_zeros(1000)));
    refuse("8k.png", png(8192, 8192, deflate_zeros(1000)));
    refuse("line.png", png(1, 0x7FFFFFFF, deflate_zeros(1000)));
    refuse("none.png", png(0, 1, deflate_zeros(1000)));
    const std::string jpeg = load(fixture("sampling_420.jpg"));
    const std::size_t frame = jpeg.find("\xff\xc0");
    for (const std::string& size :
         {std::string("\x3E\x80\x0F\xA0", 4), std::string("\xFF\xFF\xFF\xFF", 4), std::string("\0\0\x10\0", 4)})
        refuse("a.jpg", std::string(jpeg).replace(frame + 5, 4, size));
    const std::string bmp = load(fixture("mode_RGB.bmp"));
    refuse("a.bmp", std::string(bmp).replace(18, 8, std::string("\0\x20\0\0\0\x20\0\0", 8)));
    refuse("b.bmp", std::string(bmp).replace(18, 8, std::string("\x20\0\0\0\0\0\0\x80", 8)));
    const std::string lossless = load(fixture("lossless.webp")), lossy = load(fixture("lossy.webp"));
    refuse("a.webp", std::string(lossless).replace(lossless.find("VP8L") + 9, 4, "\xff\xff\xff\x0f"));
    refuse("b.webp", std::string(lossy).replace(lossy.find("\x9d\x01\x2a") + 3, 4, std::string("\x80\x3E\xA0\x0F", 4)));
    refuse("a.ppm", "P6 8000 8000 255 xx");
    refuse("b.ppm", "P6 99999999999999999999 8 255 xx");
    const std::string tiff = load(fixture("tiff_lzw.tiff"));
    refuse("a.tiff", std::string(tiff).replace(4, 4, "\xff\xff\xff\xff"));
}

// PNG has five filters; a row with another number is refused wherever it stands.
TEST(HostileImage, PngFilters) {
    const TempFolder folder;
    const auto deflated = [](const std::string& raw) {
        std::string packed(compressBound(static_cast<uLong>(raw.size())), '\0');
        uLongf size = static_cast<uLongf>(packed.size());
        compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
                  static_cast<uLong>(raw.size()), 6);
        packed.resize(size);
        return packed;
    };
    constexpr std::size_t side = 300, row = 1 + 3 * side; // longer than one piece of the unpacked stream
    for (const std::size_t at : {std::size_t{0}, side / 2, side - 1}) {
        std::string raw(side * row, '\7'); // any values will do for the pixels
        for (std::size_t y = 0; y < side; ++y) raw[y * row] = static_cast<char>(y % 5);
        store(folder / "good.png", png(side, side, deflated(raw)));
        attempt_image(folder / "good.png", Must::survive);
        EXPECT_EQ(read_image(folder / "good.png").width, int(side));
        raw[at * row] = '\5';
        store(folder / "bad.png", png(side, side, deflated(raw)));
        EXPECT_NE(attempt_image(folder / "bad.png").find("unknown PNG filter"), std::string::npos) << at;
    }
}

// A TIFF of 64 million pixels of eight bytes, in two bytes of LZW: its sides are allowed, but it decodes to 512 MiB.
TEST(HostileImage, DeepPixels) {
    const auto little = [](std::uint32_t v, int bytes) {
        std::string s;
        for (int i = 0; i < bytes; ++i) s += static_cast<char>(v >> (8 * i));
        return s;
    };
    constexpr std::uint32_t entries = 9, bits_at = 8 + 2 + 12 * entries + 4, strip_at = bits_at + 8;
    const auto entry = [&](std::uint32_t tag, std::uint32_t type, std::uint32_t count, std::uint32_t value) {
        return little(tag, 2) + little(type, 2) + little(count, 4) + little(value, 4);
    };
    const auto deep_tiff = [&](std::uint32_t width, std::uint32_t height) {
        return std::string("II*\0", 4) + little(8, 4) + little(entries, 2) + entry(256, 4, 1, width) +
               entry(257, 4, 1, height) + entry(258, 3, 4, bits_at) + entry(259, 3, 1, 5) + entry(262, 3, 1, 2) +
               entry(273, 4, 1, strip_at) + entry(277, 3, 1, 4) + entry(278, 4, 1, height) + entry(279, 4, 1, 2) +
               little(0, 4) + little(16, 2) + little(16, 2) + little(16, 2) + little(16, 2) + "\x80\x40";
    };
    const TempFolder folder;
    store(folder / "large.tiff", deep_tiff(16384, 4096));
    EXPECT_NE(attempt_image(folder / "large.tiff").find("of this depth is too large"), std::string::npos);
    // 40 million such pixels are allowed, though their data is missing.
    store(folder / "less.tiff", deep_tiff(16384, 2500));
    EXPECT_EQ(attempt_image(folder / "less.tiff").find("too large"), std::string::npos);
}

/// Such a number must not be read as two, the first of nine digits.
TEST(HostileImage, ANumberOfTooManyDigits) {
    const TempFolder folder;
    for (const char* header : {"P6 4294967297 1 255 ", "P6 2 0000000001 255 ", "P6 2 1 0000000255 "}) {
        store(folder / "a.ppm", header + std::string(100, '\1'));
        EXPECT_NE(attempt_image(folder / "a.ppm").find("its header is not valid"), std::string::npos) << header;
    }
}

/// These files are mostly holes, which cost nothing to make. What a picture of that size cannot need is neither read
/// nor copied.
TEST(HostileImage, FarLargerThanTheirPicture) {
    const TempFolder folder;
    const auto said = [&](const char* name, const std::string& begin) {
        store(folder / name, begin);
        std::filesystem::resize_file(folder / name, std::size_t{100} << 20);
        return attempt_image(folder / name);
    };
    const std::string zeros(400, '\0'), larger = "far larger than its picture";
    EXPECT_NE(said("a.ppm", "P6 8 8 255 " + zeros).find(larger), std::string::npos);
    EXPECT_NE(said("a.pgm", "P2 2 2 255 1 1 1 1 ").find(larger), std::string::npos);
    EXPECT_NE(said("c.pgm", "P2 5000 5000 255 ").find("so many samples as text"), std::string::npos);
    EXPECT_NE(said("a.bmp", load(fixture("mode_RGB.bmp"))).find(larger), std::string::npos);
    const std::string far("\0\0\0\6", 4); // 96 MiB if read in the wrong byte order
    EXPECT_NE(said("b.bmp", load(fixture("mode_RGB.bmp")).replace(10, 4, far)).find(larger), std::string::npos);
    EXPECT_NE(said("a.png", png(8, 8, "").substr(0, 33) + be32(99 << 20) + "tEXt").find(larger), std::string::npos);
    EXPECT_NE(said("a.jpg", load(fixture("sampling_420.jpg"))).find(larger), std::string::npos);
    EXPECT_NE(said("a.tiff", load(fixture("raw.tiff"))).find(larger), std::string::npos);
    // Bytes behind a picture do not belong to it and do no harm.
    store(folder / "more.bmp", load(fixture("mode_RGB.bmp")) + zeros);
    EXPECT_EQ(read_image(folder / "more.bmp"), load_ppm(fixture("mode_RGB.bmp.ppm")));
    store(folder / "more.ppm", load(fixture("picture.ppm")) + zeros);
    EXPECT_EQ(read_image(folder / "more.ppm"), load_ppm(fixture("picture.ppm.ppm")));
}

TEST(HostileImage, TooDeepByTheHeader) {
    const TempFolder folder;
    const std::string header = be32(8192) + be32(8192) + std::string("\x10\x06\0\0\0", 5);
    store(folder / "a.png", "\x89PNG\r\n\x1a\n" + chunk("IHDR", header));
    EXPECT_NE(attempt_image(folder / "a.png").find("of this depth is too large"), std::string::npos);
}

TEST(HostileImage, PiecesWithoutEnd) {
    const TempFolder folder;
    const std::string packed = deflate_zeros(8 * 25), piece = chunk("IDAT", "");
    std::string pieces;
    for (int i = 0; i < 100'000; ++i) pieces += piece;
    store(folder / "empty.png", png(8, 8, packed, pieces));
    attempt_image(folder / "empty.png", Must::survive);
    EXPECT_EQ(read_image(folder / "empty.png").width, 8);
    pieces.clear();
    for (int i = 0; i < 1'100'000; ++i) pieces += chunk("IDAT", "x");
    store(folder / "many.png", png(2000, 2000, packed, pieces));
    EXPECT_NE(attempt_image(folder / "many.png").find("too many pieces"), std::string::npos);
}

/// Programs differ in what they show of such a picture.
TEST(HostileImage, PngsInPiecesThatLieApartAreRefused) {
    const TempFolder folder;
    const std::string packed = deflate_zeros(8 * 25), first = chunk("IDAT", packed.substr(0, 5));
    const auto said = [&](const std::string& between) {
        store(folder / "a.png", png(8, 8, packed.substr(5), first + between));
        return attempt_image(folder / "a.png", Must::survive);
    };
    EXPECT_EQ(said(""), "");
    EXPECT_NE(said(chunk("tEXt", std::string("a\0b", 3))).find("scattered"), std::string::npos);
    EXPECT_NE(said(chunk("PLTE", "abc")).find("its palette is not valid"), std::string::npos);
}

TEST(HostileImage, Bombs) {
    const TempFolder folder;
    const std::string bomb = deflate_zeros(std::size_t{64} << 20);
    store(folder / "idat.png", png(8, 8, bomb));
    attempt_image(folder / "idat.png");
    // Text and profiles that grow when unpacked are never unpacked.
    store(folder / "text.png",
          png(8, 8, deflate_zeros(8 * 25),
              chunk("zTXt", std::string("Comment\0\0", 9) + bomb) + chunk("iCCP", std::string("icc\0\0", 5) + bomb)));
    attempt_image(folder / "text.png", Must::survive);
    EXPECT_EQ(read_image(folder / "text.png").width, 8);
    // Thousands of scans that each touch all pixels.
    const std::string jpeg = load(fixture("progressive.jpg"));
    const std::size_t frame = jpeg.find("\xff\xc2"), scan = jpeg.rfind("\xff\xda");
    std::string scans = jpeg.substr(0, frame + 5) + std::string("\x20\0\x20\0", 4) +
                        jpeg.substr(frame + 9, scan - frame - 9) + std::string(200000, '\x11');
    for (int i = 0; i < 3000; ++i) scans += jpeg.substr(scan, jpeg.size() - 2 - scan);
    store(folder / "scans.jpg", scans + "\xff\xd9");
    EXPECT_NE(attempt_image(folder / "scans.jpg").find("scans"), std::string::npos);
}

void write_clip(const std::filesystem::path& path, int frames) {
    VideoOptions o;
    o.width = 64;
    o.height = 48;
    o.metadata_json = "{\"schema\": 1}";
    VideoWriter writer(path, o);
    for (int i = 0; i < frames; ++i) writer.write(picture(64, 48, i));
    writer.finish();
}

class HostileVideo : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        write_clip(folder_ / GetParam(), 15);
        whole_ = load(folder_ / GetParam());
    }
    TempFolder folder_;
    std::string whole_;
};

TEST_P(HostileVideo, PrefixesAreRefused) {
    const std::filesystem::path path = folder_ / GetParam();
    for (std::size_t n = 0; n < whole_.size(); n += n < 200 ? 7 : 401) {
        store(path, whole_.substr(0, n));
        attempt_video(path);
    }
    store(path, whole_.substr(0, whole_.size() - 1));
    attempt_video(path);
}

TEST_P(HostileVideo, FlippedBits) {
    const std::filesystem::path path = folder_ / GetParam();
    std::mt19937 random(2);
    for (int i = 0; i < (sanitized ? 60 : 200); ++i) {
        store(path, flipped(whole_, random, i % 3 ? 1500 : SIZE_MAX));
        attempt_video(path, Must::survive);
    }
}

TEST_P(HostileVideo, IsNoPicture) { attempt_image(folder_ / GetParam()); }

INSTANTIATE_TEST_SUITE_P(Containers, HostileVideo, testing::Values("a.mp4", "a.mkv"));

/// Changes a byte of every packet, at each of so many places. Returns how often the file was neither refused nor read
/// with the right frames.
int concealed(const std::filesystem::path& path, int places, int& refused) {
    const std::string whole = load(path);
    const std::vector<Image> expected = frames_in_turn(path);
    std::vector<std::pair<std::size_t, std::size_t>> packets; // offset and size
    {
        media::Demuxer demuxer(path, {});
        const media::Packet packet = media::make_packet();
        while (demuxer.read(*packet)) {
            const std::string data(reinterpret_cast<const char*>(packet->data), std::size_t(packet->size));
            packets.emplace_back(whole.find(data), data.size());
        }
    }
    int unnoticed = 0;
    for (const auto& [offset, size] : packets)
        for (int place = 0; place < places; ++place) {
            std::string damaged = whole;
            damaged.at(offset + size * std::size_t(place) / std::size_t(places)) ^= 0x5A;
            store(path, damaged);
            try {
                unnoticed += frames_in_turn(path) != expected;
            } catch (const Error&) {
                ++refused;
            }
        }
    return unnoticed;
}

/// libav fills damaged slices of FFV1 from the frame before and only says so in its log.
TEST(HostileVideoDamage, Ffv1IsNeverConcealed) {
    const TempFolder folder;
    write_clip(folder / "a.mkv", 15);
    int refused = 0;
    EXPECT_EQ(concealed(folder / "a.mkv", 8, refused), 0);
    EXPECT_GT(refused, 15 * 7);
}

/// H.264 has no checksums. Damage that libav notices is refused; damage that gives another valid stream cannot be
/// noticed, and libav's log was silent there, too.
TEST(HostileVideoDamage, H264ThatLibavConcealsIsRefused) {
    const TempFolder folder;
    write_clip(folder / "a.mp4", 15);
    int refused = 0;
    const int unnoticed = concealed(folder / "a.mp4", 8, refused);
    EXPECT_GT(refused, unnoticed) << unnoticed;
}

TEST(HostileVideoClaims, CanvasOfMovingGif) {
    const TempFolder folder;
    // Pictures need a delay, since FFmpeg 7 takes those without one for a single picture.
    const std::string frame("\x21\xF9\4\0\5\0\0\0\x2C\0\0\0\0\1\0\1\0\0\2\2\x4C\1\0", 23);
    const auto gif = [&](const char* size) {
        return "GIF89a" + std::string(size, 4) + std::string("\x80\0\0\0\0\0\xFF\xFF\xFF", 9) + frame + frame + ";";
    };
    store(folder / "a.gif", gif("\0\x40\0\x10")); // 16384 x 4096
    EXPECT_NE(attempt_video(folder / "a.gif").find("is too large"), std::string::npos);
    store(folder / "b.gif", gif("\x40\0\x10\0"));
    EXPECT_EQ(frames_in_turn(folder / "b.gif").size(), 2u);
}

TEST(HostileVideoClaims, SampleCount) {
    const TempFolder folder;
    VideoOptions o;
    o.width = o.height = 32;
    {
        VideoWriter writer(folder / "a.mp4", o);
        writer.write(picture(32, 32));
        writer.finish();
    }
    const std::string whole = load(folder / "a.mp4");
    const std::size_t table = whole.find("stsz");
    for (const std::uint32_t count : {0xFFFFFFFFu, 3'999'999u}) {
        store(folder / "b.mp4", std::string(whole).replace(table + 8, 8, be32(1) + be32(count)));
        attempt_video(folder / "b.mp4");
    }
    store(folder / "heic.mp4", be32(24) + "ftypheic" + std::string(12, '\0'));
    attempt_video(folder / "heic.mp4");
    EXPECT_NE(attempt_image(folder / "heic.mp4"), "");
}

std::string be16(std::uint32_t v) { return {static_cast<char>(v >> 8), static_cast<char>(v)}; }
std::string zeros(std::size_t n) { return std::string(n, '\0'); }

/// What a made-up MP4 claims about its tracks.
struct Claim {
    std::uint32_t samples = 0, duration = 2; ///< samples of one byte; the duration of each in 1/24 s
    std::string handler = "vide", format = "mp4v";
    std::uint32_t in_chunk = 0;                   ///< samples in a chunk; 0 for all
    std::uint32_t version = 0;                    ///< of the description of a sound
    std::string in_entry, in_track, in_user_data; ///< atoms that are hidden there
};

std::string track(std::uint32_t id, const Claim& c) {
    const bool sound = c.handler == "soun";
    const std::string entry = zeros(6) + be16(1) +
                              (sound ? be16(c.version) + zeros(6) + be16(1) + be16(8) + zeros(4) + be32(8000u << 16)
                                     : zeros(16) + be16(64) + be16(64) + be32(0x480000) + be32(0x480000) + zeros(4) +
                                           be16(1) + zeros(32) + be16(24) + be16(0xFFFF)) +
                              c.in_entry;
    const std::string table =
        atom("stsd", be32(0) + be32(1) + atom(c.format, entry)) +
        (c.samples == 0
             ? atom("stts", zeros(8)) + atom("stsc", zeros(8)) + atom("stsz", zeros(12)) + atom("stco", zeros(8))
             : atom("stts", be32(0) + be32(1) + be32(c.samples) + be32(c.duration)) +
                   atom("stsc", be32(0) + be32(1) + be32(1) + be32(c.in_chunk ? c.in_chunk : c.samples) + be32(1)) +
                   atom("stsz", be32(0) + be32(1) + be32(c.samples)) + atom("stco", be32(0) + be32(1) + be32(40)));
    const std::string references = atom("dinf", atom("dref", be32(0) + be32(1) + atom("url ", be32(1))));
    const std::string media =
        atom("mdia", atom("mdhd", zeros(12) + be32(24) + be32(c.samples) + zeros(4)) +
                         atom("hdlr", zeros(8) + c.handler + zeros(13)) +
                         atom("minf", (sound ? atom("smhd", zeros(8)) : atom("vmhd", be32(1) + zeros(8))) + references +
                                          atom("stbl", table)));
    const std::string header =
        atom("tkhd", be32(3) + zeros(8) + be32(id) + zeros(4) + be32(c.samples) + zeros(16) + be32(0x10000) +
                         zeros(12) + be32(0x10000) + zeros(12) + be32(0x40000000) + be32(64 << 16) + be32(64 << 16));
    return atom("trak", header + media + c.in_track + atom("udta", c.in_user_data + zeros(4)));
}

/// A file of such tracks with `data` bytes of data, and with `further` between the index and the data.
std::string claiming(int tracks, const Claim& claim, const std::string& further = {}, std::size_t data = 64) {
    std::string moov = atom("mvhd", zeros(12) + be32(24) + be32(1) + be32(0x10000) + zeros(76) + be32(99)), mvex;
    for (int i = 1; i <= tracks; ++i) {
        moov += track(std::uint32_t(i), claim);
        mvex += atom("trex", zeros(4) + be32(std::uint32_t(i)) + be32(1) + be32(1) + be32(1) + zeros(4));
    }
    if (claim.samples == 0) moov += atom("mvex", mvex);
    return atom("ftyp", "isom" + be32(0) + "isom") + atom("moov", moov) + further + atom("mdat", zeros(data));
}

/// A table can state one size for any number of samples, so that two kilobytes fill gigabytes with libav's index.
TEST(HostileVideoClaims, SamplesOfTheWholeFile) {
    const TempFolder folder;
    const auto refuse = [&](const std::string& bytes) {
        store(folder / "a.mp4", bytes);
        return attempt_video(folder / "a.mp4");
    };
    constexpr std::uint32_t many = 26'000'000;
    const std::string claims = "claims ";
    EXPECT_NE(refuse(claiming(4, {.samples = many, .duration = 1})).find(claims), std::string::npos);
    EXPECT_NE(refuse(claiming(1, {.samples = 100'000})).find(claims), std::string::npos); // for a file of 1 KB
    const std::size_t real = std::size_t{2} << 20;                                        // in bytes
    EXPECT_NE(refuse(claiming(32, {.samples = 500'000}, {}, real)).find(claims), std::string::npos);

    std::string runs;
    for (std::uint32_t id = 1; id <= 4; ++id)
        runs += atom("traf", atom("tfhd", be32(0x20000) + be32(id)) + atom("trun", be32(1) + be32(many) + be32(64)));
    const std::string pieces = atom("moof", atom("mfhd", be32(0) + be32(1)) + runs);
    EXPECT_NE(refuse(claiming(4, {}, pieces)).find(claims), std::string::npos);
    // The same, behind what looks like garbage at the end.
    EXPECT_NE(refuse(claiming(4, {}) + be32(16) + std::string(4, '\1') + zeros(8) + pieces).find(claims),
              std::string::npos);

    const std::string hidden = atom("stsz", be32(0) + be32(1) + be32(many));
    const std::string in_meta = atom("meta", zeros(4) + atom("hdlr", zeros(24)) + hidden);
    for (const Claim& claim : {Claim{.samples = 8, .in_track = hidden}, Claim{.samples = 8, .in_user_data = hidden},
                               Claim{.samples = 8, .in_entry = hidden}, Claim{.samples = 8, .in_user_data = in_meta}})
        EXPECT_NE(refuse(claiming(4, claim)), "");
    EXPECT_NE(refuse(claiming(1, {.samples = 8, .in_track = atom("cmov", zeros(8))})).find("compressed"),
              std::string::npos);
}

/// Raw sound has a sample for every number and is read in larger pieces.
TEST(HostileVideoClaims, RawSound) {
    constexpr std::uint32_t many = 6'000'000; // twelve minutes at 8 kHz
    const auto check = [](const Claim& claim, std::size_t bytes) {
        const std::string file = claiming(1, claim, {}, bytes);
        const media::Data data{reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
        media::checked_parts(data, *media::find_container(data));
    };
    const Claim raw{.samples = many, .duration = 1, .handler = "soun", .format = "raw "};
    EXPECT_NO_THROW(check(raw, many));
    EXPECT_THROW(check(raw, 1000), Error);
    EXPECT_THROW(check({.samples = many, .duration = 1, .handler = "vide", .format = "raw "}, many), Error);
    EXPECT_THROW(check({.samples = many, .duration = 1, .handler = "soun", .format = "mp4a"}, many), Error);
    EXPECT_THROW(check({.samples = many, .duration = 2, .handler = "soun", .format = "raw "}, many), Error);
    Claim long_chunk = raw;
    long_chunk.in_chunk = 0xFFFFFFFF; // makes four million pieces
    EXPECT_THROW(check(long_chunk, many), Error);
    long_chunk.format = "mp4a";
    long_chunk.samples = 8; // libav does not compare these with the chunks
    EXPECT_THROW(check(long_chunk, many), Error);
    // QuickTime's later descriptions can give the number of samples in a packet, which for raw sound must be one.
    for (const auto& [version, before] : {std::pair{1u, 0u}, {2u, 32u}, {3u, 0u}})
        for (const std::uint32_t in_packet : {0u, 1u, 2u}) {
            Claim described = raw;
            described.version = version;
            described.in_entry = zeros(before) + be32(in_packet) + zeros(12);
            if (version < 3 && in_packet < 2)
                EXPECT_NO_THROW(check(described, many)) << version << ' ' << in_packet;
            else
                EXPECT_THROW(check(described, many), Error) << version << ' ' << in_packet;
        }
    Claim two_kinds = raw;
    two_kinds.in_track = atom("hdlr", zeros(8) + "vide" + zeros(13));
    EXPECT_THROW(check(two_kinds, many), Error);
}

TEST(HostileVideoClaims, NestedWithoutEnd) {
    const TempFolder folder;
    for (const char* type : {"moov", "trak", "minf"}) {
        std::string nested;
        constexpr std::uint32_t levels = 200'000;
        for (std::uint32_t level = 0; level < levels; ++level) nested += be32(8 * (levels - level)) + type;
        const std::string moov = be32(std::uint32_t(nested.size()) + 8) + "moov" + nested;
        store(folder / "nested.mp4", be32(16) + "ftypisom" + be32(0) + moov);
        attempt_video(folder / "nested.mp4");
    }
}

TEST(HostileMemory, StaysUnderOneGigabyte) {
    if (sanitized) GTEST_SKIP() << "sanitizers have memory of their own";
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    EXPECT_LT(usage.ru_maxrss, 1 << 20); // in KiB, over all tests above
}

} // namespace
} // namespace denoir
