// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/prefix.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/media/frames.h"
#include "engine/media/indexed_video.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

bool is_folder(const fs::path& path) {
    std::error_code code;
    return fs::is_directory(path, code);
}

std::vector<fs::path> pictures_of(const fs::path& folder) {
    std::vector<fs::path> files = frame_files(folder);
    if (files.empty())
        throw Error(folder.string(), "", "holds no pictures", "name a video, or a folder with the frames of one");
    return files;
}

/// The first of the `overlap` frames, of a video of `frames`.
int first_of(const Forcing& f, int frames) {
    const std::string file = f.video.string();
    if (f.video_frames && *f.video_frames > frames)
        throw Error(file, "forcing.video_frames",
                    fmt::format("{} frames are more than the video has: {}", *f.video_frames, frames),
                    "use fewer, or leave it out");
    const int end = f.video_frames.value_or(frames);
    if (end < f.overlap)
        throw Error(file, "forcing.overlap",
                    fmt::format("the clip begins with {} frames of a video that has {}", f.overlap, end),
                    fmt::format("use an overlap of {}", (end - 1) / 4 * 4 + 1));
    return end - f.overlap;
}

} // namespace

VideoBefore video_before(const Forcing& f) {
    if (is_folder(f.video)) {
        const ImageInfo first = image_info(pictures_of(f.video).front());
        return {first.width, first.height, 0};
    }
    const VideoInfo info = VideoReader(f.video).info();
    const bool timed = info.fps.num > 0 && info.fps.den > 0;
    return {info.width, info.height, timed ? info.fps.value() : 0};
}

FramesBefore::FramesBefore(const Forcing& f) : path_(f.video), count_(f.overlap) {
    if (is_folder(path_)) {
        pictures_ = pictures_of(path_);
        first_ = first_of(f, int(std::min(pictures_.size(), std::size_t{1} << 30)));
    } else {
        video_ = std::make_unique<IndexedVideo>(path_);
        first_ = first_of(f, video_->frames());
    }
}

FramesBefore::~FramesBefore() = default;

Image FramesBefore::read(int index) const {
    if (!video_) return read_image(pictures_[static_cast<std::size_t>(first_ + index)]);
    try {
        Image frame;
        video_->read(first_ + index, frame);
        return frame;
    } catch (const Error& e) {
        throw e.in_file(path_.string());
    }
}

} // namespace denoir
