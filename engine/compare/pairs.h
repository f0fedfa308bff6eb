// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/compare/source.h"
#include "engine/core/thread_pool.h"

namespace denoir {

/// Which frame of A meets which frame of B.
struct PairOptions {
    int offset = 0; ///< frame i of A meets frame i + offset of B
    /// time: the frame of B nearest in time, where the two have different rates.
    enum class Match { index, time } match = Match::index;
    /// Of the other side, with Lanczos. Never done unasked.
    enum class Resize { refuse, to_a, to_b } resize = Resize::refuse;
};

/// Frames counted from 0, as their videos count them.
struct PairIndex {
    std::int64_t a = 0, b = 0;
};

/// What next() gives; valid until the next call.
struct FramePair {
    PairIndex index;
    const SourceFrame *a = nullptr, *b = nullptr;
};

/// Two sources read together, a frame of each at a time, both decoded at once. Memory holds one pair.
class FramePairs {
public:
    /// Throws Error where the two cannot be compared, with the figures of both.
    FramePairs(FrameSource& a, FrameSource& b, const PairOptions& options, ThreadPool& pool);

    /// The next pair, or nothing where either has ended.
    std::optional<FramePair> next();
    void rewind();
    /// How many pairs there will be, where both sides say their length.
    std::optional<std::int64_t> expected() const;
    int width() const { return width_; }
    int height() const { return height_; }
    /// Frames in either source, once next() has given nothing; reads the longer one to its end where it has to.
    std::int64_t length_a();
    std::int64_t length_b();

private:
    /// One source, and where it stands.
    struct Side {
        FrameSource& source;
        SourceFrame frame{};
        std::int64_t at = -1; ///< index of `frame`
        bool ended = false;
        /// Reads on to frame `index`; false where there is none.
        bool seek(std::int64_t index);
        std::int64_t length();
    };
    std::int64_t partner(std::int64_t a) const;
    void fit(SourceFrame& frame) const;

    Side a_, b_;
    PairOptions options_;
    ThreadPool& pool_;
    int width_, height_;
    std::int64_t next_ = 0;
};

} // namespace denoir
