// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/tensor.h"
#include "engine/media/image.h"

namespace denoir {

enum class Filter { box, bilinear, bicubic, lanczos };

/// Pillow's Image.resize() for 8 bits, bit-equal: antialiased, a horizontal, then a vertical pass, each rounded to 8
/// bits. Width and height must be at least 1.
Image resize_pil(const Image& image, int width, int height, Filter filter);

/// torch.nn.functional.interpolate(mode="bicubic", align_corners=False, antialias=False): a = -0.75, borders repeated,
/// overshoot kept (spec/clip.md 2.1). chw [C,H,W] f32, dense, host -> [C,height,width] f32 host.
Tensor resize_bicubic_torch(const Tensor& chw, int height, int width);

} // namespace denoir
