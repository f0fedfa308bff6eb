// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/report_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/report/html.h"

namespace denoir::report {
namespace {

constexpr int tiny_side = 200; ///< smaller pictures are enlarged without smoothing

} // namespace

std::string figure_text(const std::optional<double>& v, int digits, std::string_view none) {
    return v ? fmt::format("{:.{}f}", *v, digits) : std::string(none);
}

std::string decibels(const std::optional<double>& psnr) { return psnr ? figure_text(psnr, 2) + " dB" : "equal"; }

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::vector<std::optional<double>> shares(std::span<const std::uint64_t> counts) {
    std::uint64_t all = 0;
    for (const std::uint64_t n : counts) all += n;
    std::vector<std::optional<double>> out;
    for (const std::uint64_t n : counts) out.emplace_back(100 * double(n) / double(std::max<std::uint64_t>(all, 1)));
    return out;
}

std::string picture(const Image& image, std::string_view caption) {
    const bool tiny = std::max(image.width, image.height) < tiny_side;
    const std::string text = escaped(caption);
    return fmt::format(
        "<figure><img{} width=\"{}\" height=\"{}\" alt=\"{}\" src=\"{}\"><figcaption>{}</figcaption></figure>\n",
        tiny ? " class=\"tiny\"" : "", image.width, image.height, text, png_uri(encode_png(image)), text);
}

std::string pair_panel(std::string_view frame, const metrics::FrameMetrics& m, const PicturePair& pair) {
    const std::string caption = pair.amplification == 1
                                    ? "absolute difference"
                                    : fmt::format("absolute difference, {:g} times", pair.amplification);
    return fmt::format("<div class=\"panel worst\"><p class=\"cap\"><strong>Frame {}</strong><span>PSNR {}</span>"
                       "<span>SSIM {}</span>{}<span>largest difference {:.0f} of 255</span></p>\n"
                       "<div class=\"three\">\n{}{}{}</div></div>\n",
                       escaped(frame), decibels(m.psnr), figure_text(m.ssim, 4),
                       m.lpips ? "<span>LPIPS " + figure_text(m.lpips, 4) + "</span>" : "", m.difference.max,
                       picture(pair.a, pair.label_a), picture(pair.b, pair.label_b), picture(pair.difference, caption));
}

} // namespace denoir::report
