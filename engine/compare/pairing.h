// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace denoir {

/// How a frame finds its partner: by its number, or as the frame that is nearest in time.
enum class FrameMatch { index, time };

/// Seconds from the first frame to each of `frames` at an even rate, which is > 0.
std::vector<double> even_times(std::int64_t frames, double fps);
/// Whether each time lies near its time at this even rate, allowing for the rounding of containers.
bool come_evenly(std::span<const double> times, double fps);

/// Whether both rates are known (> 0) and differ by more than an NTSC rate does from the whole number next to it.
bool rates_differ(double a, double b);

/// Which frame of B each frame of A is compared with.
class Pairing {
public:
    /// A limit for frame numbers, since untrusted rates and offsets may ask for frame 10^30.
    static constexpr std::int64_t most_frames = std::int64_t{1} << 40;

    Pairing() = default;
    /// Rates in frames per second, 0 if unknown; FrameMatch::time needs both. Frame i of A is paired with frame i +
    /// `offset` of B or, by time, with the frame `offset` frames after the one that is nearest in time.
    Pairing(double fps_a, double fps_b, FrameMatch match, int offset);
    /// By time, for uneven frames: seconds from the first frame of each side to each of its frames, ascending, neither
    /// empty. The spans are not kept.
    Pairing(std::span<const double> times_a, std::span<const double> times_b, int offset);

    bool by_time() const { return by_time_; }
    int offset() const { return offset_; }
    /// The frame of B for frame `a`. Never decreases from frame to frame; may lie outside of B.
    std::int64_t partner(std::int64_t a) const;
    /// The first frame of A in [begin, end) whose partner is frame `b` of B or a later one; `end` if there is none.
    std::int64_t first_to_meet(std::int64_t b, std::int64_t begin, std::int64_t end) const;

private:
    std::shared_ptr<const std::vector<std::int64_t>> nearest_; ///< for each frame of A; null: told by the rates
    double fps_a_ = 0, fps_b_ = 0;
    bool by_time_ = false;
    int offset_ = 0;
};

} // namespace denoir
