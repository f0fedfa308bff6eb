// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>
#include <string_view>

namespace denoir {

// Strong types for values that users give: an object always holds a valid value. The constructors throw a UsageError
// that names the field and the nearest valid values.

/// Frames of a video: 4n + 1, since the VAE packs four frames into one latent frame but keeps the first alone.
class FrameCount {
public:
    static constexpr int max = 16385; ///< eleven minutes at 24 fps
    explicit FrameCount(std::int64_t frames, std::string_view field = "frames");
    int value() const { return value_; }
    friend auto operator<=>(FrameCount, FrameCount) = default;

private:
    int value_;
};

/// Whether a video can have so many frames, apart from FrameCount::max.
constexpr bool is_frame_count(std::int64_t frames) { return frames >= 1 && (frames - 1) % 4 == 0; }
/// The frame count (4n + 1) nearest to a number that someone types or drags; the larger one of two equally near.
inline double nearest_frame_count(double frames) { return 4 * std::round((frames - 1) / 4) + 1; }

/// The number of latent frames for so many video frames: one for the first, one for every four after it.
template <std::integral Count> constexpr Count latent_frames(Count video_frames) { return (video_frames - 1) / 4 + 1; }
/// The number of video frames that so many latent frames decode to.
template <std::integral Count> constexpr Count video_frames(Count latent_frames) { return 4 * latent_frames - 3; }
/// The latent frame that holds a video frame, and the first video frame in a latent frame. All count from 0.
constexpr int latent_frame_of(int frame) { return (frame + 3) / 4; }
constexpr int first_frame_in(int latent_frame) { return latent_frame == 0 ? 0 : 4 * latent_frame - 3; }

/// Size of a frame in pixels: both sides are multiples of `multiple` (16; 32 for the VAE of TI2V-5B), at most 8192.
class Resolution {
public:
    static constexpr int max = 8192;
    Resolution(std::int64_t width, std::int64_t height, int multiple = 16);
    int width() const { return width_; }
    int height() const { return height_; }
    friend bool operator==(const Resolution&, const Resolution&) = default;

private:
    int width_, height_;
};

struct Range {
    double least, most;
    constexpr bool holds(double value) const { return value >= least && value <= most; }
};

/// The ranges of a request's numbers, for all places that check or show them. fps is in frames per second.
namespace limits {
inline constexpr Range fps{1, 240}, guidance{0, 100}, guidance_until{0, 1000}, shift{0.01, 1000},
    lora_strength{-100, 100};
}

/// Solver steps, 1 to 1000: the number of training timesteps.
class StepCount {
public:
    static constexpr int max = 1000;
    explicit StepCount(std::int64_t steps, std::string_view field = "steps");
    int value() const { return value_; }
    friend auto operator<=>(StepCount, StepCount) = default;

private:
    int value_;
};

} // namespace denoir
