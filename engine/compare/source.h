// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/tensor.h"
#include "engine/media/image.h"
#include "engine/pipeline/observer.h"

namespace denoir {

/// A frame in 8 bits and, if asked for, its values before rounding.
struct SourceFrame {
    Image image;
    Tensor values; ///< [3,H,W] f32 in 0 … 255, host; undefined with SourceDepth::bytes
};

enum class SourceDepth { bytes, floats };

struct SourceInfo {
    enum class Kind { video, picture, frames, run } kind = Kind::video;
    std::filesystem::path path;         ///< as given
    int width = 0, height = 0;          ///< of the first frame
    double fps = 0;                     ///< 0 if unknown (frame folders)
    std::optional<std::int64_t> frames; ///< if known before the end is reached
    std::string detail;                 ///< "h264 in mp4", "step 20 of 20", "12 pictures"
    std::vector<std::string> warnings;  ///< what a comparison does not see, to follow a name: "is HDR …"
    Json request;                       ///< the request that made it, if it carries one (runs, our videos); else null
};
std::string_view name(SourceInfo::Kind);
/// The last part of its path, before it the folder if it is the video of a run; printable, on one line.
std::string display_name(const SourceInfo&);

struct SourceOptions {
    std::optional<int> step;                ///< of a run: empty for its last
    SourceDepth depth = SourceDepth::bytes; ///< floats: runs only
    int threads = 0;                        ///< for decoding a run's latents
};

/// One side of a comparison, read frame by frame, as many times as wanted. Only one thread may use it at a time, but it
/// need not always be the same.
class FrameSource {
public:
    virtual ~FrameSource() = default;
    const SourceInfo& info() const { return info_; }
    /// The next frame, or false at the end. Throws Error naming the file.
    virtual bool read(SourceFrame& frame) = 0;
    virtual void rewind() = 0;
    /// Seconds from the first frame to each frame, ascending; empty if the frames come evenly at info()'s rate, or
    /// their times are unknown. May read the whole file once. Throws Cancelled.
    virtual const std::vector<double>& times() {
        static const std::vector<double> none;
        return none;
    }

protected:
    SourceInfo info_;
};

/// Opens a video, a picture (one frame), a folder of pictures in natural order (all of one size), or a run folder. The
/// content decides which of them it is. A run's stored latents are decoded right here, so that no video codec comes
/// between. Throws Error, UsageError for an option that does not fit the kind, Cancelled.
std::unique_ptr<FrameSource> open_source(const std::filesystem::path& path, const SourceOptions&, Observer&,
                                         std::stop_token);

} // namespace denoir
