// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/media/resize.h"

namespace denoir {
namespace {

std::string size_of(const SourceInfo& info) { return fmt::format("{}x{}", info.width, info.height); }

std::vector<double> times_of(FrameSource& source) {
    constexpr std::int64_t most = 1 << 20; // a video with times of its own may not have more
    if (!source.times().empty() || !source.info().frames) return source.times();
    return even_times(std::clamp<std::int64_t>(*source.info().frames, 0, most), source.info().fps);
}

} // namespace

Pairing pairing_of(FrameSource& a, FrameSource& b, const PairOptions& options) {
    const double fps_a = a.info().fps, fps_b = b.info().fps;
    if (options.match == FrameMatch::time) {
        for (const FrameSource* side : {&a, &b})
            if (side->info().fps <= 0)
                throw Error(side->info().path.string(), "--match", "the frame rate is not known, so time tells nothing",
                            "use --match index");
        if (!a.times().empty() || !b.times().empty()) {
            const std::vector<double> times_a = times_of(a), times_b = times_of(b);
            if (!times_a.empty() && !times_b.empty()) return {times_a, times_b, options.offset};
        }
    }
    return {fps_a, fps_b, options.match, options.offset};
}

FramePairs::FramePairs(FrameSource& a, FrameSource& b, const PairOptions& options, bool ahead)
    : a_{a}, b_{b}, ahead_(ahead) {
    const SourceInfo &x = a.info(), &y = b.info();
    const bool same = x.width == y.width && x.height == y.height;
    if (!same && options.resize == PairOptions::Resize::refuse)
        throw Error(y.path.string(), "size", fmt::format("is {}, but A is {}", size_of(y), size_of(x)),
                    "make them equal, or have one scaled with --resize a or --resize b");
    pairing_ = pairing_of(a, b, options);
    const SourceInfo& target = options.resize == PairOptions::Resize::to_b ? y : x;
    width_ = target.width;
    height_ = target.height;
    a.rewind();
    b.rewind();
    next_ = pairing_.first_to_meet(0, 0, Pairing::most_frames);
}

FramePairs::~FramePairs() {
    for (Side* side : {&a_, &b_})
        if (ahead_ && side->pending.valid()) side->pending.wait();
}

std::optional<std::int64_t> FramePairs::expected() const {
    const auto &of_a = a_.source.info().frames, &of_b = b_.source.info().frames;
    if (!of_a || !of_b) return std::nullopt;
    const std::int64_t a = std::clamp<std::int64_t>(*of_a, 0, Pairing::most_frames),
                       b = std::min(*of_b, Pairing::most_frames);
    const std::int64_t first = pairing_.first_to_meet(0, 0, a);
    return pairing_.first_to_meet(b, first, a) - first;
}

void FramePairs::start(PairIndex index) {
    const auto how = ahead_ ? std::launch::async : std::launch::deferred;
    a_.pending = std::async(how, [this, index] { return fetch(a_, index.a); });
    b_.pending = std::async(how, [this, index] { return fetch(b_, index.b); });
}

bool FramePairs::finish(Side& side) {
    if (!side.pending.get()) return false;
    if (side.read_at > side.shown_at) {
        std::swap(side.shown, side.read);
        side.shown_at = side.read_at;
    }
    return true;
}

std::optional<FramePair> FramePairs::next() {
    const PairIndex index{next_, pairing_.partner(next_)};
    if (!a_.pending.valid()) start(index);
    // Both are waited for before anything can throw: the caller may touch either side afterwards.
    a_.pending.wait();
    b_.pending.wait();
    const bool there_a = finish(a_), there_b = finish(b_);
    if (!there_a || !there_b) return std::nullopt;
    ++next_;
    start({next_, pairing_.partner(next_)});
    return FramePair{index, &a_.shown, &b_.shown};
}

/// Reads up to frame `index`; false if there is none. A frame that is shown already is not read again: of two rates,
/// the slower side shows each frame more than once.
bool FramePairs::fetch(Side& side, std::int64_t index) const {
    if (side.shown_at == index) return true;
    while (!side.ended && side.read_at < index) side.read_next();
    if (side.read_at != index) return false;
    Image& image = side.read.image;
    if (image.width != width_ || image.height != height_) image = resize_pil(image, width_, height_, Filter::lanczos);
    return true;
}

void FramePairs::Side::read_next() {
    if (source.read(read))
        ++read_at;
    else
        ended = true;
}

std::int64_t FramePairs::Side::length() {
    if (pending.valid()) pending.wait();
    if (!ended && source.info().frames) return std::max(*source.info().frames, read_at + 1);
    while (!ended) read_next();
    return read_at + 1;
}

std::int64_t FramePairs::length_a() { return a_.length(); }
std::int64_t FramePairs::length_b() { return b_.length(); }

} // namespace denoir
