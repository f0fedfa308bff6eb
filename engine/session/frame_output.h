// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>

#include "engine/media/frame_folder.h"
#include "engine/media/video_writer.h"
#include "engine/session/output_check.h"
#include "engine/session/run_record.h"

namespace denoir {

/// Size and rate of a resolved request.
VideoOptions video_options(const Request&);
/// The same of a run, with its request as metadata where that is wanted. The number of threads decides no byte of a
/// video, and does not do so here.
VideoOptions video_options(const RunRecord&);

/// Frames into what the user asked for: .mp4, .mkv, or a folder of PNG. It appears whole when finish() returns, or not
/// at all.
class FrameOutput {
public:
    /// A folder takes the metadata of the options alone. `again`: it may hold these very frames already.
    FrameOutput(const std::filesystem::path& out, OutputKind kind, const VideoOptions& options, bool again = false);
    void write(const Image& frame);
    void finish();

private:
    std::optional<VideoWriter> video_;
    std::optional<FrameFolderWriter> folder_;
};

} // namespace denoir
