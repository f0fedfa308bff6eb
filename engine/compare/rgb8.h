// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/media/image.h"
#include "engine/metrics/picture.h"

namespace denoir {

/// An image as the metrics see it. Borrows its pixels.
inline metrics::Rgb8 rgb8(const Image& image) { return {image.rgb.data(), image.width, image.height}; }

} // namespace denoir
