// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/media/containers.h"
#include "engine/media/still.h"

namespace denoir::media {
namespace {

/// libav allocates up to a kilobyte for each, even for an empty one. A film with 32 streams and their tags has some
/// thousands.
constexpr std::uint64_t most_header_elements = 20'000;
/// Limit of everything that describes the streams. The largest of it may be a subtitle's style sheet.
constexpr std::uint64_t most_header_bytes = 2 << 20;
/// Limit of the segment's own elements: a cluster every second for eleven days.
constexpr std::uint64_t most_parts = 1'000'000;
constexpr int deepest = 16;

constexpr std::uint64_t unknown_size = UINT64_MAX;
constexpr std::uint64_t header_id = 0x1A45DFA3, segment_id = 0x18538067, cluster_id = 0x1F43B675, info_id = 0x1549A966,
                        tracks_id = 0x1654AE6B, tags_id = 0x1254C367;
/// The elements describing streams that hold others, with their names in RFC 9559.
constexpr std::array<std::uint64_t, 21> holders{
    0x6924,                         // Info: ChapterTranslate
    0xAE,   0xE0,   0xE1,           // Tracks: TrackEntry, Video, Audio
    0x55B0, 0x55D0, 0x7670,         // of Video: Colour, MasteringMetadata, Projection
    0xE2,   0xE3,   0xE4,   0xE9,   // TrackOperation, TrackCombinePlanes, TrackPlane, TrackJoinBlocks
    0x6D80, 0x6240, 0x5034, 0x5035, // ContentEncodings, ContentEncoding, ContentCompression, ContentEncryption
    0x47E7, 0x41E4, 0x6624,         // ContentEncAESSettings, BlockAdditionMapping, TrackTranslate
    0x7373, 0x63C0, 0x67C8};        // Tags: Tag, Targets, SimpleTag

/// The head of a segment of unknown size, so that any selection of its parts may follow.
constexpr std::array<std::uint8_t, 12> open_segment{0x18, 0x53, 0x80, 0x67, 0x01, 0xFF,
                                                    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

struct Element {
    std::uint64_t id = 0, begin = 0, body = 0, end = 0; ///< `begin` is the offset of the id
    bool open = false;                                  ///< has an unknown size and reaches to the limit
};

/// Reads an EBML number, whose length is given by the leading zeros of its first byte, and moves `at` behind it.
/// `keep_marker`: the bit that ends the zeros is part of the value, as in ids.
std::uint64_t read_number(const Bytes& bytes, std::uint64_t& at, bool keep_marker) {
    const std::uint32_t first = bytes.u8(at);
    unsigned length = 1;
    while (length <= 8 && !(first & (0x100u >> length))) ++length;
    if (length > 8) refuse_damaged("one of its parts has an invalid size");
    if (!bytes.has(at, length)) refuse_cut();
    std::uint64_t value = keep_marker ? first : first & ((0x100u >> length) - 1);
    bool unknown = !keep_marker && value == (0x100u >> length) - 1;
    for (unsigned i = 1; i < length; ++i) {
        value = value << 8 | bytes.u8(at + i);
        unknown &= bytes.u8(at + i) == 0xFF;
    }
    at += length;
    return unknown ? unknown_size : value;
}

/// The element at `at` within something that ends at `limit`. `cut` tells that it claims more than that; it then ends
/// at `limit`.
Element read_element(const Bytes& bytes, std::uint64_t at, std::uint64_t limit, bool& cut) {
    Element e;
    e.begin = at;
    e.id = read_number(bytes, at, true);
    const std::uint64_t size = read_number(bytes, at, false);
    e.open = size == unknown_size;
    e.body = at;
    cut = at > limit || (!e.open && size > limit - at);
    e.end = e.open || cut ? limit : at + size;
    return e;
}

class MatroskaScan {
public:
    explicit MatroskaScan(Data data) : bytes_{data} {}

    std::vector<Data> parts() {
        std::optional<Element> header, segment;
        for (std::uint64_t at = 0; at < bytes_.data.size();) {
            const Element e = whole_element(at, bytes_.data.size());
            if (e.id == header_id && !header) header = e;
            if (e.id == segment_id && !segment) segment = e;
            at = e.end;
        }
        if (!segment || !header) refuse_cut();
        take_header(*header);
        parts_.emplace_back(open_segment);
        walk_segment(*segment);
        parts_.insert(parts_.end(), clusters_.begin(), clusters_.end());
        return std::move(parts_);
    }

private:
    Element whole_element(std::uint64_t at, std::uint64_t limit) const {
        bool cut = false;
        const Element e = read_element(bytes_, at, limit, cut);
        if (cut) refuse_cut();
        return e;
    }

    void walk_segment(const Element& segment) {
        std::uint64_t count = 0;
        bool info = false, tracks = false;
        for (std::uint64_t at = segment.body; at < segment.end;) {
            bool cut = false;
            const Element e = read_element(bytes_, at, segment.end, cut);
            // In a file that was written live, the last cluster may be incomplete.
            if (cut && !(segment.open && e.id == cluster_id)) refuse_cut();
            if (++count > most_parts) refuse_damaged("it has too many parts");
            if (e.id == cluster_id) take_cluster(e);
            if (e.id == info_id && !std::exchange(info, true)) take_header(e);
            if (e.id == tracks_id && !std::exchange(tracks, true)) take_header(e);
            if (e.id == tags_id) take_header(e);
            at = e.end;
        }
    }

    void take_cluster(const Element& e) {
        const Data part = bytes_.part(e.begin, e.end - e.begin);
        if (!clusters_.empty() && clusters_.back().data() + clusters_.back().size() == part.data())
            clusters_.back() = Data(clusters_.back().data(), clusters_.back().size() + part.size());
        else
            clusters_.push_back(part);
    }

    void take_header(const Element& e) {
        if (e.open) refuse_damaged("one of its parts has no size");
        header_bytes_ += e.end - e.begin;
        if (header_bytes_ > most_header_bytes) refuse_damaged("its description of itself is too large");
        count_elements(e, 0);
        parts_.push_back(bytes_.part(e.begin, e.end - e.begin));
    }

    void count_elements(const Element& holder, int depth) {
        if (depth > deepest) refuse_damaged("its parts are nested too deep");
        for (std::uint64_t at = holder.body; at < holder.end;) {
            const Element e = whole_element(at, holder.end);
            if (e.open) refuse_damaged("one of its parts has no size");
            if (++header_elements_ > most_header_elements) refuse_damaged("it describes too many things");
            if (std::ranges::find(holders, e.id) != holders.end()) count_elements(e, depth + 1);
            at = e.end;
        }
    }

    const Bytes bytes_;
    std::uint64_t header_bytes_ = 0, header_elements_ = 0;
    std::vector<Data> parts_, clusters_;
};

} // namespace

std::vector<Data> scan_matroska(Data data) { return MatroskaScan(data).parts(); }

} // namespace denoir::media
