// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace denoir {

/// A fraction, such as the frame rates 24/1 and 30000/1001.
struct Rational {
    int num = 0, den = 1;
    double value() const { return den ? static_cast<double>(num) / den : 0; }
    friend bool operator==(const Rational&, const Rational&) = default;
};

/// The nearest fraction with a denominator up to 1001; fps > 0.
Rational frame_rate(double fps);

/// What a reader accepts from an untrusted file.
struct MediaLimits {
    std::int64_t pixels = 64 << 20; ///< of one picture
    int side = 16384;
    int streams = 32;
    double seconds = 2;                                    ///< processor time for opening, and for each frame
    std::uint64_t packet_bytes = std::uint64_t{256} << 20; ///< compressed data that IndexedVideo keeps in memory
};

} // namespace denoir
