// SPDX-License-Identifier: Apache-2.0
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

std::uint64_t table_bytes(std::uint32_t flags) { return flags & 0x80 ? std::uint64_t{3} << ((flags & 7) + 1) : 0; }

} // namespace

bool is_gif(Data data) { return Bytes{data}.matches(0, "GIF87a") || Bytes{data}.matches(0, "GIF89a"); }

Still scan_gif(Data data, Depth depth) {
    const Bytes bytes{data, false};
    if (!bytes.has(0, 13)) refuse_cut();
    check_size(bytes.u16(6), bytes.u16(8));
    Still still{"GIF", AV_CODEC_ID_GIF, static_cast<int>(bytes.u16(6)), static_cast<int>(bytes.u16(8)), 1, {}, {}};
    std::uint64_t at = 13 + table_bytes(bytes.u8(10)), first_end = 0;
    for (;;) {
        if (!bytes.has(at, 1)) refuse_cut();
        const std::uint32_t kind = bytes.u8(at);
        if (kind == 0x3B) break;
        if (kind == 0x21) {
            at = skip_blocks(bytes, at + 2);
        } else if (kind == 0x2C) {
            if (!bytes.has(at, 11)) refuse_cut();
            if (bytes.u16(at + 1) + bytes.u16(at + 5) > bytes.u16(6) ||
                bytes.u16(at + 3) + bytes.u16(at + 7) > bytes.u16(8))
                refuse_damaged("a picture lies outside the canvas");
            at = skip_blocks(bytes, at + 11 + table_bytes(bytes.u8(at + 9)));
            still.kind.more = first_end != 0;
            if (first_end == 0) first_end = at;
        } else {
            refuse_damaged("a GIF block is of an unknown kind");
        }
    }
    if (first_end == 0) refuse_damaged("it has no picture data");
    check_weight(first_end, std::uint64_t{bytes.u16(6)} * bytes.u16(8) * 2); // of at most twelve bits a pixel
    if (depth == Depth::whole) {
        reserve_packet(still, first_end + 1);
        append(still.packet, bytes.part(0, first_end));
        still.packet.push_back(0x3B);
    }
    return still;
}

} // namespace denoir::media
