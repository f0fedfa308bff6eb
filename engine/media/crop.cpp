// SPDX-License-Identifier: Apache-2.0
#include "engine/media/crop.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace denoir {
namespace {

/// Rounds half to even, which is the processor's default mode.
int round_edge(double v) { return static_cast<int>(std::nearbyint(v)); }

} // namespace

CropBox skyreels_crop(int width, int height, int target_width, int target_height) {
    assert(width > 0 && height > 0 && target_width > 0 && target_height > 0);
    if (width == target_width && height == target_height) return {0, 0, width, height};
    const double w = width, h = height, tw = target_width, th = target_height;
    int crop_w = width, crop_h = height;
    if (h / w > th / tw)
        crop_h = static_cast<int>(static_cast<std::int64_t>(width) * target_height / target_width);
    else
        crop_w = static_cast<int>(static_cast<std::int64_t>(height) * target_width / target_height);
    crop_w = std::max(crop_w, 1), crop_h = std::max(crop_h, 1);
    const double left = (w - crop_w) / 2, top = (h - crop_h) / 2;
    CropBox box{round_edge(left), round_edge(top), round_edge(left + crop_w), round_edge(top + crop_h)};
    // A box of one row or column from 1.5 to 2.5 would be empty: both edges are rounded to 2.
    box.right = std::max(box.right, box.left + 1), box.bottom = std::max(box.bottom, box.top + 1);
    return box;
}

std::pair<int, int> wan_size(int width, int height, double area) {
    assert(width > 0 && height > 0);
    const double aspect = static_cast<double>(height) / width;
    const auto latent = [](double side) { return 2 * static_cast<int>(std::floor(std::floor(side / 8) / 2)); };
    return {8 * latent(std::sqrt(area / aspect)), 8 * latent(std::sqrt(area * aspect))};
}

std::pair<int, int> ti2v_size(int width, int height, double area, int multiple) {
    assert(width > 0 && height > 0);
    const double ratio = static_cast<double>(width) / height, ow = std::sqrt(area * ratio), oh = area / ow,
                 m = multiple;
    const auto fit = [m](double side) { return std::floor(side / m) * m; };
    const double w1 = fit(ow), h1 = w1 > 0 ? fit(area / w1) : 0, h2 = fit(oh), w2 = h2 > 0 ? fit(area / h2) : 0;
    const auto mismatch = [ratio](double w, double h) {
        const double r = h > 0 ? w / h : 0;
        return r > 0 ? std::max(ratio / r, r / ratio) : HUGE_VAL;
    };
    const bool first = mismatch(w1, h1) < mismatch(w2, h2);
    return first ? std::pair{static_cast<int>(w1), static_cast<int>(h1)}
                 : std::pair{static_cast<int>(w2), static_cast<int>(h2)};
}

Image crop(const Image& image, const CropBox& box) {
    assert(box.width() > 0 && box.height() > 0);
    Image out(box.width(), box.height());
    const int begin = std::max(box.left, 0), end = std::min(box.right, image.width);
    for (int y = std::max(box.top, 0); y < std::min(box.bottom, image.height) && begin < end; ++y)
        std::copy_n(image.row(y) + 3 * begin, 3 * static_cast<std::size_t>(end - begin),
                    out.row(y - box.top) + 3 * (begin - box.left));
    return out;
}

} // namespace denoir
