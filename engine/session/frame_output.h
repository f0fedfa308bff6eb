// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "engine/media/image.h"
#include "engine/session/output_check.h"

namespace denoir {

class FrameFolderWriter;
class VideoWriter;

/// Refuses, before anything is computed, a video of a size or rate that its codec does not write. Throws as
/// check_video_output() does.
void check_frame_output(const std::filesystem::path& out, OutputKind kind, int width, int height, double fps);

/// Frames into what the user asked for: .mp4, .mkv, or a folder of PNG. It appears whole when finish() returns, or not
/// at all.
class FrameOutput {
public:
    /// `metadata_json`: the request, empty for none. `again`: a folder may hold these very frames already.
    FrameOutput(const std::filesystem::path& out, OutputKind kind, int width, int height, double fps,
                const std::string& metadata_json, bool again = false);
    ~FrameOutput();
    void write(const Image& frame);
    void finish();

private:
    std::unique_ptr<VideoWriter> video_;
    std::unique_ptr<FrameFolderWriter> folder_;
};

} // namespace denoir
