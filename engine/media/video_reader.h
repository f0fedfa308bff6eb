// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/media/image.h"
#include "engine/media/sample_kind.h"
#include "engine/media/video.h"

namespace denoir {

struct VideoInfo {
    int width = 0, height = 0;          ///< after rotation
    Rational fps;                       ///< mean rate; 0/1 where the file does not say
    std::optional<std::int64_t> frames; ///< where the container states it
    double duration = 0;                ///< seconds, 0 where unknown
    std::string container, codec;       ///< "mp4", "mkv", "avi", "gif"; libav's name of the codec
    std::string hdr;                    ///< "PQ", "HLG": its curve, which is read as if it were SDR's; else empty
    SampleKind kind;                    ///< of its frames; `lossy` is not told
    std::string matrix;                 ///< "YCgCo": one that is read as if it were BT.601's; else empty
    bool taken_for_bt709 = false;       ///< it names no matrix
    bool interlaced = false;            ///< its first frame is two half pictures, taken one after the other
    Rational pixel{1, 1};               ///< width to height of a pixel, as stored: before rotation
    std::string comment;                ///< the file's comment, as written by VideoWriter's metadata_json
};

/// A warning that a video is HDR and read as if it were not, to stand behind its name; empty for others.
std::string hdr_warning(const VideoInfo&);
/// All that reading it gets wrong or leaves out, each to stand behind its name; mostly none.
std::vector<std::string> reading_warnings(const VideoInfo&);

/// The frames of a video in order of presentation: MP4/MOV, Matroska/WebM, AVI, GIF. The container is
/// told by its content and read from memory only: no other file, address or playlist is ever opened. Rotation is
/// applied; the colour matrix and range of the file are honoured (unmarked: BT.601 up to 576 rows, BT.709 above;
/// limited range). A GIF has at most 16 Mi pixels, others as MediaLimits says. A file that is cut short or damaged
/// throws Error, at opening or at the frame where it shows.
class VideoReader {
public:
    explicit VideoReader(const std::filesystem::path& path, const MediaLimits& limits = {});
    ~VideoReader();
    VideoReader(const VideoReader&) = delete;
    VideoReader& operator=(const VideoReader&) = delete;

    const VideoInfo& info() const;
    /// The next frame, or false at the end.
    bool read(Image& frame);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Whether the content is that of a PNG or a video, in which read_request_metadata() looks.
bool holds_metadata(const std::filesystem::path& file);

/// The request that VideoWriter or FrameFolderWriter stored: of a video, a PNG, or a folder of frames. Empty: none.
std::string read_request_metadata(const std::filesystem::path& path);

} // namespace denoir
