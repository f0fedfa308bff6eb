// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/media/bytes.h"
#include "engine/media/image.h"

namespace denoir::media {

/// The orientation (1 … 8) of an EXIF block: a TIFF header with its first directory, after an optional "Exif\0\0". 1
/// where none is found.
int exif_orientation(Data exif);

/// Turned and mirrored so that it stands upright (EXIF 2.3, tag 0x0112).
Image upright(Image image, int orientation);
inline bool swaps_sides(int orientation) { return orientation >= 5 && orientation <= 8; }

} // namespace denoir::media
