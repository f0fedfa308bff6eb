// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/tensor.h"

namespace denoir {

/// 8-bit RGB, row-major, no padding: `rgb.size() == 3 * width * height`.
struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;

    Image() = default;
    Image(int w, int h) : width(w), height(h), rgb(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
    std::uint8_t* row(int y) { return rgb.data() + 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(y); }
    const std::uint8_t* row(int y) const {
        return rgb.data() + 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(y);
    }
    friend bool operator==(const Image&, const Image&) = default;
};

/// What the headers of an image tell. The size is that of read_image()'s result, after the EXIF rotation.
struct ImageInfo {
    std::string format; ///< "PNG", "JPEG", "WebP", "BMP", "TIFF", "GIF", "PNM"
    int width = 0, height = 0;
};

/// Reads PNG, JPEG, WebP, BMP, TIFF, GIF (its first picture) and PBM/PGM/PPM. The content decides, not the extension.
/// The EXIF orientation is applied, alpha is dropped, 16 bits are cut to the upper 8, grey and palettes become RGB.
/// Bit-equal to Pillow's convert("RGB"), including transparent and uncovered parts of a GIF, with two exceptions:
/// * 16-bit grey, which Pillow clips instead of scaling;
/// * JPEG: libav's inverse transform rounds a few per cent of the values differently, by one to three of 255, and it
///   upsamples halved planes of CMYK and YCCK differently, by up to 95 of 255 at edges.
/// At most 64 Mi pixels, and 16384 pixels a side. Throws Error if it is not such an image, damaged or cut short.
Image read_image(const std::filesystem::path& path);

/// Whether the content begins like a picture that read_image() knows, other than a GIF, which may be animated. Throws
/// Error if the file cannot be read.
bool is_picture(const std::filesystem::path& path);

/// Size and format, read from the headers only. Throws Error as read_image() does, as far as headers and the structure
/// of the file show it.
ImageInfo image_info(const std::filesystem::path& path);

/// Writes an 8-bit RGB PNG through AtomicFile. A `comment` is stored as UTF-8 text under the keyword "Comment".
void write_png(const std::filesystem::path& path, const Image& image, std::string_view comment = {});

/// The bytes of the file that write_png() writes.
std::vector<std::uint8_t> encode_png(const Image& image);

/// The image as [3,H,W] f32 in 0 … 255, host memory.
Tensor to_tensor(const Image& image);

} // namespace denoir
