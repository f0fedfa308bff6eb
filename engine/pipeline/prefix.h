// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "engine/media/image.h"
#include "engine/pipeline/request.h"

namespace denoir {

class IndexedVideo;

/// A video, or a folder of pictures in natural order, after which a clip of diffusion forcing goes on.
struct VideoBefore {
    int width = 0, height = 0;
    double fps = 0; ///< 0: nothing says it
};
/// From headers and the first picture alone. Throws Error naming the file.
VideoBefore video_before(const Forcing&);

/// The `overlap` frames before the place where the clip goes on, of the video's size, one at a time in memory. Throw
/// Error naming the file that cannot be read or has too few frames.
class FramesBefore {
public:
    explicit FramesBefore(const Forcing&);
    ~FramesBefore();
    int count() const { return count_; }
    Image read(int index) const;

private:
    std::unique_ptr<IndexedVideo> video_;
    std::vector<std::filesystem::path> pictures_; ///< where it is a folder
    std::filesystem::path path_;
    int first_ = 0, count_ = 0;
};

} // namespace denoir
