// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/media/image.h"

namespace denoir {

/// Frame number `frame` of video [3,F,H,W] (f32 host, any strides, -1 … 1) in 8 bits: clamp(x/2 + 0.5, 0, 1) * 255,
/// truncated (spec/pipelines.md 12). NaN becomes 0.
Image to_image(const Tensor& video, int frame);

/// The image scaled down (never up) so that its longer side is at most `longest_side`.
Image thumbnail(const Image& image, int longest_side);

/// Whether the name has the extension of a picture that read_image() knows (".png", ".tiff", …, in any case). The file
/// is not read.
bool is_frame_name(const std::filesystem::path& path);

/// The pictures of a folder in natural order (frame_2 before frame_10): files, or links to files, with a picture's
/// extension or a picture's headers. Subfolders and hidden files are left out. Throws Error if the folder cannot be
/// read.
std::vector<std::filesystem::path> frame_files(const std::filesystem::path& folder);

} // namespace denoir
