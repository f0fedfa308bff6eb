// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/media/video_reader.h"

namespace denoir {

/// A video whose frames can be read in any order, each byte-equal to what VideoReader gives. All packets are read once
/// when it is opened. To seek, it decodes from the keyframe before the frame, and does not rely on the container's own
/// seeking. If codec or container do not tell which packet a frame comes from, all frames are decoded once to find out.
/// Refuses what VideoReader refuses, but damage in one group of pictures leaves the others readable. Not thread-safe.
class IndexedVideo {
public:
    /// `stop` is checked between packets, also in read(). Throws Error naming the file, also for more than 2^20 frames
    /// or if decoding all frames takes more than a minute of this thread's processor time; Cancelled.
    explicit IndexedVideo(const std::filesystem::path& path, const MediaLimits& limits = {}, std::stop_token stop = {});
    ~IndexedVideo();
    IndexedVideo(const IndexedVideo&) = delete;
    IndexedVideo& operator=(const IndexedVideo&) = delete;

    /// `frames` and `duration` are filled in. `fps` is the stated mean rate or, if there is none or it is more than two
    /// per cent off, the mean rate of the frames' times.
    const VideoInfo& info() const;
    int frames() const;
    /// Seconds from the beginning of the first frame to the beginning of each frame, ascending, also for a variable
    /// rate. By the rate if the file has no usable times.
    const std::vector<double>& times() const;
    /// The frame from which decoding has to begin to get frame `n`.
    int keyframe_before(int n) const;
    /// Reads frame n, 0 <= n < frames(). Throws Error if it is damaged; Cancelled.
    void read(int n, Image& image);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir
