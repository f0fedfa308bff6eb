// SPDX-License-Identifier: Apache-2.0
#include "engine/session/frame_output.h"

#include "engine/session/request_json.h"

namespace denoir {

VideoOptions video_options(const Request& r) {
    VideoOptions options;
    options.width = *r.width;
    options.height = *r.height;
    options.fps = frame_rate(*r.fps);
    return options;
}

VideoOptions video_options(const RunRecord& record) {
    VideoOptions options = video_options(record.request);
    if (!record.metadata) return options;
    Request r = record.request;
    r.threads = 0;
    options.metadata_json = to_json(r).dump();
    return options;
}

FrameOutput::FrameOutput(const std::filesystem::path& out, OutputKind kind, const VideoOptions& options, bool again) {
    using Folder = FrameFolderWriter::Folder;
    if (kind == OutputKind::frames)
        folder_.emplace(out, options.metadata_json, again ? Folder::same_frames : Folder::empty);
    else
        video_.emplace(out, options);
}

void FrameOutput::write(const Image& frame) {
    if (video_) video_->write(frame);
    if (folder_) folder_->write(frame);
}

void FrameOutput::finish() {
    if (video_) video_->finish();
    if (folder_) folder_->finish();
}

} // namespace denoir
