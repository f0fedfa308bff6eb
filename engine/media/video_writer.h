// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/media/image.h"
#include "engine/media/video.h"

namespace denoir {

struct VideoOptions {
    enum class Codec { automatic, h264, ffv1 }; ///< automatic: H.264 in .mp4, FFV1 in .mkv
    enum class OddSize { refuse, pad }; ///< H.264 4:2:0 needs even sides; pad: the last column and row are repeated

    int width = 0, height = 0;
    Rational fps{24, 1};
    Codec codec = Codec::automatic;
    OddSize odd_size = OddSize::refuse;
    int crf = 10;               ///< H.264 quality, 0 (best) … 51
    int keyframe_interval = 12; ///< H.264: a keyframe at least this often
    std::string metadata_json;  ///< stored as the file's comment, unless it is empty
    /// Threads of the encoder. More are faster, but x264 with two sometimes gave other bytes on a busy machine.
    int threads = 1;
};

/// The smallest even side that holds `side` pixels: H.264 4:2:0 has no odd ones.
constexpr int even_side(int side) { return side + (side & 1); }

/// Writes a video file from RGB frames. `.mp4`: H.264, yuv420p, BT.709, limited range, index in front. `.mkv`: FFV1
/// (lossless for RGB) or H.264. The same frames and options give the same bytes. The file gets its name in finish();
/// without it, or if anything fails, nothing is left behind. All members throw Error naming the file.
class VideoWriter {
public:
    VideoWriter(std::filesystem::path path, const VideoOptions& options);
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    /// Writes the next frame: H x W x 3 bytes.
    void write(const std::uint8_t* rgb);
    void write(const Image& frame);
    void finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The checks of VideoWriter's constructor without writing: extension, sizes, rate, presence of the encoder, and that
/// no folder has that name. Throws Error.
void check_video_output(const std::filesystem::path& path, const VideoOptions& options);

} // namespace denoir
