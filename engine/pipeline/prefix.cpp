// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/units.h"
#include "engine/media/frames.h"
#include "engine/media/indexed_video.h"
#include "engine/pipeline/run_layout.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// The video's file or folder of frames; a run folder stands for its video.
fs::path file_of(const Forcing& f) { return is_run_folder(f.video) ? f.video / run_file::video : f.video; }

/// The frames in a folder; empty if this is a file.
std::vector<fs::path> pictures_of(const fs::path& file) {
    std::error_code code;
    if (!fs::is_directory(file, code)) return {};
    std::vector<fs::path> files = frame_files(file);
    if (files.empty())
        throw Error(file.string(), "", "holds no pictures", "name a video, or a folder with the frames of one");
    return files;
}

/// Calls `read`, whose errors become errors of the field.
template <class Read> auto naming(const fs::path& video, Read&& read) {
    try {
        return read();
    } catch (const Error& e) {
        const std::string file = e.file().empty() ? video.string() : e.file();
        if (e.field().starts_with("forcing.")) throw Error(file, e.field(), e.message(), e.hint());
        throw Error(file, "forcing.video", e.field().empty() ? e.message() : e.field() + " " + e.message(), e.hint());
    }
}

/// The number of the first of the `overlap` frames in a video of `frames`.
int first_of(const Forcing& f, int frames) {
    if (f.video_frames && *f.video_frames > frames)
        throw Error("", "forcing.video_frames",
                    fmt::format("{} frames are more than the video has: {}", *f.video_frames, frames),
                    "use fewer, or leave it out");
    const int end = f.video_frames.value_or(frames);
    if (end < f.overlap)
        throw Error("", "forcing.overlap",
                    fmt::format("the clip begins with {} frames of a video that has {}", f.overlap, end),
                    fmt::format("use an overlap of {}", video_frames(latent_frames(end))));
    return end - f.overlap;
}

} // namespace

VideoBefore video_before(const Forcing& f) {
    return naming(f.video, [&]() -> VideoBefore {
        const fs::path file = file_of(f);
        if (const std::vector<fs::path> pictures = pictures_of(file); !pictures.empty()) {
            const ImageInfo first = image_info(pictures.front());
            return {first.width, first.height, 0};
        }
        const VideoInfo info = VideoReader(file).info();
        const bool timed = info.fps.num > 0 && info.fps.den > 0;
        return {info.width, info.height, timed ? info.fps.value() : 0};
    });
}

FramesBefore::FramesBefore(const Forcing& f, std::stop_token stop) : path_(f.video), count_(f.overlap) {
    naming(path_, [&] {
        const fs::path file = file_of(f);
        pictures_ = pictures_of(file);
        if (pictures_.empty()) video_ = std::make_unique<IndexedVideo>(file, MediaLimits{}, std::move(stop));
        first_ = first_of(f, video_ ? video_->frames() : int(std::min(pictures_.size(), std::size_t{1} << 30)));
    });
}

FramesBefore::~FramesBefore() = default;

std::string FramesBefore::warning() const {
    const std::string about = video_ ? hdr_warning(video_->info()) : std::string();
    return about.empty() ? about : fmt::format("{} {}", printable_name(path_), about);
}

Image FramesBefore::read(int index) {
    return naming(path_, [&] {
        Image frame;
        if (video_)
            video_->read(first_ + index, frame);
        else
            frame = read_image(pictures_[static_cast<std::size_t>(first_ + index)]);
        if (width_ > 0 && (frame.width != width_ || frame.height != height_))
            throw Error("", "",
                        fmt::format("frame {} is {}x{}, the one before {}x{}", first_ + index + 1, frame.width,
                                    frame.height, width_, height_),
                        "leave only frames of one video there");
        width_ = frame.width, height_ = frame.height;
        return frame;
    });
}

} // namespace denoir
