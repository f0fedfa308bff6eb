// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace denoir {

/// time: the frame of B nearest in time.
enum class FrameMatch { index, time };

/// Seconds from the first frame to each of `frames` at an even rate, which is > 0.
std::vector<double> even_times(std::int64_t frames, double fps);
/// True where each of the times lies near the one that it has at this rate: what containers round is no other rate.
bool come_evenly(std::span<const double> times, double fps);

/// True where both rates are known (> 0) and differ by more than NTSC's from the whole number beside it.
bool rates_differ(double a, double b);

/// Which frame of B each frame of A meets.
class Pairing {
public:
    /// No file has more frames, whatever it claims: rates and offsets from anywhere may ask for frame 10^30.
    static constexpr std::int64_t most_frames = std::int64_t{1} << 40;

    Pairing() = default;
    /// Frames a second, 0 where nothing says it: FrameMatch::time needs both. Frame i of A meets frame i + `offset` of
    /// B; by time, the one that lies `offset` frames of B after the nearest.
    Pairing(double fps_a, double fps_b, FrameMatch match, int offset);
    /// By time, where frames do not come evenly: seconds from the first frame of each side to each of its frames,
    /// ascending, neither empty. They are not kept.
    Pairing(std::span<const double> times_a, std::span<const double> times_b, int offset);

    bool by_time() const { return by_time_; }
    int offset() const { return offset_; }
    /// Never less than that of the frame before; may lie outside of B.
    std::int64_t partner(std::int64_t a) const;
    /// The first frame of A, of `begin` to `end`, whose partner is frame `b` of B or a later one; `end` where there is
    /// none.
    std::int64_t first_to_meet(std::int64_t b, std::int64_t begin, std::int64_t end) const;

private:
    std::shared_ptr<const std::vector<std::int64_t>> nearest_; ///< of each frame of A; null: by the rates
    double fps_a_ = 0, fps_b_ = 0;
    bool by_time_ = false;
    int offset_ = 0;
};

} // namespace denoir
