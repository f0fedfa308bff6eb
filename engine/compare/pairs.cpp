// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/media/resize.h"

namespace denoir {
namespace {

std::string size_of(const SourceInfo& info) { return fmt::format("{}x{}", info.width, info.height); }

} // namespace

FramePairs::FramePairs(FrameSource& a, FrameSource& b, const PairOptions& options, ThreadPool& pool)
    : a_{a}, b_{b}, options_(options), pool_(pool) {
    const SourceInfo &x = a.info(), &y = b.info();
    const bool same = x.width == y.width && x.height == y.height;
    if (!same && options.resize == PairOptions::Resize::refuse)
        throw Error(y.path.string(), "size", fmt::format("is {}, but A is {}", size_of(y), size_of(x)),
                    "make them equal, or have one scaled with --resize a or --resize b");
    if (options.match == PairOptions::Match::time)
        for (const SourceInfo* side : {&x, &y})
            if (side->fps <= 0)
                throw Error(side->path.string(), "--match", "the frame rate is not known, so time tells nothing",
                            "use --match index");
    const SourceInfo& target = options.resize == PairOptions::Resize::to_b ? y : x;
    width_ = target.width;
    height_ = target.height;
    rewind();
}

void FramePairs::rewind() {
    for (Side* side : {&a_, &b_}) {
        side->source.rewind();
        side->at = -1;
        side->ended = false;
    }
    next_ = 0;
    while (partner(next_) < 0) ++next_;
}

std::int64_t FramePairs::partner(std::int64_t a) const {
    if (options_.match == PairOptions::Match::index) return a + options_.offset;
    return std::llround(double(a) / a_.source.info().fps * b_.source.info().fps) + options_.offset;
}

std::optional<std::int64_t> FramePairs::expected() const {
    const auto &a = a_.source.info().frames, &b = b_.source.info().frames;
    if (!a || !b) return std::nullopt;
    std::int64_t first = 0;
    while (first < *a && partner(first) < 0) ++first;
    std::int64_t last = *a;
    if (options_.match == PairOptions::Match::index)
        last = std::min(last, *b - options_.offset);
    else
        while (last > first && partner(last - 1) >= *b) --last;
    return std::max<std::int64_t>(0, last - first);
}

std::optional<FramePair> FramePairs::next() {
    const PairIndex index{next_, partner(next_)};
    bool there[2] = {};
    pool_.run(2, [&](std::int64_t side, int) {
        there[side] = side == 0 ? a_.seek(index.a) : b_.seek(index.b);
        if (there[side]) fit(side == 0 ? a_.frame : b_.frame);
    });
    if (!there[0] || !there[1]) return std::nullopt;
    ++next_;
    return FramePair{index, &a_.frame, &b_.frame};
}

void FramePairs::fit(SourceFrame& frame) const {
    if (frame.image.width == width_ && frame.image.height == height_) return;
    frame.image = resize_pil(frame.image, width_, height_, Filter::lanczos);
}

bool FramePairs::Side::seek(std::int64_t index) {
    while (!ended && at < index) {
        if (source.read(frame))
            ++at;
        else
            ended = true;
    }
    return at == index;
}

std::int64_t FramePairs::Side::length() {
    if (!ended && source.info().frames) return std::max(*source.info().frames, at + 1);
    SourceFrame ignored;
    while (!ended) {
        if (source.read(ignored))
            ++at;
        else
            ended = true;
    }
    return at + 1;
}

std::int64_t FramePairs::length_a() { return a_.length(); }
std::int64_t FramePairs::length_b() { return b_.length(); }

} // namespace denoir
