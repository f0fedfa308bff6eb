// SPDX-License-Identifier: Apache-2.0
// What the tables of an MP4 may claim before libav is given the file.
#include "engine/core/error.h"
#include "engine/media/containers.h"
#include "tests/engine/media/support.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;

constexpr std::uint32_t pause = 0xFFFFFFFF;

/// A list of edits, each of which shows the whole track from `media_time` on. In version 1 the numbers have 64 bits.
std::string edit_list(std::uint32_t edits, std::uint32_t media_time, std::uint32_t version = 0) {
    const auto number = [&](std::uint32_t n) { return (version == 1 ? be32(n == pause ? n : 0) : "") + be32(n); };
    std::string list = be32(version << 24) + be32(edits);
    for (std::uint32_t i = 0; i < edits; ++i) list += number(1000) + number(media_time) + be32(0x10000);
    return atom("edts", atom("elst", list));
}

std::string track(std::uint32_t samples, std::uint32_t bytes_of_each, const std::string& edits) {
    const std::string sizes = atom("stsz", be32(0) + be32(bytes_of_each) + be32(samples));
    return atom("trak", edits + atom("mdia", atom("minf", atom("stbl", sizes))));
}

/// The message if a file with these tracks and so many bytes of data is refused; "" if it is read.
std::string said_of(const std::string& tracks, std::size_t data = 1 << 20) {
    const std::string file =
        atom("ftyp", "isom" + be32(0) + "isom") + atom("moov", tracks) + atom("mdat", std::string(data, '\0'));
    try {
        media::scan_mp4({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(HostileMp4, Edits) {
    const auto is_refused = [](const std::string& said) {
        return said.find("its edits repeat it") != std::string::npos;
    };
    for (const std::uint32_t version : {0u, 1u}) {
        const auto edits = [&](std::uint32_t n, std::uint32_t time) { return edit_list(n, time, version); };
        EXPECT_EQ(said_of(track(100'000, 1, edits(1, 0))), "");
        EXPECT_EQ(said_of(track(100'000, 1, edits(60, 0))), "");
        EXPECT_EQ(said_of(track(100'000, 1, edits(10'000, pause))), "");
        EXPECT_TRUE(is_refused(said_of(track(4000, 1, edits(10'000, 0)))));
        EXPECT_TRUE(is_refused(said_of(track(100'000, 1, edits(100'000, 99'999)))));
        EXPECT_TRUE(is_refused(
            said_of(track(4000, 1, edits(1000, 0)) + track(4000, 1, edits(1000, 0)) + track(4000, 1, edits(1000, 0)))));
        EXPECT_TRUE(is_refused(said_of(track(100'000, 1, "") + edits(1000, 0))));
    }
}

TEST(HostileMp4, OneStretchForAllSamples) {
    constexpr std::uint32_t samples = 100'000;
    EXPECT_EQ(said_of(track(samples, 600, "")), "");
    EXPECT_NE(said_of(track(samples, 1000, "")).find("claims more data than it holds"), std::string::npos);
}

/// A film whose pieces are all the same picture, which takes 1 MiB of the file.
std::string one_stretch_in_pieces(std::uint32_t pieces) {
    constexpr std::uint32_t bytes = 1 << 20;
    const auto zeros = [](std::size_t n) { return std::string(n, '\0'); };
    const std::string ftyp = atom("ftyp", "isom" + be32(0) + "isom");
    std::string picture = load(fixture("sampling_420.jpg"));
    picture.resize(bytes);
    const std::string sides = be32(0x00400040);
    const std::string entry = zeros(6) + std::string("\0\1", 2) + zeros(16) + sides + be32(0x480000) + be32(0x480000) +
                              zeros(4) + std::string("\0\1", 2) + zeros(32) + std::string("\0\x18\xff\xff", 4);
    const std::string tables = atom("stsd", be32(0) + be32(1) + atom("mjpg", entry)) + atom("stts", zeros(8)) +
                               atom("stsc", zeros(8)) + atom("stsz", zeros(12)) + atom("stco", zeros(8));
    const std::string media = atom("mdhd", zeros(12) + be32(25) + zeros(8)) +
                              atom("hdlr", zeros(8) + "vide" + zeros(13)) + atom("minf", atom("stbl", tables));
    const std::string trak = atom("trak", atom("tkhd", zeros(12) + be32(1) + zeros(68)) + atom("mdia", media));
    const std::string trex = atom("trex", be32(0) + be32(1) + be32(1) + be32(1) + be32(bytes) + be32(0));
    const std::string moov = atom("moov", atom("mvhd", zeros(12) + be32(25) + zeros(80)) + trak + atom("mvex", trex));
    // With a base given, positions count from the beginning of the file.
    std::string runs;
    for (std::uint32_t i = 0; i < pieces; ++i)
        runs += atom("trun", be32(1) + be32(1) + be32(static_cast<std::uint32_t>(ftyp.size()) + 8));
    const std::string base = atom("tfhd", be32(1) + be32(1) + zeros(8));
    return ftyp + atom("mdat", picture) + moov +
           atom("moof", atom("mfhd", zeros(4) + be32(1)) + atom("traf", base + runs));
}

/// Three hours at 24 fps need a table of more than a megabyte, which is no attack.
TEST(HostileMp4, LongFilmsAreNoAttack) {
    constexpr std::uint32_t samples = 270'000;
    std::string sizes;
    for (std::uint32_t i = 0; i < samples; ++i) sizes += be32(3);
    EXPECT_EQ(said_of(atom("trak", atom("mdia", atom("minf", atom("stbl", atom("stsz", be32(0) + be32(0) +
                                                                                           be32(samples) + sizes)))))),
              "");
}

TEST(HostileMp4, OneStretchForAllPieces) {
    const TempFolder folder;
    const auto said_of_packets = [&](std::uint32_t pieces) {
        store(folder / "a.mp4", one_stretch_in_pieces(pieces));
        media::Demuxer demuxer(folder / "a.mp4", {});
        demuxer.source().allow(60);
        return refusal([&] {
            std::uint32_t read = 0;
            for (media::Packet packet = media::make_packet(); demuxer.read(*packet);) ++read;
            EXPECT_EQ(read, pieces);
        });
    };
    EXPECT_EQ(said_of_packets(60), "accepted");
    EXPECT_NE(said_of_packets(100).find("claims more data than it holds"), std::string::npos);
}

TEST(HostileMp4, Atoms) {
    std::string empty;
    for (int i = 0; i < 4'100'000; ++i)
        empty += std::string("\0\0\0\x08"
                             "free",
                             8);
    EXPECT_NE(said_of(empty).find("too many parts"), std::string::npos);
}

} // namespace
} // namespace denoir
