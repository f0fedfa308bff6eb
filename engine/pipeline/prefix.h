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

/// What a clip of diffusion forcing continues: a video, a folder of pictures in natural order, or a run's folder (its
/// video). Errors name the file and `forcing.video`, `.video_frames` or `.overlap`.
struct VideoBefore {
    int width = 0, height = 0;
    double fps = 0; ///< 0: unknown
};
/// Reads headers, of a folder those of its first picture. Throws Error.
VideoBefore video_before(const Forcing&);

/// The last `overlap` frames that count of that video, in its own size. Holds one frame in memory at a time.
class FramesBefore {
public:
    /// Counts the video's frames, decoding none if its headers tell the number. Throws Error if there are too few,
    /// Cancelled.
    explicit FramesBefore(const Forcing&, std::stop_token stop = {});
    ~FramesBefore();
    int count() const { return count_; }
    /// A warning about how the video is read (HDR), with its name; usually empty.
    std::string warning() const;
    /// Frame `index` of the overlap. Throws Error if it cannot be read or differs in size from the one read before,
    /// Cancelled.
    Image read(int index);

private:
    std::unique_ptr<IndexedVideo> video_;
    std::vector<std::filesystem::path> pictures_; ///< where it is a folder
    std::filesystem::path path_;
    int first_ = 0, count_ = 0, width_ = 0, height_ = 0;
};

} // namespace denoir
