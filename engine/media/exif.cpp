// SPDX-License-Identifier: Apache-2.0
#include "engine/media/exif.h"

#include <algorithm>

namespace denoir::media {

int exif_orientation(Data exif) {
    constexpr std::uint32_t tiff_version = 42, orientation_tag = 0x0112, short_type = 3;
    constexpr std::uint32_t most_entries = 512;
    if (Bytes{exif}.matches(0, exif_prefix)) exif = exif.subspan(exif_prefix.size());
    Bytes tiff{exif};
    if (!tiff.matches(0, "II") && !tiff.matches(0, "MM")) return 1;
    tiff.big_endian = tiff.matches(0, "MM");
    if (tiff.u16(2) != tiff_version) return 1;
    const std::uint64_t directory = tiff.u32(4);
    const std::uint32_t entries = std::min(tiff.u16(directory), most_entries);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::uint64_t entry = directory + 2 + 12 * std::uint64_t{i};
        if (tiff.u16(entry) != orientation_tag) continue;
        const std::uint32_t value = tiff.u16(entry + 2) == short_type ? tiff.u16(entry + 8) : tiff.u32(entry + 8);
        return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

Image upright(Image image, int orientation) {
    if (orientation <= 1 || orientation > 8) return image;
    const int w = image.width, h = image.height;
    // Swapped means that rows and columns change places; then left and right, then top and bottom do.
    const bool swapped = swaps_sides(orientation),
               mirrored = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7,
               flipped = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    Image out(swapped ? h : w, swapped ? w : h);
    for (int y = 0; y < h; ++y) {
        const std::uint8_t* from = image.row(y);
        for (int x = 0; x < w; ++x, from += 3) {
            const int across = swapped ? y : x, down = swapped ? x : y;
            const int to_x = mirrored ? out.width - 1 - across : across, to_y = flipped ? out.height - 1 - down : down;
            std::copy_n(from, 3, out.row(to_y) + 3 * to_x);
        }
    }
    return out;
}

} // namespace denoir::media
