// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/media/bytes.h"
#include "engine/media/image.h"

namespace denoir::media {

/// The bytes before an EXIF block in a JPEG.
inline constexpr std::string_view exif_prefix("Exif\0\0", 6);
/// The orientation (1 … 8) in an EXIF block: a TIFF header with its first directory, after an optional `exif_prefix`. 1
/// if there is none.
int exif_orientation(Data exif);

/// The image turned and mirrored so that it is upright, by the orientation 1 … 8 (EXIF 2.3, tag 0x0112); unchanged for
/// other numbers.
Image upright(Image image, int orientation);
inline bool swaps_sides(int orientation) { return orientation >= 5 && orientation <= 8; }

} // namespace denoir::media
