// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/media/bytes.h"
#include "engine/media/image.h"

namespace denoir::media {

/// What a JPEG writes before an EXIF block.
inline constexpr std::string_view exif_prefix("Exif\0\0", 6);
/// The orientation (1 … 8) of an EXIF block: a TIFF header with its first directory, after an optional `exif_prefix`. 1
/// where none is found.
int exif_orientation(Data exif);

/// Turned and mirrored so that it stands upright (EXIF 2.3, tag 0x0112): 1 … 8; as it is for other numbers.
Image upright(Image image, int orientation);
inline bool swaps_sides(int orientation) { return orientation >= 5 && orientation <= 8; }

} // namespace denoir::media
