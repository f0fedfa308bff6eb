// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/compare/rgb8.h"
#include "engine/core/json_fields.h"
#include "engine/core/text.h"

namespace denoir {
namespace {

/// Frames that are looked at for aligning: the first minutes show where two videos begin.
constexpr std::int64_t longest_alignment = 16384;

/// "97 frames", "1 frame"
std::string frames(std::int64_t n) { return counted(std::uint64_t(n), "frame"); }

std::string rate(double fps) { return fmt::format("{:.6g} fps", fps); }

/// Whether both end at the same moment, to half a frame of the faster one.
bool end_together(const Comparison& c) {
    const double a = c.a.fps, b = c.b.fps;
    if (c.pairs.match != FrameMatch::time || c.pairs.offset != 0 || !(a > 0) || !(b > 0)) return false;
    return std::abs(double(c.length_a) / a - double(c.length_b) / b) < 0.5 / std::max(a, b);
}

} // namespace

Comparer::Comparer(const std::filesystem::path& a, const std::filesystem::path& b, const CompareOptions& options,
                   Observer& observer, WorkCall progress, std::stop_token stop)
    : options_(options), progress_(std::move(progress)), pool_(options.threads), stop_(stop) {
    if (!options.lpips.empty())
        lpips_ = std::make_unique<lpips::Lpips>(options.lpips, open_backend({}, options.threads));
    const auto open = [&](const std::filesystem::path& path, std::optional<int> step, const char* field) {
        try {
            return open_source(path, {step, options.depth, options.threads}, observer, stop);
        } catch (const UsageError& e) {
            if (e.field() != "step") throw;
            throw UsageError(e.file(), field, e.message(), e.hint());
        }
    };
    a_ = open(a, options.step_a, "step_a");
    b_ = open(b, options.step_b, "step_b");
    pool_.set_stop(stop);
    const SourceInfo &x = a_->info(), &y = b_->info();
    if (options.depth == SourceDepth::floats && (x.width != y.width || x.height != y.height))
        throw Error(b.string(), "size", fmt::format("is {}x{}, but A is {}x{}", y.width, y.height, x.width, x.height),
                    "runs of different sizes are compared with --depth 8 and --resize");
}

Comparer::~Comparer() = default;

std::vector<metrics::Signature> Comparer::signatures(FrameSource& source) {
    std::vector<metrics::Signature> all;
    SourceFrame frame;
    source.rewind();
    while (std::int64_t(all.size()) < longest_alignment && source.read(frame)) {
        all.push_back(metrics::signature(rgb8(frame.image)));
        pool_.throw_if_stopped();
    }
    return all;
}

/// What A shows at the moments of B's frames. Aligning by time needs it, since an offset counts B's frames.
std::vector<metrics::Signature> Comparer::as_often_as_b(const std::vector<metrics::Signature>& a) {
    const Pairing shown = pairing_of(*b_, *a_, {.match = FrameMatch::time});
    std::vector<metrics::Signature> all;
    for (std::int64_t i = 0; i < longest_alignment && shown.partner(i) < std::int64_t(a.size()); ++i)
        all.push_back(a[std::size_t(shown.partner(i))]);
    return all;
}

void Comparer::align() {
    std::vector<metrics::Signature> a, b;
    progress_("aligning", 0, 0);
    pool_.run(2, [&](std::int64_t side, int) { side == 0 ? a = signatures(*a_) : b = signatures(*b_); });
    for (const auto& [found, source] : {std::pair{&a, a_.get()}, std::pair{&b, b_.get()}})
        if (found->empty()) throw Error(source->info().path.string(), "", "holds no frames", "name another video");
    if (options_.pairs.match == FrameMatch::time) a = as_often_as_b(a);
    alignment_ = metrics::align(a, b, options_.largest_offset, stop_);
    options_.pairs.offset = alignment_->offset;
}

void Comparer::check_lpips(const FramePairs& pairs) const {
    if (!lpips_ || std::min(pairs.width(), pairs.height()) >= lpips_->least_side()) return;
    throw Error(b_->info().path.string(), "--lpips",
                fmt::format("{} needs {} x {} pixels, there are {}x{}", lpips::name(lpips_->network()),
                            lpips_->least_side(), lpips_->least_side(), pairs.width(), pairs.height()),
                "leave --lpips out");
}

Comparison Comparer::begin() const {
    const FramePairs pairs(*a_, *b_, options_.pairs, false);
    check_lpips(pairs);
    Comparison c;
    c.a = a_->info();
    c.b = b_->info();
    c.pairs = options_.pairs;
    if (lpips_) c.lpips = lpips::name(lpips_->network());
    c.alignment = alignment_;
    c.fps = c.a.fps > 0 ? c.a.fps : c.b.fps > 0 ? c.b.fps : 24;
    c.width = pairs.width();
    c.height = pairs.height();
    return c;
}

Comparison Comparer::measure() {
    Comparison c = begin(); // refuses before the work of aligning
    if (options_.align) {
        align();
        c = begin();
    }
    FramePairs pairs(*a_, *b_, options_.pairs, pool_.threads() > 1);
    const auto total = double(pairs.expected().value_or(0));
    const metrics::MetricOptions measures{.histograms = &c.histograms};
    std::vector<metrics::FrameMetrics> values;
    progress_("comparing", 0, total);
    while (const auto pair = pairs.next()) {
        const SourceFrame &x = *pair->a, &y = *pair->b;
        values.push_back(x.values ? metrics::compare_frames(x.values, y.values, pool_, measures)
                                  : metrics::compare_frames(rgb8(x.image), rgb8(y.image), pool_, measures));
        if (lpips_)
            values.back().lpips = x.values ? lpips_->distance(x.values, y.values)
                                           : lpips_->distance(to_tensor(x.image), to_tensor(y.image));
        c.frames.push_back({pair->index, values.back()});
        progress_("comparing", double(values.size()), total);
    }
    c.length_a = pairs.length_a();
    c.length_b = pairs.length_b();
    if (values.empty())
        throw Error(c.b.path.string(), "offset",
                    fmt::format("{:+} leaves no frame in common: A has {}, B {}", c.pairs.offset, frames(c.length_a),
                                frames(c.length_b)),
                    "give a smaller --offset, or --offset auto");
    c.summary = metrics::summarize(values);
    c.verdict = metrics::verdict(c.summary.mean);
    c.settings = setting_differences(c.a.request, c.b.request);
    compare_steps(c);
    note_differences(c);
    return c;
}

void Comparer::compare_steps(Comparison& c) const {
    if (c.a.kind != SourceInfo::Kind::run || c.b.kind != SourceInfo::Kind::run) return;
    c.steps = step_divergence(
        RunFolder::open(c.a.path), RunFolder::open(c.b.path),
        [&](double done, double total) { progress_("comparing latents", done, total); }, stop_);
    c.notes = c.steps.notes;
}

/// Notes which frame of B each frame of A is compared with, and why: "compared with frame i+4 of B" or, by time, "with
/// the frame of B 4 frames after the nearest".
void Comparer::note_pairing(Comparison& c) const {
    const bool by_time = c.pairs.match == FrameMatch::time;
    const std::string met = by_time
                                ? fmt::format("each frame of A is compared with the frame of B {} {} the nearest "
                                              "in time",
                                              frames(std::abs(c.pairs.offset)), c.pairs.offset < 0 ? "before" : "after")
                                : fmt::format("frame i of A is compared with frame i{:+} of B", c.pairs.offset);
    const std::string own = by_time ? "each frame of A is compared with the frame of B nearest in time"
                                    : "frame i of A is compared with frame i of B";
    if (c.alignment && c.alignment->certain)
        c.notes.push_back(fmt::format("aligned: {} (found automatically; grid difference {:.2f}, without the offset "
                                      "{:.2f})",
                                      c.pairs.offset == 0 && by_time ? own : met, c.alignment->error,
                                      c.alignment->error_at_zero));
    else if (c.alignment)
        c.notes.push_back("no offset fits clearly better than the others: " + own);
    else if (c.pairs.offset != 0)
        c.notes.push_back(met + ", as --offset asks");
    if (!rates_differ(c.a.fps, c.b.fps)) return;
    const std::string rates = fmt::format("frame rates differ (A {}, B {}): ", rate(c.a.fps), rate(c.b.fps));
    if (!by_time)
        c.notes.push_back(rates + "frames are compared by number; --match time compares by time");
    else
        c.notes.push_back(rates +
                          (c.alignment || c.pairs.offset != 0 ? std::string("frames are compared by time") : own));
}

void Comparer::note_differences(Comparison& c) const {
    const auto note = [&](std::string text) { c.notes.push_back(std::move(text)); };
    for (const std::string& warning : c.a.warnings) note("A " + warning);
    for (const std::string& warning : c.b.warnings) note("B " + warning);
    if (c.a.width != c.b.width || c.a.height != c.b.height) {
        const bool to_b = c.pairs.resize == PairOptions::Resize::to_b;
        note(fmt::format("sizes differ (A {}x{}, B {}x{}): {} was scaled to {}x{} with Lanczos, as --resize {} asks",
                         c.a.width, c.a.height, c.b.width, c.b.height, to_b ? "A" : "B", c.width, c.height,
                         to_b ? "b" : "a"));
    }
    note_pairing(c);
    const auto compared = std::int64_t(c.frames.size());
    if (c.length_a != c.length_b && !end_together(c))
        note(fmt::format("lengths differ: A has {}, B has {}; {} compared, from frame {} of A and {} of "
                         "B on{}",
                         frames(c.length_a), frames(c.length_b),
                         compared == 1 ? "1 pair is" : fmt::format("{} pairs are", compared), c.frames.front().index.a,
                         c.frames.front().index.b,
                         c.alignment || c.pairs.offset ? "" : " (--offset auto finds where they belong together)"));
    else if (compared != c.length_a)
        note(fmt::format("{} of {} {} compared, from frame {} of A and {} of B on", compared, frames(c.length_a),
                         compared == 1 ? "is" : "are", c.frames.front().index.a, c.frames.front().index.b));
    if (c.width < 11 || c.height < 11)
        note(fmt::format("SSIM needs 11 x 11 pixels; at {}x{} there is none", c.width, c.height));
    if (options_.depth == SourceDepth::floats) note("compared before rounding to 8 bits, as --depth float asks");
}

void Comparer::show(const Comparison& found, std::string_view what,
                    const std::function<bool(std::size_t, const Image&, const Image&)>& wanted) {
    FramePairs pairs(*a_, *b_, found.pairs, pool_.threads() > 1);
    const auto total = double(found.frames.size());
    progress_(what, 0, total);
    for (std::size_t i = 0; i < found.frames.size(); ++i) {
        pool_.throw_if_stopped();
        const auto pair = pairs.next();
        if (!pair || !wanted(i, pair->a->image, pair->b->image)) return;
        progress_(what, double(i + 1), total);
    }
}

std::vector<SettingDifference> setting_differences(const Json& a, const Json& b) {
    std::vector<SettingDifference> all;
    if (!a.is_object() || !b.is_object()) return all;
    const auto text = [](const Json& value) { return printable(one_line(value), 400); };
    for (const auto& [key, value] : a.items())
        if (!b.contains(key) || b[key] != value)
            all.push_back({printable(key, 60), text(value), b.contains(key) ? text(b[key]) : ""});
    for (const auto& [key, value] : b.items())
        if (!a.contains(key)) all.push_back({printable(key, 60), "", text(value)});
    return all;
}

} // namespace denoir
