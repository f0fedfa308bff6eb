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

/// What the reports on comparisons, traces and sweeps share. HTML where a comment says so, else plain text.
namespace denoir::report {

/// `v` with `digits` places behind the point; `none` where there is no value.
std::string figure_text(const std::optional<double>& v, int digits, std::string_view none = "–");

/// "36.61 dB"; "equal" where there is no value: the PSNR of equal pictures is infinite.
std::string decibels(const std::optional<double>& psnr);

/// A field of a line of CSV, in quotes where it needs them.
std::string csv_field(const std::string& text);

/// Each count as its share of their sum, in %; zeros where all counts are zero.
std::vector<std::optional<double>> shares(std::span<const std::uint64_t> counts);

/// HTML: a <figure> with the picture inside (PNG, base64); a small one is enlarged without smoothing. `caption` is
/// text.
std::string picture(const Image& image, std::string_view caption);

/// Two frames and how far they are apart. Points to what its user owns.
struct PicturePair {
    const Image &a, &b, &difference;
    std::string label_a, label_b; ///< "A"
    double amplification = 1;     ///< of the difference's values
};

/// HTML: a panel with one line of figures above both frames and their difference. `frame` names the pair: "41".
std::string pair_panel(std::string_view frame, const metrics::FrameMetrics& m, const PicturePair& pair);

} // namespace denoir::report
