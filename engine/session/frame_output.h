// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>

#include "engine/media/frame_folder.h"
#include "engine/media/video_writer.h"
#include "engine/session/output_check.h"
#include "engine/session/run_record.h"

namespace denoir {

/// Size and frame rate of a resolved request's video.
VideoOptions video_options(const Request&);
/// The same for a run, with its request as metadata if that is wanted. The number of threads is left out of the
/// metadata, so that it changes no byte of the video.
VideoOptions video_options(const RunRecord&);

/// Writes frames to what the user asked for: .mp4, .mkv, or a folder of PNG. The output appears whole when finish()
/// returns, or not at all.
class FrameOutput {
public:
    /// Of the options, a folder uses the metadata alone. `again`: the folder may already hold these very frames.
    FrameOutput(const std::filesystem::path& out, OutputKind kind, const VideoOptions& options, bool again = false);
    void write(const Image& frame);
    void finish();

private:
    std::optional<VideoWriter> video_;
    std::optional<FrameFolderWriter> folder_;
};

} // namespace denoir
