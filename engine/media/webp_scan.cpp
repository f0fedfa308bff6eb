// SPDX-License-Identifier: Apache-2.0
#include "engine/media/exif.h"
#include "engine/media/still.h"

namespace denoir::media {
namespace {

struct Size {
    std::uint32_t width, height;
};

/// The most blocks of 16 x 16 pixels that a byte can hold. Encoders need ten bits for the plainest of them; the format
/// allows far less.
constexpr std::uint64_t blocks_per_byte = 64;

Size lossy_size(const Bytes& body) {
    if (!body.has(0, 10)) refuse_cut();
    const std::uint32_t tag = body.u8(0) | body.u8(1) << 8 | body.u8(2) << 16;
    if ((tag & 1) != 0 || !body.matches(3, "\x9d\x01\x2a"))
        refuse_damaged("its picture does not begin with a key frame");
    if (!body.has(10, tag >> 5)) refuse_cut();
    const Size size{body.u16(6) & 0x3FFF, body.u16(8) & 0x3FFF};
    if (std::uint64_t{size.width / 16} * (size.height / 16) > body.data.size() * blocks_per_byte) refuse_cut();
    return size;
}

Size lossless_size(const Bytes& body) {
    if (!body.has(0, 5)) refuse_cut();
    if (body.u8(0) != 0x2F || body.u8(4) >> 5 != 0) refuse_damaged("its lossless header is not valid");
    const std::uint32_t bits = body.u32(1);
    return {(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1};
}

} // namespace

bool is_webp(Data data) { return Bytes{data}.matches(0, "RIFF") && Bytes{data}.matches(8, "WEBP"); }

Still scan_webp(Data data, Depth depth) {
    Bytes bytes{data, false};
    const std::uint64_t end = std::uint64_t{8} + bytes.u32(4);
    if (!bytes.has(0, end)) refuse_cut();
    Still still{"WebP", AV_CODEC_ID_WEBP};
    Size canvas{0, 0};
    for (std::uint64_t at = 12; at + 8 <= end;) {
        const std::uint64_t length = bytes.u32(at + 4);
        if (length > end - at - 8) refuse_cut();
        const Bytes body{bytes.part(at + 8, length), false};
        const bool lossy = bytes.matches(at, "VP8 "), lossless = bytes.matches(at, "VP8L");
        still.kind.lossy |= lossy;
        still.kind.alpha |= bytes.matches(at, "ALPH") || (lossless && (body.u32(1) >> 28 & 1));
        if (bytes.matches(at, "VP8X")) {
            if (body.u8(0) & 2) refuse_kind("an animated WebP");
            canvas = {(body.u32(4) & 0xFFFFFF) + 1, (body.u32(7) & 0xFFFFFF) + 1};
        }
        if (bytes.matches(at, "EXIF")) still.orientation = exif_orientation(body.data);
        if ((lossy || lossless) && still.width == 0) {
            const Size size = lossy ? lossy_size(body) : lossless_size(body);
            check_size(size.width, size.height);
            check_weight(data.size(), std::uint64_t{size.width} * size.height * 4);
            still.width = static_cast<int>(size.width);
            still.height = static_cast<int>(size.height);
            // Makes a plain file of this one chunk, so that the decoder never gets alpha, profiles or further chunks.
            if (depth == Depth::whole) {
                const auto padded = static_cast<std::uint32_t>(length + (length & 1));
                reserve_packet(still, 20 + std::uint64_t{padded});
                append(still.packet, "RIFF");
                append_u32_le(still.packet, padded + 12);
                append(still.packet, "WEBP");
                append(still.packet, bytes.part(at, 8 + length));
                still.packet.resize(20 + padded);
            }
        }
        at += 8 + length + (length & 1);
    }
    if (still.width == 0) refuse_damaged("it has no picture data");
    if (canvas.width != 0 &&
        (canvas.width != std::uint32_t(still.width) || canvas.height != std::uint32_t(still.height)))
        refuse_damaged("its canvas and its picture differ in size");
    return still;
}

} // namespace denoir::media
