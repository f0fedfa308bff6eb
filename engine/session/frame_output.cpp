// SPDX-License-Identifier: Apache-2.0
#include "engine/session/frame_output.h"

#include "engine/media/frame_folder.h"
#include "engine/media/video_writer.h"

namespace denoir {
namespace {

VideoOptions video_options(int width, int height, double fps) {
    VideoOptions options;
    options.width = width;
    options.height = height;
    options.fps = frame_rate(fps);
    return options;
}

} // namespace

void check_frame_output(const std::filesystem::path& out, OutputKind kind, int width, int height, double fps) {
    if (kind == OutputKind::video) check_video_output(out, video_options(width, height, fps));
}

FrameOutput::FrameOutput(const std::filesystem::path& out, OutputKind kind, int width, int height, double fps,
                         const std::string& metadata_json, bool again) {
    if (kind == OutputKind::frames) {
        using Folder = FrameFolderWriter::Folder;
        folder_ = std::make_unique<FrameFolderWriter>(out, metadata_json, again ? Folder::same_frames : Folder::empty);
        return;
    }
    VideoOptions options = video_options(width, height, fps);
    options.metadata_json = metadata_json;
    video_ = std::make_unique<VideoWriter>(out, options);
}

FrameOutput::~FrameOutput() = default;

void FrameOutput::write(const Image& frame) {
    if (video_) video_->write(frame);
    if (folder_) folder_->write(frame);
}

void FrameOutput::finish() {
    if (video_) video_->finish();
    if (folder_) folder_->finish();
}

} // namespace denoir
