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

/// What the headers of an image say; size as read_image() returns it (after the EXIF rotation).
struct ImageInfo {
    std::string format; ///< "PNG", "JPEG", "WebP", "BMP", "TIFF", "GIF", "PNM"
    int width = 0, height = 0;
};

/// Reads PNG, JPEG, WebP, BMP, TIFF, GIF (its first picture) and PBM/PGM/PPM. The content decides, not the extension.
/// The EXIF orientation is applied, alpha is dropped, 16 bits are cut to the upper 8, grey and palettes become RGB.
/// Equal to Pillow's convert("RGB") to the bit, of a GIF in what shows through or is left free, too; but for 16-bit
/// grey (which Pillow clips instead of scaling) and for JPEG: libav's transform rounds a few per cent of the values
/// otherwise, by one to three of 255, and of CMYK and YCCK with planes of halved size it widens them otherwise, up to
/// 95 of 255 away at edges. At most 64 Mi pixels and 16384 a side. Throws Error for what is no such image, is damaged
/// or cut short.
Image read_image(const std::filesystem::path& path);

/// True where the content begins as a picture that read_image() knows and that cannot move (a GIF may). Throws Error
/// where the file cannot be read.
bool is_picture(const std::filesystem::path& path);

/// Size and format from the headers alone; the same refusals as far as headers and the file's structure show them.
ImageInfo image_info(const std::filesystem::path& path);

/// Writes an 8-bit RGB PNG through AtomicFile. A `comment` is stored as UTF-8 text under the keyword "Comment".
void write_png(const std::filesystem::path& path, const Image& image, std::string_view comment = {});

/// The bytes of such a file.
std::vector<std::uint8_t> encode_png(const Image& image);

/// [3,H,W] f32, 0 … 255, host memory.
Tensor to_tensor(const Image& image);

} // namespace denoir
