// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/media/still.h"

namespace denoir::media {

bool is_bmp(Data data) {
    const Bytes bytes{data, false};
    const std::uint32_t header = bytes.u32(14);
    return bytes.matches(0, "BM") && (header == 12 || header == 40 || header == 52 || header == 56 || header == 64 ||
                                      header == 108 || header == 124);
}

Still scan_bmp(Data data, Depth depth) {
    const Bytes bytes{data, false};
    const std::uint32_t header = bytes.u32(14);
    const bool old = header == 12;
    if (!bytes.has(0, 14 + std::uint64_t{bytes.u32(14)})) refuse_cut();
    const auto height = static_cast<std::int32_t>(old ? bytes.u16(20) : bytes.u32(22));
    const std::uint64_t w = old ? bytes.u16(18) : bytes.u32(18),
                        h = height < 0 ? std::uint64_t(-std::int64_t{height}) : std::uint64_t(height);
    const std::uint32_t bits = bytes.u16(old ? 24 : 28), compression = old ? 0 : bytes.u32(30);
    Still still = make_still("BMP", AV_CODEC_ID_BMP, w, h);
    if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
        refuse_damaged("its bits per pixel are not valid");
    if (compression > 3) refuse_kind("a BMP with embedded JPEG or PNG");
    const std::uint64_t offset = bytes.u32(10), stride = (w * bits + 31) / 32 * 4;
    const bool run_length = compression == 1 || compression == 2;
    constexpr std::uint64_t pixels_per_byte = 128; // a run of 255 takes two bytes
    if (!bytes.has(offset, run_length ? w * h / pixels_per_byte : stride * h)) refuse_cut();
    // A pixel in a run of its own takes two bytes, and each row has an end.
    const std::uint64_t pixels = run_length ? 2 * w * h + 4 * h : stride * h, most = offset + pixels;
    check_weight(std::min<std::uint64_t>(most, data.size()), pixels); // the gap before them counts
    check_weight(data.size(), most);
    still.kind.alpha = bits == 32 && (header == 56 || header >= 108) && bytes.u32(66) != 0;
    if (depth == Depth::whole) {
        reserve_packet(still, std::min<std::uint64_t>(most, data.size()));
        append(still.packet, bytes.part(0, most));
    }
    return still;
}

} // namespace denoir::media
