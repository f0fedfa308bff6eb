// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/media/image.h"
#include "engine/pipeline/request.h"
#include "engine/pipeline/variant.h"

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

/// Whose way of cutting and scaling it is.
enum class ImageRule {
    wan,      ///< bicubic on floats, aspect ignored; a last image is fitted to the first
    skyreels, ///< centre crop, Lanczos
    forcing,  ///< SkyReels' diffusion forcing: centre crop, bicubic
    frame,    ///< its frames of a video that goes on: bicubic, aspect ignored (spec/pipelines.md 7.6)
    ti2v,     ///< Lanczos until the picture is covered, centre crop
    diffusers ///< Lanczos, aspect ignored
};
ImageRule image_rule(const Request& resolved, const Variant&);
/// For the frames of the video that a clip goes on after.
ImageRule frame_rule(const Request& resolved);

/// What becomes of an image.
struct ImageUse {
    ImageRule rule = ImageRule::wan;
    PictureSize size;         ///< of the video
    int clip_side = 0;        ///< 0: CLIP does not look at it
    bool bf16_pixels = false; ///< rounded as SkyReels does
};

/// Throws Error (without a file) where see_image() would have to scale an image of so extreme an aspect to gigabytes.
void check_aspect(PictureSize image, PictureSize first, const ImageUse&);

/// `first` gives the size that the last image of a first-last-frame pair is fitted to; the same image for the first
/// itself. Throws as check_aspect() does.
SeenImage see_image(const Image& image, const Image& first, const ImageUse&);

} // namespace denoir
