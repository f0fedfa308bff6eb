// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/media/image.h"
#include "engine/pipeline/request.h"
#include "engine/pipeline/variant.h"

namespace denoir {

/// An image as the models see it after a reference's preprocessing (spec/pipelines.md 3, 4, 7.3; spec/clip.md 2); f32
/// host tensors.
struct SeenImage {
    Tensor pixels; ///< [3,H,W] in -1 … 1: what the VAE encodes
    Tensor clip;   ///< [3,S,S] normalised: what CLIP sees; undefined where `clip_side` is 0
};

struct PictureSize {
    int width = 0, height = 0;
};

/// Whose preprocessing is used.
enum class ImageRule {
    wan,      ///< bicubic on floats, aspect ignored; a last image is fitted to the first
    skyreels, ///< centre crop, Lanczos
    forcing,  ///< SkyReels' diffusion forcing: centre crop, bicubic
    frame,    ///< diffusion forcing's frames of a continued video: bicubic, aspect ignored (spec/pipelines.md 7.6)
    ti2v,     ///< scaled with Lanczos until it covers the video's size, centre crop
    diffusers ///< Lanczos, aspect ignored
};
ImageRule image_rule(const Request& resolved, const Variant&);
/// The rule for the frames of a video that the clip continues.
ImageRule frame_rule(const Request& resolved);

/// How an image is preprocessed, and for what.
struct ImageUse {
    ImageRule rule = ImageRule::wan;
    PictureSize size;         ///< of the video
    int clip_side = 0;        ///< pixels of a side of CLIP's input; 0: not needed
    bool bf16_pixels = false; ///< the VAE's pixels are rounded to bf16, as SkyReels does
};

/// Throws Error (naming no file) if the image's aspect is so extreme that see_image() would scale it to gigabytes.
void check_aspect(PictureSize image, PictureSize first, const ImageUse&);

/// Preprocesses `image`. `first` is the first image of a first-last-frame pair, to whose size the last one is fitted;
/// pass `image` itself if it is the first. Throws as check_aspect() does.
SeenImage see_image(const Image& image, const Image& first, const ImageUse&);

} // namespace denoir
