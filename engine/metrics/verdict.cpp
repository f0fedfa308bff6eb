// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace denoir::metrics {
namespace {

constexpr std::array<Threshold, 5> psnr_steps{
    {{Grade::excellent, 45}, {Grade::very_good, 35}, {Grade::good, 33}, {Grade::fair, 27.4}, {Grade::poor, 18.7}}};
constexpr std::array<Threshold, 4> ssim_steps{
    {{Grade::excellent, 0.99}, {Grade::good, 0.95}, {Grade::fair, 0.88}, {Grade::poor, 0.5}}};

Grade grade_of(std::span<const Threshold> scale, double value) {
    for (const Threshold& step : scale)
        if (value >= step.least) return step.grade;
    return Grade::bad;
}

/// The range of a grade in words: "33 dB or more", "below 18.7 dB".
std::string reason(std::span<const Threshold> scale, Grade grade, std::string_view unit) {
    for (const Threshold& step : scale)
        if (step.grade == grade) return fmt::format("{}{} or more", step.least, unit);
    return fmt::format("below {}{}", scale.back().least, unit);
}

} // namespace

std::string_view name(Grade grade) {
    constexpr std::array<std::string_view, 7> names{"identical", "excellent", "very good", "good",
                                                    "fair",      "poor",      "bad"};
    return names[std::size_t(grade)];
}

std::span<const Threshold> psnr_scale() { return psnr_steps; }
std::span<const Threshold> ssim_scale() { return ssim_steps; }

std::string_view scale_source() {
    return "Steps of viewers' mean opinion after Zinner, Hohlfeld, Abboud, Hossfeld: Impact of frame rate and "
           "resolution on objective QoE metrics (QoMEX 2010, table I); 35 dB, \"very good\", is Denoir's own. They "
           "hold for errors of coding and of arithmetic; two different takes are \"bad\" whatever their beauty.";
}

Grade psnr_grade(std::optional<double> psnr) { return psnr ? grade_of(psnr_steps, *psnr) : Grade::identical; }
Grade ssim_grade(double ssim) { return grade_of(ssim_steps, ssim); }

Verdict verdict(const FrameMetrics& mean) {
    Verdict v{psnr_grade(mean.psnr), psnr_grade(mean.psnr), std::nullopt, {}};
    if (v.psnr == Grade::identical) {
        if (mean.ssim) v.ssim = Grade::identical;
        v.text = "identical: every sample of the compared frames is equal";
        return v;
    }
    std::string text =
        fmt::format("PSNR {:.2f} dB is {} ({})", *mean.psnr, name(v.psnr), reason(psnr_steps, v.psnr, " dB"));
    if (mean.ssim) {
        v.ssim = ssim_grade(*mean.ssim);
        v.grade = std::max(v.grade, *v.ssim);
        text += fmt::format(", SSIM {:.4f} is {} ({})", *mean.ssim, name(*v.ssim), reason(ssim_steps, *v.ssim, ""));
    }
    v.text = fmt::format("{}: {}", name(v.grade), text);
    return v;
}

} // namespace denoir::metrics
