// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace denoir {

/// How a picture or a video stores its samples, of which reading makes 8-bit RGB.
struct SampleKind {
    int bits = 8;       ///< of each colour; of more the upper 8 are read
    bool alpha = false; ///< has transparency, which is left out
    bool lossy = false; ///< its codec changes pictures
    bool more = false;  ///< a still picture's file with further pictures behind the first
};

/// From the headers of a picture (image.h). Throws Error as image_info() does.
SampleKind sample_kind(const std::filesystem::path& picture);

/// What a comparison of such files does not see, each to stand behind a file's name; mostly none.
std::vector<std::string> unread_parts(const SampleKind&);

} // namespace denoir
