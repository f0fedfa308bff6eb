// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/media/crop.h"
#include "engine/media/resize.h"

namespace denoir {
namespace {

// Mean and deviation of red, green and blue (0 … 1), as in OpenAI's CLIP (spec/clip.md 2).
constexpr float clip_mean[3] = {0.48145466f, 0.4578275f, 0.40821073f};
constexpr float clip_std[3] = {0.26862954f, 0.26130258f, 0.27577711f};

/// Maps 8-bit pixels to [3,H,W].
template <class Map> Tensor planes(const Image& image, Map map) {
    Tensor out = Tensor::host({3, image.height, image.width});
    const std::int64_t pixels = std::int64_t(image.height) * image.width;
    float* p = out.data<float>();
    for (int c = 0; c < 3; ++c)
        for (std::int64_t i = 0; i < pixels; ++i) p[c * pixels + i] = map(float(image.rgb[i * 3 + c]));
    return out;
}

// The three references write the same map to -1 … 1 in three ways, which differ in the last bit.
Tensor wan_pixels(const Image& image) {
    return planes(image, [](float v) { return (v / 255.0f - 0.5f) / 0.5f; });
}
Tensor skyreels_pixels(const Image& image) {
    return planes(image, [](float v) { return v / 255.0f * 2.0f - 1.0f; });
}
Tensor forcing_pixels(const Image& image) {
    return planes(image, [](float v) { return v / 127.5f - 1.0f; });
}

void round_bf16(Tensor& t) {
    for (float& v : t.span<float>()) v = round_to_bf16(v);
}

Image centre_crop(const Image& image, int width, int height) {
    const int left = (image.width - width) / 2, top = (image.height - height) / 2;
    return crop(image, {left, top, left + width, top + height});
}

Image skyreels_cropped(const Image& image, int width, int height) {
    return crop(image, skyreels_crop(image.width, image.height, width, height));
}

/// Normalises pixels [3,S,S] in place for CLIP; `unit` maps a value to 0 … 1.
template <class Unit> void normalise_for_clip(Tensor& pixels, Unit unit) {
    const std::int64_t n = pixels.size(1) * pixels.size(2);
    float* p = pixels.data<float>();
    for (int c = 0; c < 3; ++c)
        for (std::int64_t i = 0; i < n; ++i) p[c * n + i] = (unit(p[c * n + i]) - clip_mean[c]) / clip_std[c];
}

/// [-1,1] pixels of any size -> CLIP's input: bicubic without antialiasing, aspect ignored.
Tensor original_clip(const Tensor& pixels, int side) {
    Tensor out = resize_bicubic_torch(pixels, side, side);
    normalise_for_clip(out, [](float v) { return v * 0.5f + 0.5f; });
    return out;
}

/// The size at which the shorter edge is `side`.
PictureSize clip_size(PictureSize image, int side) {
    const int shorter = std::min(image.width, image.height), longer = std::max(image.width, image.height);
    const int scaled = int(std::int64_t(side) * longer / shorter);
    return image.height > image.width ? PictureSize{side, scaled} : PictureSize{scaled, side};
}

/// CLIP's input as diffusers' CLIPImageProcessor makes it: shorter edge scaled to `side` (antialiased, 8 bit), centre
/// crop.
Tensor diffusers_clip(const Image& image, int side) {
    const PictureSize size = clip_size({image.width, image.height}, side);
    const Image small = resize_pil(image, size.width, size.height, Filter::bicubic);
    const Image square = centre_crop(small, side, side);
    Tensor out = planes(square, [](float v) { return v / 255.0f; });
    normalise_for_clip(out, [](float v) { return v; });
    return out;
}

using Rounding = double (*)(double);
constexpr Rounding half_to_even = std::nearbyint; ///< TI2V, in Python (spec/pipelines.md 5)
constexpr Rounding half_away = std::round;        ///< for Wan's last image, see fitted()

/// The size at which `image` covers `target` and keeps its aspect.
PictureSize covering_size(PictureSize image, PictureSize target, Rounding round) {
    const double r = std::max(double(target.width) / image.width, double(target.height) / image.height);
    return {std::max(target.width, int(round(image.width * r))), std::max(target.height, int(round(image.height * r)))};
}

/// The centre of `image`, scaled so that it covers `target`.
Image scaled_and_cropped(const Image& image, PictureSize target, Rounding round, Filter filter) {
    const PictureSize size = covering_size({image.width, image.height}, target, round);
    return centre_crop(resize_pil(image, size.width, size.height, filter), target.width, target.height);
}

/// Wan's last image at the size of the first: scaled by the larger ratio and centre-cropped. The reference means the
/// same, but crops without scaling and swaps height and width (spec/pipelines.md 4).
Image fitted(const Image& last, const Image& first) {
    if (last.width == first.width && last.height == first.height) return last;
    return scaled_and_cropped(last, {first.width, first.height}, half_away, Filter::bicubic);
}

/// Refuses an image so long and thin that `scaled` would take gigabytes, although only its centre, `kept`, is used.
void check_scaled(PictureSize image, PictureSize scaled, PictureSize kept) {
    constexpr std::int64_t most = 64 << 20; // pixels, as many as an image file may have
    const auto pixels = [](PictureSize size) { return std::int64_t(size.width) * size.height; };
    if (pixels(scaled) <= std::max(most, 4 * pixels(kept))) return;
    throw Error("", "",
                fmt::format("{} x {} is too long and thin: it would be scaled to {} x {} for a middle of {} x {}",
                            image.width, image.height, scaled.width, scaled.height, kept.width, kept.height),
                "crop it to another aspect");
}

} // namespace

ImageRule image_rule(const Request& r, const Variant& v) {
    if (*r.preprocess == Preprocess::diffusers) return ImageRule::diffusers;
    if (*r.mode == Mode::forcing) return ImageRule::forcing;
    if (*r.family == Family::skyreels) return ImageRule::skyreels;
    return v.clean_image() ? ImageRule::ti2v : ImageRule::wan;
}

ImageRule frame_rule(const Request& r) {
    return *r.preprocess == Preprocess::diffusers ? ImageRule::diffusers : ImageRule::frame;
}

void check_aspect(PictureSize image, PictureSize first, const ImageUse& use) {
    if (use.rule == ImageRule::diffusers && use.clip_side)
        check_scaled(image, clip_size(image, use.clip_side), {use.clip_side, use.clip_side});
    if (use.rule == ImageRule::ti2v) check_scaled(image, covering_size(image, use.size, half_to_even), use.size);
    if (use.rule == ImageRule::wan) check_scaled(image, covering_size(image, first, half_away), first);
}

SeenImage see_image(const Image& image, const Image& first, const ImageUse& use) {
    check_aspect({image.width, image.height}, {first.width, first.height}, use);
    const auto [width, height] = use.size;
    SeenImage seen;
    switch (use.rule) {
    case ImageRule::diffusers:
        seen.pixels = skyreels_pixels(resize_pil(image, width, height, Filter::lanczos));
        if (use.clip_side) seen.clip = diffusers_clip(image, use.clip_side);
        break;
    case ImageRule::forcing:
        seen.pixels =
            forcing_pixels(resize_pil(skyreels_cropped(image, width, height), width, height, Filter::bicubic));
        break;
    case ImageRule::frame:
        seen.pixels = forcing_pixels(resize_pil(image, width, height, Filter::bicubic));
        break;
    case ImageRule::skyreels:
        seen.pixels =
            skyreels_pixels(resize_pil(skyreels_cropped(image, width, height), width, height, Filter::lanczos));
        if (use.bf16_pixels) round_bf16(seen.pixels);
        if (use.clip_side) seen.clip = original_clip(seen.pixels, use.clip_side);
        break;
    case ImageRule::ti2v:
        seen.pixels = wan_pixels(scaled_and_cropped(image, use.size, half_to_even, Filter::lanczos));
        break;
    case ImageRule::wan: {
        const Tensor pixels = wan_pixels(fitted(image, first));
        seen.pixels = resize_bicubic_torch(pixels, height, width);
        if (use.clip_side) seen.clip = original_clip(pixels, use.clip_side);
        break;
    }
    }
    return seen;
}

} // namespace denoir
