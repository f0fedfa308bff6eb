// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "engine/media/still.h"

namespace denoir::media {
namespace {

/// The offset behind the sub-blocks that begin at `at`.
std::uint64_t skip_blocks(const Bytes& bytes, std::uint64_t at) {
    for (;;) {
        if (!bytes.has(at, 1)) refuse_cut();
        const std::uint64_t length = bytes.u8(at);
        at += 1 + length;
        if (length == 0) return at;
    }
}

// GIF89a: the file's header and the descriptor of the canvas, then blocks, whose first byte tells their kind.
constexpr std::uint64_t head_bytes = 13, canvas_flags = 10;
constexpr std::uint32_t extension = 0x21, picture = 0x2C, trailer = 0x3B;
constexpr std::uint32_t graphic_control = 0xF9; ///< a kind of extension, with a body of four bytes
/// A picture's descriptor: the byte that tells the kind of block, four numbers of 16 bits, flags.
constexpr std::uint64_t descriptor_bytes = 10, picture_flags = 9;
/// Bits of the flags of canvas and picture; their lower three bits tell how many colours the table has. Only pictures
/// have `interlaced`.
constexpr std::uint32_t has_table = 0x80, interlaced = 0x40;

constexpr std::size_t whole_table = 3 * 256; ///< bytes

/// The colour table at `at` that `flags` describe; empty if there is none.
Data table_at(const Bytes& bytes, std::uint64_t at, std::uint32_t flags) {
    return flags & has_table ? bytes.part(at, std::uint64_t{3} << ((flags & 7) + 1)) : Data{};
}

/// The first picture as Pillow converts it to RGB. Transparent pixels have the colour that the table gives for them,
/// and so have the parts of the canvas that the picture does not cover; without transparency these have the table's
/// first colour, whatever background the file names. Colours beyond the end of the table are black; without a table
/// they are greys.
struct FirstPicture {
    std::uint64_t at = 0, end = 0; ///< offsets of its descriptor and of the end of its data; 0: there is none yet
    Data table;
    std::optional<std::uint8_t> transparent;

    void append_to(std::vector<std::uint8_t>& out, const Bytes& bytes) const {
        constexpr std::uint8_t with_whole_table = has_table | 7;
        append(out, bytes.part(0, canvas_flags));
        out.insert(out.end(), {with_whole_table, transparent.value_or(0), 0}); // flags, background, square pixels
        append(out, table);
        for (std::size_t i = table.size(); i < whole_table; ++i)
            out.push_back(table.empty() ? static_cast<std::uint8_t>(i / 3) : 0);
        append(out, bytes.part(at, picture_flags));
        const std::uint32_t flags = bytes.u8(at + picture_flags);
        out.push_back(static_cast<std::uint8_t>(flags & interlaced)); // no own table: the canvas has it now
        const std::uint64_t behind = at + descriptor_bytes, data = behind + table_at(bytes, behind, flags).size();
        append(out, bytes.part(data, end - data));
        out.push_back(trailer);
    }
};

} // namespace

bool is_gif(Data data) { return Bytes{data}.matches(0, "GIF87a") || Bytes{data}.matches(0, "GIF89a"); }

Still scan_gif(Data data, Depth depth) {
    const Bytes bytes{data, false};
    if (!bytes.has(0, head_bytes)) refuse_cut();
    const std::uint32_t width = bytes.u16(6), height = bytes.u16(8); // size of the canvas
    Still still = make_still("GIF", AV_CODEC_ID_GIF, width, height);
    const Data table = table_at(bytes, head_bytes, bytes.u8(canvas_flags));
    FirstPicture first;
    std::uint64_t at = head_bytes + table.size();
    for (;;) {
        if (!bytes.has(at, 1)) refuse_cut();
        const std::uint32_t kind = bytes.u8(at);
        if (kind == trailer) break;
        if (kind == extension) {
            const bool shows_through =
                bytes.u8(at + 1) == graphic_control && bytes.u8(at + 2) >= 4 && bytes.u8(at + 3) & 1;
            if (first.at == 0 && shows_through) first.transparent = bytes.u8(at + 6);
            at = skip_blocks(bytes, at + 2);
        } else if (kind == picture) {
            if (!bytes.has(at, descriptor_bytes + 1)) refuse_cut(); // one byte more: the size of LZW's codes
            const std::uint32_t left = bytes.u16(at + 1), top = bytes.u16(at + 3);
            if (left + bytes.u16(at + 5) > width || top + bytes.u16(at + 7) > height)
                refuse_damaged("a picture lies outside the canvas");
            const Data own = table_at(bytes, at + descriptor_bytes, bytes.u8(at + picture_flags));
            const std::uint64_t end = skip_blocks(bytes, at + descriptor_bytes + own.size() + 1);
            still.kind.more = first.at != 0;
            if (first.at == 0) {
                first.at = at, first.end = end;
                first.table = own.empty() ? table : own;
            }
            at = end;
        } else {
            refuse_damaged("a GIF block is of an unknown kind");
        }
    }
    if (first.at == 0) refuse_damaged("it has no picture data");
    still.kind.alpha = first.transparent.has_value();
    check_weight(first.end, std::uint64_t{width} * height * 2); // LZW takes at most twelve bits per pixel
    if (depth == Depth::whole) {
        reserve_packet(still, first.end + whole_table + 1);
        first.append_to(still.packet, bytes);
    }
    return still;
}

} // namespace denoir::media
