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

constexpr float clip_mean[3] = {0.48145466f, 0.4578275f, 0.40821073f};
constexpr float clip_std[3] = {0.26862954f, 0.26130258f, 0.27577711f};

/// 8-bit pixels as [3,H,W] through `map`.
template <class Map> Tensor planes(const Image& image, Map map) {
    Tensor out = Tensor::host({3, image.height, image.width});
    const std::int64_t pixels = std::int64_t(image.height) * image.width;
    float* p = out.data<float>();
    for (int c = 0; c < 3; ++c)
        for (std::int64_t i = 0; i < pixels; ++i) p[c * pixels + i] = map(float(image.rgb[i * 3 + c]));
    return out;
}

/// The three references write the same map in three ways, which differ in the last bit.
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

/// [-1,1] pixels of any size -> CLIP's input: bicubic without antialiasing, aspect ignored.
Tensor original_clip(const Tensor& pixels, int side) {
    Tensor out = resize_bicubic_torch(pixels, side, side);
    const std::int64_t n = std::int64_t(side) * side;
    float* p = out.data<float>();
    for (int c = 0; c < 3; ++c)
        for (std::int64_t i = 0; i < n; ++i) p[c * n + i] = (p[c * n + i] * 0.5f + 0.5f - clip_mean[c]) / clip_std[c];
    return out;
}

/// The size at which the shortest edge is `side`.
PictureSize clip_size(PictureSize image, int side) {
    const int shorter = std::min(image.width, image.height), longer = std::max(image.width, image.height);
    const int scaled = int(std::int64_t(side) * longer / shorter);
    return image.height > image.width ? PictureSize{side, scaled} : PictureSize{scaled, side};
}

/// As a CLIPImageProcessor does: shortest edge to `side` (antialiased, 8 bit), centre crop.
Tensor diffusers_clip(const Image& image, int side) {
    const PictureSize size = clip_size({image.width, image.height}, side);
    const Image small = resize_pil(image, size.width, size.height, Filter::bicubic);
    const Image square = centre_crop(small, side, side);
    Tensor out = planes(square, [](float v) { return v / 255.0f; });
    const std::int64_t n = std::int64_t(side) * side;
    float* p = out.data<float>();
    for (int c = 0; c < 3; ++c)
        for (std::int64_t i = 0; i < n; ++i) p[c * n + i] = (p[c * n + i] - clip_mean[c]) / clip_std[c];
    return out;
}

/// The size at which `image` covers `target`, rounded half to even as Python does (spec/pipelines.md 5).
PictureSize ti2v_covering_size(PictureSize image, PictureSize target) {
    const double r = std::max(double(target.width) / image.width, double(target.height) / image.height);
    return {std::max(target.width, int(std::nearbyint(image.width * r))),
            std::max(target.height, int(std::nearbyint(image.height * r)))};
}

Image ti2v_fitted(const Image& image, PictureSize target) {
    const PictureSize size = ti2v_covering_size({image.width, image.height}, target);
    return centre_crop(resize_pil(image, size.width, size.height, Filter::lanczos), target.width, target.height);
}

/// The size at which `last` covers `first`.
PictureSize covering_size(PictureSize last, PictureSize first) {
    const double r = std::max(double(first.width) / last.width, double(first.height) / last.height);
    return {std::max(first.width, int(std::lround(last.width * r))),
            std::max(first.height, int(std::lround(last.height * r)))};
}

/// Wan's last frame of another size than the first: scaled by the larger ratio and centre-cropped to the first's size.
/// (The reference crops without scaling and swaps height and width there, spec/pipelines.md 4; this is what it meant.)
Image fitted(const Image& last, const Image& first) {
    if (last.width == first.width && last.height == first.height) return last;
    const PictureSize size = covering_size({last.width, last.height}, {first.width, first.height});
    return centre_crop(resize_pil(last, size.width, size.height, Filter::bicubic), first.width, first.height);
}

/// Refuses to scale what is long and thin to a picture of gigabytes, of which only the middle of size `kept` is used.
void check_scaled(PictureSize image, PictureSize scaled, PictureSize kept) {
    constexpr std::int64_t most = 64 << 20; // pixels: what an image file may have
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
    if (use.rule == ImageRule::ti2v) check_scaled(image, ti2v_covering_size(image, use.size), use.size);
    if (use.rule == ImageRule::wan) check_scaled(image, covering_size(image, first), first);
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
        seen.pixels = wan_pixels(ti2v_fitted(image, use.size));
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
