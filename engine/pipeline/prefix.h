// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/media/image.h"
#include "engine/pipeline/request.h"

namespace denoir {

class IndexedVideo;

/// A video, a folder of pictures in natural order or a run's folder (its video), after which a clip of diffusion
/// forcing goes on. What is thrown names the file and `forcing.video`, `.video_frames` or `.overlap`.
struct VideoBefore {
    int width = 0, height = 0;
    double fps = 0; ///< 0: nothing says it
};
/// From headers and the first picture alone. Throws Error.
VideoBefore video_before(const Forcing&);

/// The `overlap` frames before the place where the clip goes on, of the video's size, one at a time in memory.
class FramesBefore {
public:
    /// Counts its frames; none is decoded where its headers tell. Throws Error where it has too few, Cancelled.
    explicit FramesBefore(const Forcing&, std::stop_token stop = {});
    ~FramesBefore();
    int count() const { return count_; }
    /// What there is to say of how it is read, with its name; mostly empty.
    std::string warning() const;
    /// Throws Error for what cannot be read, and for a picture of another size than the one read before, Cancelled.
    Image read(int index);

private:
    std::unique_ptr<IndexedVideo> video_;
    std::vector<std::filesystem::path> pictures_; ///< where it is a folder
    std::filesystem::path path_;
    int first_ = 0, count_ = 0, width_ = 0, height_ = 0;
};

} // namespace denoir
