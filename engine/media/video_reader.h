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
    Rational fps;                       ///< mean rate; 0/1 if the file does not say
    std::optional<std::int64_t> frames; ///< if the container states it
    double duration = 0;                ///< seconds; 0 if unknown
    std::string container, codec;       ///< "mp4", "mkv", "avi", "gif"; libav's name of the codec
    std::string hdr;              ///< an HDR transfer curve ("PQ", "HLG"), which is read as if it were SDR; or empty
    SampleKind kind;              ///< how its frames are stored; `lossy` is not set
    std::string matrix;           ///< a colour matrix ("YCgCo") that is read as if it were BT.601; or empty
    bool taken_for_bt709 = false; ///< the video names no matrix and is read as BT.709
    bool interlaced = false;      ///< the first frame consists of two fields
    Rational pixel{1, 1};         ///< pixel aspect ratio, width to height, before rotation
    std::string comment;          ///< the file's comment, as written by VideoWriter's metadata_json
};

/// A warning, to be put behind the video's name, that it is HDR but read as if it were not; empty if it is not HDR.
std::string hdr_warning(const VideoInfo&);
/// Warnings, each to be put behind the video's name, about everything that reading it gets wrong or leaves out.
std::vector<std::string> reading_warnings(const VideoInfo&);

/// Reads the frames of a video in order of presentation: MP4/MOV, Matroska/WebM, AVI, GIF. The content tells which
/// container it is, and it is read from memory only: no other file, address or playlist is ever opened. Rotation is
/// applied; the colour matrix and range of the file are used (if it names none: BT.601 up to 576 rows, BT.709 above;
/// limited range). A GIF may have at most 16 Mi pixels, others as MediaLimits says. Throws Error if the file is cut
/// short or damaged, when it is opened or at the frame where that is found.
class VideoReader {
public:
    explicit VideoReader(const std::filesystem::path& path, const MediaLimits& limits = {});
    ~VideoReader();
    VideoReader(const VideoReader&) = delete;
    VideoReader& operator=(const VideoReader&) = delete;

    const VideoInfo& info() const;
    /// Reads the next frame; false at the end.
    bool read(Image& frame);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Whether the content is a PNG or a video, which read_request_metadata() can look into.
bool holds_metadata(const std::filesystem::path& file);

/// The request that VideoWriter or FrameFolderWriter stored in a video, a PNG or a folder of frames; empty if there is
/// none.
std::string read_request_metadata(const std::filesystem::path& path);

} // namespace denoir
