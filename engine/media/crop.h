// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "engine/media/image.h"

namespace denoir {

/// Pixels [left, right) x [top, bottom).
struct CropBox {
    int left = 0, top = 0, right = 0, bottom = 0;
    int width() const { return right - left; }
    int height() const { return bottom - top; }
    friend bool operator==(const CropBox&, const CropBox&) = default;
};

/// The largest centred box with the target's aspect ratio, edges rounded half to even (spec/pipelines.md 3.1). It is
/// never empty and lies inside the picture.
CropBox skyreels_crop(int width, int height, int target_width, int target_height);

/// Width and height near `area` pixels with the image's aspect ratio, multiples of 16 (spec/pipelines.md 3). A side may
/// be zero for extreme ratios; callers must check.
std::pair<int, int> wan_size(int width, int height, double area);

/// Width and height for TI2V-5B, near `area` pixels with the image's aspect ratio, multiples of `multiple`
/// (spec/pipelines.md 5). A side may be zero for extreme ratios; callers must check.
std::pair<int, int> ti2v_size(int width, int height, double area, int multiple = 32);

/// The part of `image` in `box`; pixels outside the image are black.
Image crop(const Image& image, const CropBox& box);

} // namespace denoir
