// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "engine/media/still.h"

namespace denoir::media {
namespace {

/// Past the sub-blocks that begin at `at`.
std::uint64_t skip_blocks(const Bytes& bytes, std::uint64_t at) {
    for (;;) {
        if (!bytes.has(at, 1)) refuse_cut();
        const std::uint64_t length = bytes.u8(at);
        at += 1 + length;
        if (length == 0) return at;
    }
}

// GIF89a. The file's header and the canvas' descriptor, then blocks, each told by its first byte.
constexpr std::uint64_t head_bytes = 13, canvas_flags = 10;
constexpr std::uint32_t extension = 0x21, picture = 0x2C, trailer = 0x3B;
constexpr std::uint32_t graphic_control = 0xF9; ///< kind of an extension: its body has four bytes
/// A picture's descriptor: the byte that names the block, four numbers of 16 bits, flags.
constexpr std::uint64_t descriptor_bytes = 10, picture_flags = 9;
/// In both kinds of flags; the lower three bits tell how many colours a table has. Of pictures alone: interlaced.
constexpr std::uint32_t has_table = 0x80, interlaced = 0x40;

constexpr std::size_t whole_table = 3 * 256; ///< bytes

/// A table of colours by the flags before it; none where they say so.
Data table_at(const Bytes& bytes, std::uint64_t at, std::uint32_t flags) {
    return flags & has_table ? bytes.part(at, std::uint64_t{3} << ((flags & 7) + 1)) : Data{};
}

/// The first picture as Pillow takes it for RGB: what shows through has the colour that the table gives it, and so has
/// what the picture leaves free; where nothing shows through that is the table's first colour, whatever background the
/// file names. Beyond a table all is black; without one colours are greys.
struct FirstPicture {
    std::uint64_t at = 0, end = 0; ///< its descriptor and data; 0: there is none yet
    Data table;
    std::optional<std::uint8_t> transparent;

    void append_to(std::vector<std::uint8_t>& out, const Bytes& bytes) const {
        constexpr std::uint8_t with_whole_table = has_table | 7;
        append(out, bytes.part(0, canvas_flags));
        out.insert(out.end(), {with_whole_table, transparent.value_or(0), 0}); // the background, square pixels
        append(out, table);
        for (std::size_t i = table.size(); i < whole_table; ++i)
            out.push_back(table.empty() ? static_cast<std::uint8_t>(i / 3) : 0);
        append(out, bytes.part(at, picture_flags));
        const std::uint32_t flags = bytes.u8(at + picture_flags);
        out.push_back(static_cast<std::uint8_t>(flags & interlaced)); // the table is the canvas' now
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
    const std::uint32_t width = bytes.u16(6), height = bytes.u16(8); // of the canvas
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
            if (!bytes.has(at, descriptor_bytes + 1)) refuse_cut(); // and the size of LZW's codes
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
    check_weight(first.end, std::uint64_t{width} * height * 2); // of at most twelve bits a pixel
    if (depth == Depth::whole) {
        reserve_packet(still, first.end + whole_table + 1);
        first.append_to(still.packet, bytes);
    }
    return still;
}

} // namespace denoir::media
