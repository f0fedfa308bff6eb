// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/media/still.h"

namespace denoir::media {
namespace {

constexpr std::uint64_t file_header = 14; ///< bytes; a picture header follows, whose size tells its kind
/// Sizes of some picture headers in bytes: OS/2's, whose sides have 16 bits, and two of Windows that have masks.
constexpr std::uint32_t core_header = 12, header_with_masks = 56, v4_header = 108;
enum Compression : std::uint32_t { none = 0, rle8 = 1, rle4 = 2, bit_fields = 3 };

bool is_header_size(std::uint32_t bytes) {
    constexpr std::array<std::uint32_t, 7> known{core_header, 40, 52, header_with_masks, 64, v4_header, 124};
    return std::ranges::find(known, bytes) != known.end();
}

bool is_depth(std::uint32_t bits) {
    constexpr std::array<std::uint32_t, 6> known{1, 4, 8, 16, 24, 32};
    return std::ranges::find(known, bits) != known.end();
}

} // namespace

bool is_bmp(Data data) {
    const Bytes bytes{data, false};
    return bytes.matches(0, "BM") && is_header_size(bytes.u32(file_header));
}

Still scan_bmp(Data data, Depth depth) {
    const Bytes bytes{data, false};
    const std::uint32_t header = bytes.u32(file_header);
    const bool old = header == core_header;
    if (!bytes.has(0, file_header + header)) refuse_cut();
    const auto height = static_cast<std::int32_t>(old ? bytes.u16(20) : bytes.u32(22));
    const std::uint64_t w = old ? bytes.u16(18) : bytes.u32(18),
                        h = height < 0 ? std::uint64_t(-std::int64_t{height}) : std::uint64_t(height);
    const std::uint32_t bits = bytes.u16(old ? 24 : 28), compression = old ? none : bytes.u32(30);
    Still still = make_still("BMP", AV_CODEC_ID_BMP, w, h);
    if (!is_depth(bits)) refuse_damaged("its bits per pixel are not valid");
    if (compression > bit_fields) refuse_kind("a BMP with embedded JPEG or PNG");
    const std::uint64_t offset = bytes.u32(10), stride = (w * bits + 31) / 32 * 4;
    const bool run_length = compression == rle8 || compression == rle4;
    constexpr std::uint64_t pixels_per_byte = 128; // at most: a run of 255 takes two bytes
    if (!bytes.has(offset, run_length ? w * h / pixels_per_byte : stride * h)) refuse_cut();
    // At worst, each pixel is a run of its own of two bytes, and each row has a mark at its end.
    const std::uint64_t pixels = run_length ? 2 * w * h + 4 * h : stride * h, most = offset + pixels;
    check_weight(std::min<std::uint64_t>(most, data.size()), pixels); // a gap before the pixels counts as well
    check_weight(data.size(), most);
    constexpr std::uint64_t alpha_mask = 66;
    still.kind.alpha = bits == 32 && (header == header_with_masks || header >= v4_header) && bytes.u32(alpha_mask) != 0;
    if (depth == Depth::whole) {
        reserve_packet(still, std::min<std::uint64_t>(most, data.size()));
        append(still.packet, bytes.part(0, most));
    }
    return still;
}

} // namespace denoir::media
