// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <future>
#include <optional>

#include "engine/compare/pairing.h"
#include "engine/compare/source.h"

namespace denoir {

/// Which frame of A meets which frame of B.
struct PairOptions {
    int offset = 0; ///< frame i of A meets frame i + offset of B
    FrameMatch match = FrameMatch::index;
    /// The side whose size the other is resized to (Lanczos). By default different sizes are refused.
    enum class Resize { refuse, to_a, to_b } resize = Resize::refuse;
};

/// The pairing of two sources that the options ask for. Pairing by time uses the frames' own times if those of either
/// side are uneven. Throws Error if time is asked for and a rate is unknown, Cancelled.
Pairing pairing_of(FrameSource& a, FrameSource& b, const PairOptions& options);

/// Frames counted from 0, as their videos count them.
struct PairIndex {
    std::int64_t a = 0, b = 0;
};

/// What next() gives; valid until the next call.
struct FramePair {
    PairIndex index;
    const SourceFrame *a = nullptr, *b = nullptr;
};

/// Two sources that are read together, one frame of each at a time. While the caller looks at one pair, the next is
/// decoded on two further threads, one for each side. Memory holds two pairs.
class FramePairs {
public:
    /// Without `ahead`, next() decodes on the calling thread. Throws Error if the sizes differ and may not be changed,
    /// or if a rate that is needed is unknown; Cancelled.
    FramePairs(FrameSource& a, FrameSource& b, const PairOptions& options, bool ahead);
    ~FramePairs();
    FramePairs(const FramePairs&) = delete;
    FramePairs& operator=(const FramePairs&) = delete;

    /// The next pair, or nothing where either has ended.
    std::optional<FramePair> next();
    /// The number of pairs; empty if either side does not tell its length.
    std::optional<std::int64_t> expected() const;
    int width() const { return width_; }
    int height() const { return height_; }
    /// Frames in A and in B, to be asked once next() has given nothing. The longer one is read to its end if it does
    /// not tell its length.
    std::int64_t length_a();
    std::int64_t length_b();

private:
    /// One source, and where it stands.
    struct Side {
        FrameSource& source;
        SourceFrame shown{}, read{};              ///< what the caller sees; what was read last
        std::int64_t shown_at = -1, read_at = -1; ///< their numbers
        bool ended = false;
        std::future<bool> pending{}; ///< result of fetch(); until it is there, only fetch() may touch the side
        void read_next();
        std::int64_t length();
    };
    bool fetch(Side& side, std::int64_t index) const;
    void start(PairIndex index);
    static bool finish(Side& side);

    Side a_, b_;
    Pairing pairing_;
    bool ahead_;
    int width_, height_;
    std::int64_t next_ = 0;
};

} // namespace denoir
