// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/media/video_reader.h"

namespace denoir {

/// A video whose frames can be asked for in any order; each is the same, byte for byte, as VideoReader gives it in
/// turn. The packets are read once at opening; a seek decodes from the keyframe before the frame, never through a
/// container's own seeking. Frames of codecs or containers that do not tell where a frame comes from are counted once
/// by decoding. Not thread-safe. The same refusals as VideoReader; damage in one group of pictures leaves the others
/// readable.
class IndexedVideo {
public:
    /// Throws Error naming the file, Cancelled. At most 2^20 frames, and a minute of this thread's for those that are
    /// counted by decoding. `stop` is looked at between packets, also by read().
    explicit IndexedVideo(const std::filesystem::path& path, const MediaLimits& limits = {}, std::stop_token stop = {});
    ~IndexedVideo();
    IndexedVideo(const IndexedVideo&) = delete;
    IndexedVideo& operator=(const IndexedVideo&) = delete;

    /// `frames` and `duration` are filled in, `fps` is the mean rate: of the frames' times where nothing says it or
    /// what is said is more than two per cent off.
    const VideoInfo& info() const;
    int frames() const;
    /// Seconds from the beginning of the first frame to the beginning of each, ascending: real times, so also for a
    /// variable rate.
    const std::vector<double>& times() const;
    /// The frame with which decoding of frame `n` has to begin.
    int keyframe_before(int n) const;
    /// Frame n, 0 <= n < frames(). Throws Error where it is damaged, Cancelled.
    void read(int n, Image& image);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir
