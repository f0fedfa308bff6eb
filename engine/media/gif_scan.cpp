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

constexpr std::size_t whole_table = 3 * 256; ///< bytes

/// A table of colours by the flags before it; none where they say so.
Data table_at(const Bytes& bytes, std::uint64_t at, std::uint32_t flags) {
    return flags & 0x80 ? bytes.part(at, std::uint64_t{3} << ((flags & 7) + 1)) : Data{};
}

/// The first picture as Pillow takes it for RGB: what shows through has the colour that the table gives it, and so has
/// what the picture leaves free; where nothing shows through that is the table's first colour, whatever background the
/// file names. Beyond a table all is black; without one colours are greys.
struct FirstPicture {
    std::uint64_t at = 0, end = 0; ///< its descriptor and data; 0: there is none yet
    Data table;
    std::optional<std::uint8_t> transparent;

    void append_to(std::vector<std::uint8_t>& out, const Bytes& bytes) const {
        append(out, bytes.part(0, 10));
        out.insert(out.end(), {0x87, transparent.value_or(0), 0}); // a whole table, the background, square pixels
        append(out, table);
        for (std::size_t i = table.size(); i < whole_table; ++i)
            out.push_back(table.empty() ? static_cast<std::uint8_t>(i / 3) : 0);
        append(out, bytes.part(at, 9));
        out.push_back(static_cast<std::uint8_t>(bytes.u8(at + 9) & 0x40)); // interlaced; the table is the canvas' now
        const std::uint64_t data = at + 10 + table_at(bytes, at + 10, bytes.u8(at + 9)).size();
        append(out, bytes.part(data, end - data));
        out.push_back(0x3B);
    }
};

} // namespace

bool is_gif(Data data) { return Bytes{data}.matches(0, "GIF87a") || Bytes{data}.matches(0, "GIF89a"); }

Still scan_gif(Data data, Depth depth) {
    const Bytes bytes{data, false};
    if (!bytes.has(0, 13)) refuse_cut();
    Still still = make_still("GIF", AV_CODEC_ID_GIF, bytes.u16(6), bytes.u16(8));
    const Data table = table_at(bytes, 13, bytes.u8(10));
    FirstPicture first;
    std::uint64_t at = 13 + table.size();
    for (;;) {
        if (!bytes.has(at, 1)) refuse_cut();
        const std::uint32_t kind = bytes.u8(at);
        if (kind == 0x3B) break;
        if (kind == 0x21) {
            const bool shows_through = bytes.u8(at + 1) == 0xF9 && bytes.u8(at + 2) >= 4 && bytes.u8(at + 3) & 1;
            if (first.at == 0 && shows_through) first.transparent = bytes.u8(at + 6);
            at = skip_blocks(bytes, at + 2);
        } else if (kind == 0x2C) {
            if (!bytes.has(at, 11)) refuse_cut();
            if (bytes.u16(at + 1) + bytes.u16(at + 5) > bytes.u16(6) ||
                bytes.u16(at + 3) + bytes.u16(at + 7) > bytes.u16(8))
                refuse_damaged("a picture lies outside the canvas");
            const std::uint32_t flags = bytes.u8(at + 9);
            const Data own = table_at(bytes, at + 10, flags);
            const std::uint64_t end = skip_blocks(bytes, at + 11 + own.size());
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
    check_weight(first.end, std::uint64_t{bytes.u16(6)} * bytes.u16(8) * 2); // of at most twelve bits a pixel
    if (depth == Depth::whole) {
        reserve_packet(still, first.end + whole_table + 1);
        first.append_to(still.packet, bytes);
    }
    return still;
}

} // namespace denoir::media
