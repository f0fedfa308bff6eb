// SPDX-License-Identifier: Apache-2.0
// What the tables of an MP4 may claim before libav is given the file.
#include "engine/core/error.h"
#include "engine/media/containers.h"
#include "tests/engine/media/support.h"

namespace denoir {
namespace {

std::string be32(std::uint32_t v) {
    std::string s;
    for (int shift = 24; shift >= 0; shift -= 8) s += static_cast<char>(v >> shift);
    return s;
}
std::string atom(const std::string& type, const std::string& body) {
    return be32(static_cast<std::uint32_t>(body.size()) + 8) + type + body;
}

/// A list of edits of the whole track, each from `media_time` on.
std::string edit_list(std::uint32_t edits, std::uint32_t media_time) {
    std::string list = be32(0) + be32(edits);
    for (std::uint32_t i = 0; i < edits; ++i) list += be32(1000) + be32(media_time) + be32(0x10000);
    return atom("edts", atom("elst", list));
}

std::string track(std::uint32_t samples, std::uint32_t bytes_of_each, const std::string& edits) {
    const std::string sizes = atom("stsz", be32(0) + be32(bytes_of_each) + be32(samples));
    return atom("trak", edits + atom("mdia", atom("minf", atom("stbl", sizes))));
}

/// What is said of a file of so many bytes of data; empty: nothing.
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
    EXPECT_EQ(said_of(track(100'000, 1, edit_list(1, 0))), "");
    EXPECT_EQ(said_of(track(100'000, 1, edit_list(60, 0))), "");
    EXPECT_EQ(said_of(track(100'000, 1, edit_list(10'000, 0xFFFFFFFF))), ""); // pauses
    EXPECT_TRUE(is_refused(said_of(track(4000, 1, edit_list(10'000, 0)))));
    EXPECT_TRUE(is_refused(said_of(track(100'000, 1, edit_list(100'000, 99'999)))));
    EXPECT_TRUE(is_refused(said_of(track(4000, 1, edit_list(1000, 0)) + track(4000, 1, edit_list(1000, 0)) +
                                   track(4000, 1, edit_list(1000, 0)))));
    EXPECT_TRUE(is_refused(said_of(track(100'000, 1, "") + edit_list(1000, 0))));
}

TEST(HostileMp4, OneStretchForAllSamples) {
    constexpr std::uint32_t samples = 100'000;
    EXPECT_EQ(said_of(track(samples, 600, "")), "");
    EXPECT_NE(said_of(track(samples, 1000, "")).find("claims more data than it holds"), std::string::npos);
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
