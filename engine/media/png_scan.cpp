// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <algorithm>
#include <array>

#include "engine/media/exif.h"
#include "engine/media/still.h"

namespace denoir::media {
namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);
/// Deflate cannot shrink data by more than this ratio, but for `deflate_slack` bytes in streams of a few bytes.
constexpr std::uint64_t deflate_ratio = 1032, deflate_slack = 1024;
constexpr std::size_t comment_limit = 1 << 20;
/// Enough for the largest picture in chunks of a few hundred bytes.
constexpr std::size_t most_pieces = 1 << 20;
constexpr std::size_t largest_palette = 3 * 256; ///< bytes

/// IHDR's colour types (PNG specification 11.2.1).
enum Colour : std::uint32_t { grey = 0, rgb = 2, indexed = 3, grey_alpha = 4, rgb_alpha = 6 };

struct Header {
    std::uint32_t width = 0, height = 0, depth = 0, colour = grey, interlace = 0;

    std::uint64_t bits_per_pixel() const {
        constexpr std::array<unsigned, 7> channels{1, 0, 3, 1, 2, 0, 4}; // by colour type
        return std::uint64_t{channels[colour]} * depth;
    }
    bool has_alpha() const { return colour == grey_alpha || colour == rgb_alpha; }
    bool valid() const {
        const bool known = colour == grey      ? depth <= 16
                           : colour == indexed ? depth <= 8
                                               : (colour == rgb || has_alpha()) && depth >= 8 && depth <= 16;
        return known && depth > 0 && (depth & (depth - 1)) == 0 && interlace <= 1;
    }
    /// Rows of equal length that follow each other.
    struct Rows {
        std::uint64_t count, bytes; ///< `bytes` is the size of one row with its filter byte
    };
    std::vector<Rows> rows() const {
        std::vector<Rows> all;
        const auto pass = [&](std::uint64_t w, std::uint64_t h) {
            if (w > 0 && h > 0) all.push_back({h, 1 + (w * bits_per_pixel() + 7) / 8});
        };
        if (interlace == 0) {
            pass(width, height);
            return all;
        }
        constexpr std::array<std::array<unsigned, 4>, 7> adam7{
            {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};
        for (const auto& [x, y, dx, dy] : adam7)
            pass((std::uint64_t{width} + dx - 1 - x) / dx, (std::uint64_t{height} + dy - 1 - y) / dy);
        return all;
    }
    std::uint64_t raw_bytes() const {
        std::uint64_t sum = 0;
        for (const Rows& r : rows()) sum += r.count * r.bytes;
        return sum;
    }
};

Header read_header(const Bytes& bytes) {
    constexpr std::uint64_t header_end = 33, body_bytes = 13; // end and size of IHDR, the first chunk
    if (!bytes.has(0, header_end)) refuse_cut();
    if (bytes.u32(8) != body_bytes || !bytes.matches(12, "IHDR")) refuse_damaged("it does not begin with a PNG header");
    Header header{bytes.u32(16), bytes.u32(20), bytes.u8(24), bytes.u8(25), bytes.u8(28)};
    check_size(header.width, header.height);
    if (!header.valid() || bytes.u8(26) != 0 || bytes.u8(27) != 0) refuse_damaged("its PNG header is not valid");
    return header;
}

/// Checks the filters of the rows, which it gets in pieces: the decoder would take an unknown filter for another.
class Filters {
public:
    explicit Filters(const Header& header) : rows_(header.rows()) {}
    void see(Data piece) {
        for (; at_ < piece.size() && pass_ < rows_.size(); at_ += rows_[pass_].bytes, next_row()) {
            constexpr int paeth = 4; // the filter with the largest number
            if (piece[at_] > paeth) refuse_damaged("a row has an unknown PNG filter");
        }
        at_ -= std::min<std::uint64_t>(at_, piece.size());
    }

private:
    void next_row() {
        if (++row_ < rows_[pass_].count) return;
        row_ = 0;
        ++pass_;
    }
    std::vector<Header::Rows> rows_;
    std::size_t pass_ = 0;
    std::uint64_t row_ = 0, at_ = 0; ///< `at_` is the offset of the next filter byte in the next piece
};

/// Decompresses the stream without keeping the result. Throws Error if it ends early or goes on far beyond the picture,
/// so that the decoder never gets such a stream.
void check_stream(const std::vector<Data>& parts, const Header& header) {
    constexpr std::uint64_t slack = 1 << 16;
    std::vector<std::uint8_t> scratch(1 << 16);
    z_stream z{};
    if (inflateInit(&z) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&z, inflateEnd);
    const std::uint64_t raw_bytes = header.raw_bytes();
    Filters filters(header);
    std::uint64_t produced = 0;
    for (const Data part : parts) {
        z.next_in = const_cast<Bytef*>(part.data());
        z.avail_in = static_cast<uInt>(part.size());
        int state = Z_OK;
        do {
            z.next_out = scratch.data();
            z.avail_out = static_cast<uInt>(scratch.size());
            state = inflate(&z, Z_NO_FLUSH);
            const std::size_t made = scratch.size() - z.avail_out;
            produced += made;
            filters.see({scratch.data(), made});
            if (state == Z_STREAM_END && produced >= raw_bytes) return;
            if (state != Z_OK && state != Z_BUF_ERROR) refuse_damaged("its compressed data is broken");
            if (produced > raw_bytes + slack) refuse_damaged("it holds more data than its size says");
        } while (z.avail_in > 0 || z.avail_out == 0);
    }
    refuse_cut(); // also if only the checksum at the end is missing
}

/// The text of an uncompressed iTXt or tEXt chunk "Comment"; empty for other chunks.
std::string comment_of(const Bytes& chunk, bool international) {
    constexpr std::string_view keyword("Comment\0", 8);
    if (!chunk.matches(0, keyword) || chunk.data.size() > comment_limit) return {};
    std::size_t at = keyword.size();
    if (international) {
        if (chunk.u8(at) != 0) return {};
        at += 2;
        for (int zeros = 0; zeros < 2 && at < chunk.data.size(); ++at) zeros += chunk.data[at] == 0;
    }
    const Data text = chunk.part(at, chunk.data.size());
    return std::string(text.begin(), text.end());
}

struct Chunk {
    Data whole; ///< length and type of four bytes each, the body, a checksum of four bytes
    Data body;
    bool is(std::string_view type) const { return Bytes{whole}.matches(4, type); }
};

Chunk read_chunk(const Bytes& file, std::uint64_t at) {
    constexpr std::uint64_t around = 12; // bytes other than the body
    const std::uint64_t length = file.u32(at);
    if (!file.has(at, around) || !file.has(at, around + length)) refuse_cut();
    const Data whole = file.data.subspan(at, around + length);
    const auto sum = static_cast<std::uint32_t>(crc32(0, whole.data() + 4, static_cast<uInt>(length + 4)));
    if (sum != file.u32(at + 8 + length)) refuse_damaged("the checksum of a PNG chunk is wrong");
    return {whole, whole.subspan(8, length)};
}

/// Collects from the chunks, in their order, what they tell about the picture, and those that its decoder needs.
class PngScan {
public:
    PngScan(const Header& header, std::uint64_t raw_bytes, Still still)
        : header_(header), raw_bytes_(raw_bytes), still_(std::move(still)) {}

    bool ended() const { return ended_; }
    void see(const Chunk& chunk) {
        check_place(chunk);
        describe(chunk);
        keep(chunk);
    }
    Still finished(Depth depth) {
        if (compressed_.empty()) refuse_damaged("it has no picture data");
        if (header_.colour == indexed && !palette_) refuse_damaged("its palette is missing");
        if (raw_bytes_ > compressed_bytes_ * deflate_ratio + deflate_slack) refuse_cut();
        if (depth == Depth::headers) return std::move(still_);
        check_stream(compressed_, header_);
        reserve_packet(still_, signature.size() + needed_bytes_);
        append(still_.packet, signature);
        for (const Data chunk : needed_) append(still_.packet, chunk);
        return std::move(still_);
    }

private:
    void check_place(const Chunk& chunk) const {
        const bool first = needed_.empty(), idat = chunk.is("IDAT");
        const std::size_t length = chunk.body.size();
        if (chunk.is("IHDR") != first) refuse_damaged("it has two PNG headers");
        if (chunk.is("PLTE") &&
            (palette_ || !compressed_.empty() || length == 0 || length > largest_palette || length % 3))
            refuse_damaged("its palette is not valid");
        if (idat && data_over_) refuse_damaged("its picture data is scattered");
        if (idat && compressed_.size() == most_pieces) refuse_damaged("its picture data is in too many pieces");
    }

    void describe(const Chunk& chunk) {
        still_.kind.alpha |= chunk.is("tRNS");
        still_.kind.more |= chunk.is("acTL") && Bytes{chunk.body}.u32(0) > 1; // an animated PNG
        if (chunk.is("eXIf")) still_.orientation = exif_orientation(chunk.body);
        if (!chunk.is("iTXt") && !chunk.is("tEXt")) return;
        std::string comment = comment_of(Bytes{chunk.body}, chunk.is("iTXt"));
        if (!comment.empty()) still_.comment = std::move(comment);
    }

    void keep(const Chunk& chunk) {
        const bool first = needed_.empty(), idat = chunk.is("IDAT"), plte = chunk.is("PLTE");
        const bool pixels = idat && !chunk.body.empty();
        data_over_ |= !idat && !compressed_.empty();
        palette_ |= plte;
        ended_ = chunk.is("IEND");
        if (pixels) {
            compressed_.push_back(chunk.body);
            compressed_bytes_ += chunk.body.size();
        }
        if (first || pixels || plte || ended_) {
            needed_.push_back(chunk.whole);
            needed_bytes_ += chunk.whole.size();
        }
    }

    const Header header_;
    const std::uint64_t raw_bytes_; ///< size of the uncompressed picture
    Still still_;
    std::vector<Data> compressed_; ///< the bodies of IDAT
    std::vector<Data> needed_;     ///< whole chunks, IHDR first
    std::uint64_t compressed_bytes_ = 0, needed_bytes_ = 0;
    bool palette_ = false, ended_ = false;
    bool data_over_ = false; ///< a chunk of another kind came after IDAT
};

} // namespace

bool is_png(Data data) { return Bytes{data}.matches(0, signature); }

Still scan_png(Data data, Depth depth) {
    const Bytes bytes{data};
    const Header header = read_header(bytes);
    Still still = make_still("PNG", AV_CODEC_ID_PNG, header.width, header.height);
    still.kind = {static_cast<int>(std::max(header.depth, 8u)), header.has_alpha(), false};
    const std::uint64_t raw = header.raw_bytes();
    check_decoded(still, raw);
    check_weight(data.size(), raw + raw / 8); // data that cannot be compressed grows by a little
    PngScan scan(header, raw, std::move(still));
    for (std::uint64_t at = signature.size(); !scan.ended();) {
        const Chunk chunk = read_chunk(bytes, at);
        scan.see(chunk);
        at += chunk.whole.size();
    }
    return scan.finished(depth);
}

} // namespace denoir::media
