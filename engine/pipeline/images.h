// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/media/image.h"
#include "engine/pipeline/request.h"

namespace denoir {

/// How a reference turns the picked image into what its models see (spec/pipelines.md 3, 4, 7.3; spec/clip.md 2).
/// All results are f32 host tensors.
struct SeenImage {
    Tensor pixels; ///< [3,H,W] in -1 … 1: what the VAE encodes
    Tensor clip;   ///< [3,S,S] normalised: what CLIP sees; undefined where `clip_side` is 0
};

struct PictureSize {
    int width = 0, height = 0;
};

/// Throws Error (without a file) where see_image() would have to scale an image of so extreme an aspect to gigabytes.
void check_aspect(PictureSize image, PictureSize first, Family, Mode, Preprocess, int clip_side);

/// `first` gives the size that the last image of a first-last-frame pair is fitted to; the same image for the first
/// itself. `bf16_pixels`: rounded as SkyReels does. Throws as check_aspect() does.
SeenImage see_image(const Image& image, const Image& first, Family, Mode, Preprocess, int width, int height,
                    int clip_side, bool bf16_pixels);

} // namespace denoir
