// SPDX-License-Identifier: Apache-2.0
#include "engine/media/frames.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/media/resize.h"

namespace denoir {
namespace {

/// The 8-bit value 0 … 255 for v in -1 … 1; 0 for NaN.
std::uint8_t level(float v) {
    v = v / 2 + 0.5f;
    v = v > 0 ? v : 0.0f;
    v = v < 1 ? v : 1.0f;
    return static_cast<std::uint8_t>(static_cast<int>(v * 255.0f));
}

/// Whether a file is a frame: by its name, so that a damaged frame leads to an error and is not passed over; else by
/// its content.
bool is_frame(const std::filesystem::path& path) {
    if (is_frame_name(path)) return true;
    try {
        image_info(path); // reads whole headers, as two letters are enough to look like a BMP
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

bool is_frame_name(const std::filesystem::path& path) {
    constexpr std::array<std::string_view, 11> extensions{".png",  ".jpg", ".jpeg", ".webp", ".bmp", ".tif",
                                                          ".tiff", ".gif", ".ppm",  ".pgm",  ".pbm"};
    return std::ranges::find(extensions, lower_extension(path)) != extensions.end();
}

Image to_image(const Tensor& video, int frame) {
    assert(video.rank() == 4 && video.size(0) == 3 && video.dtype() == DType::f32 && frame >= 0 &&
           frame < video.size(1));
    const std::int64_t h = video.size(2), w = video.size(3), step = video.stride(3);
    Image image(static_cast<int>(w), static_cast<int>(h));
    std::uint8_t* out = image.rgb.data();
    std::array<std::vector<std::uint8_t>, 3> rows; // one for each colour, so that the compiler vectorises the loop
    for (auto& row : rows) row.resize(static_cast<std::size_t>(w));
    for (std::int64_t y = 0; y < h; ++y, out += 3 * w) {
        for (std::int64_t c = 0; c < 3; ++c) {
            const float* in = video.data<float>() + c * video.stride(0) + frame * video.stride(1) + y * video.stride(2);
            std::uint8_t* row = rows[static_cast<std::size_t>(c)].data();
            if (step == 1)
                for (std::int64_t x = 0; x < w; ++x) row[x] = level(in[x]);
            else
                for (std::int64_t x = 0; x < w; ++x) row[x] = level(in[x * step]);
        }
        const std::uint8_t *red = rows[0].data(), *green = rows[1].data(), *blue = rows[2].data();
        for (std::int64_t x = 0; x < w; ++x) {
            out[3 * x] = red[x];
            out[3 * x + 1] = green[x];
            out[3 * x + 2] = blue[x];
        }
    }
    return image;
}

Image thumbnail(const Image& image, int longest_side) {
    assert(image.width > 0 && image.height > 0 && longest_side > 0);
    const int longest = std::max(image.width, image.height);
    if (longest <= longest_side) return image;
    const auto scaled = [&](int side) {
        return std::max(1, static_cast<int>((std::int64_t{side} * longest_side + longest / 2) / longest));
    };
    return resize_pil(image, scaled(image.width), scaled(image.height), Filter::lanczos);
}

std::vector<std::filesystem::path> frame_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const std::filesystem::directory_entry& entry : entries_of(folder, error)) {
        if (entry.path().filename().native().starts_with('.')) continue; // hidden, as "._frame.png" of macOS
        std::error_code ignored;
        if (!entry.is_regular_file(ignored)) continue; // follows links
        if (is_frame(entry.path())) files.push_back(entry.path());
    }
    if (error)
        throw Error(folder.string(), "", "the folder cannot be read: " + error.message(), "choose another folder");
    std::ranges::sort(files, natural_less, [](const auto& file) { return file.filename().string(); });
    return files;
}

} // namespace denoir
