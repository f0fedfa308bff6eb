// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/media/image.h"
#include "engine/metrics/picture.h"

/// Parts that the reports on comparisons, traces and sweeps share. They return plain text unless a comment says HTML.
namespace denoir::report {

/// `v` with `digits` decimal places; `none` if there is no value.
std::string figure_text(const std::optional<double>& v, int digits, std::string_view none = "–");

/// "36.61 dB"; "equal" if there is no value, which stands for the infinite PSNR of equal pictures.
std::string decibels(const std::optional<double>& psnr);

/// A field of a line of CSV, in quotes if it needs them.
std::string csv_field(const std::string& text);

/// Each count as its share of their sum, in %; zeros if all counts are zero.
std::vector<std::optional<double>> shares(std::span<const std::uint64_t> counts);

/// HTML: a <figure> that contains the picture (PNG, base64); small ones are enlarged without smoothing. `caption` is
/// plain text.
std::string picture(const Image& image, std::string_view caption);

/// Two frames and their difference. The images must outlive it.
struct PicturePair {
    const Image &a, &b, &difference;
    std::string label_a, label_b; ///< "A"
    double amplification = 1;     ///< how many times `difference` is larger than the true one
};

/// HTML: a panel with a line of figures above both frames and their difference. `frame` names the pair: "41".
std::string pair_panel(std::string_view frame, const metrics::FrameMetrics& m, const PicturePair& pair);

} // namespace denoir::report
