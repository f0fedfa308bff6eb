// SPDX-License-Identifier: Apache-2.0
// Matroska files of strangers: libav keeps a list of whatever a file describes, and follows its pointers anywhere.
#include <malloc.h>

#include <bit>
#include <functional>

#include "engine/core/error.h"
#include "engine/media/containers.h"
#include "engine/media/video_writer.h"
#include "tests/engine/media/support.h"

namespace denoir {
namespace {

using namespace test;

constexpr const char *seek_head = "\x11\x4D\x9B\x74", *tracks = "\x16\x54\xAE\x6B", *tags = "\x12\x54\xC3\x67",
                     *tag = "\x73\x73", *cues = "\x1C\x53\xBB\x6B", *chapters = "\x10\x43\xA7\x70",
                     *attachments = "\x19\x41\xA4\x69", *cluster = "\x1F\x43\xB6\x75";
constexpr int frames = 5;

std::string size_of(std::size_t bytes) {
    std::string size = "\x01";
    for (int shift = 48; shift >= 0; shift -= 8) size += static_cast<char>(bytes >> shift);
    return size;
}

std::string element(const std::string& id, const std::string& body) { return id + size_of(body.size()) + body; }

std::string repeated(const std::string& part, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += part;
    return all;
}

/// How many bytes the number that begins there takes.
std::size_t length_bytes(const std::string& bytes, std::size_t at) {
    return static_cast<std::size_t>(std::countl_zero(static_cast<unsigned char>(bytes.at(at)))) + 1;
}

/// How many bytes the element that begins there takes.
std::size_t bytes_at(const std::string& bytes, std::size_t at) {
    const std::size_t id = length_bytes(bytes, at), length = length_bytes(bytes, at + id);
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes.at(at + id + i)); };
    std::size_t size = byte(0) & (0xFFu >> length);
    for (std::size_t i = 1; i < length; ++i) size = size << 8 | byte(i);
    return id + length + size;
}

/// `elements` after `change` has replaced each one with this id; it gets the element's body.
std::string changed(const std::string& elements, const std::string& id,
                    const std::function<std::string(const std::string&)>& change) {
    std::string all;
    for (std::size_t at = 0; at < elements.size(); at += bytes_at(elements, at)) {
        const std::string whole = elements.substr(at, bytes_at(elements, at));
        const std::size_t head = id.size() + length_bytes(whole, length_bytes(whole, 0));
        all += whole.starts_with(id) ? change(whole.substr(head)) : whole;
    }
    return all;
}

media::Data data_of(const std::string& bytes) {
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

class HostileMatroska : public testing::Test {
protected:
    void SetUp() override {
        VideoOptions o;
        o.width = 64;
        o.height = 48;
        o.metadata_json = "{\"schema\": 1}";
        VideoWriter writer(path(), o);
        for (int i = 0; i < frames; ++i) writer.write(picture(64, 48, i));
        writer.finish();
        const std::string whole = load(path());
        const std::size_t segment = whole.find("\x18\x53\x80\x67") + 4, size_bytes = 8;
        head_ = whole.substr(0, segment);
        inside_ = whole.substr(segment + size_bytes);
    }

    std::filesystem::path path() const { return folder_ / "a.mkv"; }
    std::string file(const std::string& inside) const { return head_ + size_of(inside.size()) + inside; }

    /// The message if the clip is refused with `further` before all of its own parts, or behind them; "" if it is read.
    std::string said_of(const std::string& further, bool behind = false) {
        store(path(), file(behind ? inside_ + further : further + inside_));
        try {
            EXPECT_EQ(frames_in_turn(path()).size(), std::size_t(frames));
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    }

    TempFolder folder_;
    std::string head_, inside_; ///< everything before the segment's size, and all behind it
};

TEST_F(HostileMatroska, ListsOfEmptyStreamsAndTagsAreRefused) {
    constexpr int many = 1'000'000;
    EXPECT_NE(said_of(element(tracks, repeated("\xAE\x80", many))).find("describes too many things"),
              std::string::npos);
    EXPECT_NE(said_of(element(tags, repeated("\x73\x73\x80", many / 2)), true).find("describes too many things"),
              std::string::npos);
    const std::string simple = element(tags, element(tag, repeated("\x67\xC8\x80", many / 2)));
    EXPECT_NE(said_of(simple).find("describes too many things"), std::string::npos);
    EXPECT_NE(said_of(element(tags, element(tag, std::string(3 << 20, '\0')))).find("too large"), std::string::npos);
    EXPECT_NE(said_of(element(tags, repeated(element(tag, ""), 25'000))).find("too many"), std::string::npos);
    std::string nested;
    for (int i = 0; i < 40; ++i) nested = element("\x67\xC8", nested);
    EXPECT_NE(said_of(element(tags, element(tag, nested))).find("nested too deep"), std::string::npos);
}

TEST_F(HostileMatroska, ListsThatNobodyNeedsAreHiddenFromLibav) {
    constexpr int many = 500'000;
    for (const std::string& list :
         {element(cues, repeated("\xBB\x80", many)), element(chapters, element("\x45\xB9", repeated("\xB6\x80", many))),
          element(attachments, repeated("\x61\xA7\x80", many)), element(seek_head, repeated("\x4D\xBB\x80", many))})
        for (const bool behind : {false, true}) {
            EXPECT_EQ(said_of(list, behind), "");
            const std::string whole = load(path());
            std::size_t shown = 0;
            for (const media::Data part : media::scan_matroska(data_of(whole))) shown += part.size();
            EXPECT_LT(shown, head_.size() + inside_.size());
        }
}

/// A pointer can lead into the middle of another element, where no part of the file begins.
TEST_F(HostileMatroska, PointersLeadNowhere) {
    const std::string hidden = element(tracks, repeated("\xAE\x80", 1'000'000));
    const auto pointer = [&](char at) {
        const std::string entry = element("\x53\xAB", tracks) + element("\x53\xAC", {at});
        return element(seek_head, element("\x4D\xBB", entry));
    };
    const auto place = static_cast<char>(pointer(0).size() + 1 + 8); // leads into the body of the void element
    EXPECT_EQ(said_of(pointer(place) + element("\xEC", hidden)), "");
}

TEST_F(HostileMatroska, TagsMayStandBehindThePictures) {
    const std::size_t next = inside_.find(cluster), at = inside_.rfind(tags, next), length = bytes_at(inside_, at);
    const std::string moved = inside_.substr(at, length);
    store(path(), file(inside_.substr(0, at) + inside_.substr(at + length) + moved));
    EXPECT_EQ(read_request_metadata(path()), "{\"schema\": 1}");
    EXPECT_EQ(frames_in_turn(path()).size(), std::size_t(frames));
}

/// While libav looks at the streams it holds packets back. It limits the bytes in these, but not their number.
TEST_F(HostileMatroska, PacketsOfOtherStreamsTakeNoMemory) {
    const std::string subtitles = element("\xAE", element("\xD7", "\2") + element("\x73\xC5", "\2") +
                                                      element("\x83", "\x11") + element("\x86", "S_TEXT/UTF8"));
    const std::size_t at = inside_.find(tracks, inside_.find(tracks) + 1), first = inside_.find(cluster);
    ASSERT_LT(at, first);
    const std::size_t length = bytes_at(inside_, at), body = 4 + length_bytes(inside_, at + 4);
    const std::string both = element(tracks, inside_.substr(at + body, length - body) + subtitles);
    const std::string lines = element(cluster, element("\xE7", std::string(1, '\0')) +
                                                   repeated(std::string("\xA3\x85\x82\0\0\0x", 7), 500'000));
    store(path(), file(inside_.substr(0, at) + both + inside_.substr(at + length, first - at - length) + lines +
                       inside_.substr(first)));
    EXPECT_EQ(frames_in_turn(path()).size(), std::size_t(frames));
    const auto held = [] {
        const struct mallinfo2 info = ::mallinfo2();
        return info.uordblks + info.hblkhd;
    };
    const std::size_t before = held();
    const media::Demuxer demuxer(path(), {});
    EXPECT_LT(held(), before + (32 << 20));
}

/// WebM keeps an alpha channel as a second picture in each block. Only the first is read, and the user is told so.
TEST_F(HostileMatroska, AnAlphaChannelIsPassedOverAndTold) {
    store(path(), file(inside_));
    const std::vector<Image> plain = frames_in_turn(path());
    EXPECT_FALSE(VideoReader(path()).info().kind.alpha);
    const auto with_alpha = [](const std::string& block) {
        const std::string more = element("\xA6", element("\xEE", "\1") + element("\xA5", block.substr(4)));
        return element("\xA0", element("\xA1", block) + element("\x75\xA1", more));
    };
    std::string inside = changed(inside_, cluster, [&](const std::string& blocks) {
        return element(cluster, changed(blocks, "\xA3", with_alpha));
    });
    inside = changed(inside, tracks, [](const std::string& entries) {
        return element(tracks, changed(entries, "\xAE", [](const std::string& entry) {
                           return element("\xAE", changed(entry, "\xE0", [](const std::string& video) {
                                                      return element("\xE0", video + element("\x53\xC0", "\1"));
                                                  }) + element("\x55\xEE", "\1"));
                       }));
    });
    ASSERT_GT(inside.size(), inside_.size() + 1000);
    store(path(), file(inside));
    EXPECT_EQ(frames_in_turn(path()), plain);
    EXPECT_TRUE(VideoReader(path()).info().kind.alpha);
}

/// A file that was written live does not know its size, and its last cluster ends where the writing ended.
TEST_F(HostileMatroska, OpenSegments) {
    const std::string unknown = "\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF";
    store(path(), head_ + unknown + inside_);
    EXPECT_EQ(frames_in_turn(path()).size(), std::size_t(frames));
    store(path(), head_ + unknown + inside_.substr(0, inside_.find(cluster)) + element(cluster, "").substr(0, 4) +
                      size_of(1000) + "\xE7\x81");
    EXPECT_THROW(frames_in_turn(path()), Error); // a cluster without frames
    store(path(), head_ + size_of(inside_.size()) + inside_.substr(0, inside_.size() - 1));
    EXPECT_THROW(frames_in_turn(path()), Error);
}

} // namespace
} // namespace denoir
