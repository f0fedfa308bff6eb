// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace denoir {

/// How a picture or a video stores its samples. Reading turns them into 8-bit RGB.
struct SampleKind {
    int bits = 8;       ///< per colour; of more than 8 bits, the upper 8 are read
    bool alpha = false; ///< has transparency, which is dropped
    bool lossy = false; ///< its codec is lossy
    bool more = false;  ///< a picture file that holds further pictures, which are not read
};

/// Read from the headers of a picture (image.h). Throws Error as image_info() does.
SampleKind sample_kind(const std::filesystem::path& picture);

/// What a comparison of such files does not take into account: phrases to be put behind the file's name.
std::vector<std::string> unread_parts(const SampleKind&);

} // namespace denoir
