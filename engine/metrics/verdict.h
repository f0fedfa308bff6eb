// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/metrics/picture.h"

namespace denoir::metrics {

/// From best to worst.
enum class Grade { identical, excellent, very_good, good, fair, poor, bad };
std::string_view name(Grade); ///< "very good"

/// A grade, and the least value that earns it.
struct Threshold {
    Grade grade;
    double least;
};
/// The thresholds, best first; values below the last one are bad. They are those at which viewers' mean opinion changes
/// class in T. Zinner, O. Hohlfeld, O. Abboud, T. Hossfeld: Impact of frame rate and resolution on objective QoE
/// metrics, QoMEX 2010, table I. (They measured coding errors of the same content; two different pictures grade as bad
/// even if each is good.) 35 dB, "very good", is our own, to divide their wide class of 33 to 45 dB.
std::span<const Threshold> psnr_scale();
std::span<const Threshold> ssim_scale();
/// The source of the thresholds in one sentence, for reports.
std::string_view scale_source();

/// The grade of a PSNR in dB. An empty one is that of equal pictures.
Grade psnr_grade(std::optional<double> psnr);
Grade ssim_grade(double ssim);

struct Verdict {
    Grade grade; ///< the worse of the two
    Grade psnr;
    std::optional<Grade> ssim; ///< empty if there is no SSIM
    /// "very good: PSNR 36.61 dB is very good (35 dB or more), SSIM 0.9937 is excellent (0.99 or more)"
    std::string text;
};

/// The verdict on the means of a comparison.
Verdict verdict(const FrameMetrics& mean);

} // namespace denoir::metrics
