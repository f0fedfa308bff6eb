// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/compare/canvas.h"
#include "engine/compare/side_by_side.h"
#include "engine/media/resize.h"
#include "engine/media/video_writer.h"

namespace denoir {
namespace {

constexpr int least_width = 640, most_width = 8192, most_picture_width = most_width / 2 - 4, most_picture_height = 8192;
constexpr Colour ground{20, 22, 26}, panel{31, 34, 40}, rule{62, 67, 77}, ink{236, 238, 242}, faint{150, 156, 168};
constexpr Colour colours[2]{{92, 158, 255}, {255, 170, 84}}, ///< blue and orange: told apart by every eye
    curve_colour{92, 214, 170};
constexpr double infinite = std::numeric_limits<double>::infinity(); ///< PSNR of equal frames

bool sizes_differ(const Comparison& c) { return c.a.width != c.b.width || c.a.height != c.b.height; }

/// What is added to a curve's title if one side was scaled.
std::string scaled_side(const Comparison& c) {
    if (!sizes_differ(c)) return {};
    return c.pairs.resize == PairOptions::Resize::to_b ? ", A scaled" : ", B scaled";
}

std::vector<double> values_of(const Comparison& c, const std::function<double(const metrics::FrameMetrics&)>& value) {
    std::vector<double> all;
    for (const ComparedFrame& f : c.frames) all.push_back(value(f.metrics));
    return all;
}

} // namespace

SideBySide::SideBySide(const Comparison& c) : comparison_(c) {
    scale_ = std::min({1.0, most_picture_width / double(c.width), most_picture_height / double(c.height)});
    picture_width_ = std::max(1, int(c.width * scale_));
    picture_height_ = std::max(1, int(c.height * scale_));
    line_ = std::clamp(picture_height_ / 24, 16, 64);
    margin_ = line_ / 2;
    const int width = even_side(std::max(least_width, 2 * picture_width_ + margin_)), half = width / 2;
    top_ = line_ + 2 * margin_;
    left_[0] = (half - margin_ / 2 - picture_width_) / 2 * (width > 2 * picture_width_ + margin_ + 1);
    left_[1] = left_[0] ? half + margin_ / 2 + left_[0] : width - picture_width_;
    const int strip = std::clamp(picture_height_ / 4, 5 * line_, 12 * line_);
    base_ = Image(width, even_side(top_ + picture_height_ + margin_ + strip));
    place_pictures();

    const std::string scaled = scaled_side(c);
    plots_[0] =
        plot("PSNR" + scaled, values_of(c, [](const metrics::FrameMetrics& m) { return m.psnr.value_or(infinite); }),
             infinite, 2, " dB");
    plots_[1] = c.summary.mean.ssim
                    ? plot("SSIM" + scaled,
                           values_of(c, [](const metrics::FrameMetrics& m) { return m.ssim.value_or(1); }), 1, 4, "")
                    : plot("mean difference" + scaled,
                           values_of(c, [](const metrics::FrameMetrics& m) { return m.difference.mean; }), 255, 3, "");
    for (int i = 0; i < 2; ++i) {
        Plot& p = plots_[i];
        p.x = i * half + (i ? margin_ / 2 : 0);
        p.width = i ? width - p.x : half - margin_ / 2;
        p.y = top_ + picture_height_ + margin_;
        p.height = base_.height - p.y;
    }
    draw_base();
}

/// Frames come at one size. A side that was scaled to it is drawn in its own shape, in the middle of its half.
void SideBySide::place_pictures() {
    const SourceInfo* sources[]{&comparison_.a, &comparison_.b};
    for (int i = 0; i < 2; ++i) {
        Place& p = places_[i] = {left_[i], top_, picture_width_, picture_height_};
        if (!sizes_differ(comparison_)) continue;
        const double fit = std::min(double(p.width) / sources[i]->width, double(p.height) / sources[i]->height);
        p.width = std::clamp(int(std::lround(fit * sources[i]->width)), 1, picture_width_);
        p.height = std::clamp(int(std::lround(fit * sources[i]->height)), 1, picture_height_);
        p.x += (picture_width_ - p.width) / 2;
        p.y += (picture_height_ - p.height) / 2;
    }
}

SideBySide::Plot SideBySide::plot(std::string title, std::vector<double> values, double most, int digits,
                                  const char* unit) const {
    Plot p;
    p.title = std::move(title);
    p.digits = digits;
    p.unit = unit;
    p.low = infinite;
    p.high = -p.low;
    for (const double v : values) {
        if (std::isfinite(v))
            p.low = std::min(p.low, v), p.high = std::max(p.high, v);
        else
            p.equal = true;
    }
    p.numbers = p.low <= p.high; // else every frame is equal
    if (!p.numbers) p.low = 0, p.high = 1;
    const double least = std::pow(10.0, -digits), pad = std::max(0.1 * (p.high - p.low), 2 * least);
    // The padding must not reach impossible values: a difference below 0, an SSIM above 1.
    p.low = p.low < 0 ? p.low - pad : std::max(0.0, p.low - pad);
    p.high = std::min(most, p.high + pad);
    p.values = std::move(values);
    return p;
}

float SideBySide::Plot::at(std::size_t i) const {
    const double last = values.size() > 1 ? double(values.size() - 1) : 1;
    return float(x + 0.03 * width + 0.94 * width * (double(i) / last));
}

float SideBySide::Plot::level(double value) const {
    constexpr double bottom = 0.92, top = 0.38;
    if (!std::isfinite(value)) return float(y + height * top);
    const double room = equal ? 0.36 : bottom - top, share = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return float(y + height * (bottom - room * share));
}

void SideBySide::draw_base() {
    Canvas canvas(base_);
    canvas.fill(0, 0, base_.width, base_.height, ground);
    const auto name = [this](const SourceInfo& source) {
        const std::string its_name = display_name(source);
        return sizes_differ(comparison_) ? fmt::format("{} {}x{}", its_name, source.width, source.height) : its_name;
    };
    const std::string names[]{name(comparison_.a), name(comparison_.b)};
    const int badge = Canvas::text_width("B", line_) + line_; // A's is as wide
    const int room = plots_[0].width - 3 * margin_ - badge;
    const auto shown = Canvas::shortened_apart(names[0], names[1], line_, room);
    for (int i = 0; i < 2; ++i) {
        const int x = plots_[i].x + margin_;
        canvas.fill(x, margin_ / 2, badge, line_ + margin_, colours[i]);
        canvas.text(x + line_ / 2, margin_, i ? "B" : "A", line_, ground);
        if (!Canvas::can_write(names[i])) continue; // the badges A and B remain
        canvas.text(x + badge + margin_, margin_, shown[std::size_t(i)], line_, ink);
    }
    for (Plot& p : plots_) draw_plot(p);
}

void SideBySide::draw_plot(Plot& p) {
    Canvas canvas(base_);
    canvas.fill(p.x, p.y, p.width, p.height, panel);
    const int small = std::max(12, line_ * 3 / 4);
    std::vector<double> marks;
    if (p.numbers) marks = {p.low, p.high};
    if (p.equal) marks.push_back(infinite);
    for (const double value : marks) canvas.fill(int(p.at(0)), int(p.level(value)), int(0.94 * p.width), 1, rule);
    std::vector<std::pair<float, float>> points;
    for (std::size_t i = 0; i < p.values.size(); ++i) points.emplace_back(p.at(i), p.level(p.values[i]));
    canvas.curve(points, curve_colour, std::max(1.5f, float(line_) / 10));
    for (const double value : marks) {
        const std::string text = std::isfinite(value) ? fmt::format("{:.{}f}", value, p.digits) : "equal";
        const int wide = Canvas::text_width(text, small), x = p.x + int(0.97 * p.width) - wide,
                  y = int(p.level(value)) + (value == p.low ? -small : 1);
        canvas.fill(x - 4, y, wide + 4, small, panel, 0.8f);
        canvas.text(x, y, text, small, faint);
    }
}

void SideBySide::draw_value(Canvas& canvas, const Plot& p, std::size_t pair) const {
    const float x = p.at(pair), y = p.level(p.values[pair]);
    const int top = int(p.level(infinite)), wide = std::max(1, line_ / 12);
    canvas.fill(int(x) - wide / 2, top, wide, int(p.level(p.low)) - top, ink, 0.55f);
    canvas.fill(int(x) - line_ / 6, int(y) - line_ / 6, line_ / 3, line_ / 3, ink);
    const double v = p.values[pair];
    const std::string value = std::isfinite(v) ? fmt::format("{:.{}f}{}", v, p.digits, p.unit) : "equal";
    const int from = p.x + margin_, line = p.y + margin_;
    canvas.text(from, line, p.title, line_, faint);
    canvas.text(from + Canvas::text_width(p.title + " ", line_) + margin_, line, value, line_, ink);
    const PairIndex index = comparison_.frames[pair].index;
    const std::string frame =
        index.a == index.b ? fmt::format("frame {}", index.a) : fmt::format("A {}  B {}", index.a, index.b);
    canvas.text(p.x + p.width - margin_ - Canvas::text_width(frame, line_), line, frame, line_, faint);
}

const Image& SideBySide::draw(std::size_t pair, const Image& a, const Image& b) {
    image_ = base_;
    Canvas canvas(image_);
    const Image* sides[2]{&a, &b};
    for (int i = 0; i < 2; ++i) {
        const Place& p = places_[i];
        if (sides[i]->width == p.width && sides[i]->height == p.height)
            canvas.put(*sides[i], p.x, p.y);
        else
            canvas.put(resize_pil(*sides[i], p.width, p.height, Filter::lanczos), p.x, p.y);
        draw_value(canvas, plots_[i], pair);
    }
    return image_;
}

} // namespace denoir
