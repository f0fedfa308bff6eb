// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/compare/report_parts.h"
#include "engine/core/text.h"
#include "engine/report/chart.h"
#include "engine/report/html.h"

namespace denoir {
namespace {

using metrics::FrameMetrics;
using metrics::Grade;
using report::escaped;
using report::figure_text;

constexpr std::size_t most_pictures = 4;

/// "41", or "A 41, B 45" if the two have different numbers.
std::string frame_name(PairIndex i) {
    return i.a == i.b ? fmt::format("{}", i.a) : fmt::format("A {}, B {}", i.a, i.b);
}

const char* tone(Grade grade) {
    if (grade <= Grade::good) return "good";
    return grade == Grade::fair ? "fair" : "bad";
}

std::string side(const char* letter, const char* css, const SourceInfo& s, std::int64_t length) {
    const std::string rate = s.fps > 0 ? fmt::format(", {:.6g} fps", s.fps) : "";
    return fmt::format("<div class=\"panel side\"><div class=\"key {}\">{}</div><div><h3>{}</h3>"
                       "<div class=\"small faint\">{}, {} x {}, {}{}, {}<br>{}</div></div></div>\n",
                       css, letter, escaped(display_name(s)), name(s.kind), s.width, s.height,
                       counted(std::uint64_t(length), "frame"), rate, escaped(s.detail), escaped(s.path.string()));
}

std::string head(const Comparison& c) {
    return fmt::format("<p class=\"eyebrow\">Denoir comparison</p>\n<h1>{} against {}</h1>\n"
                       "<p class=\"lead\"><span class=\"badge {}\">{}</span></p>\n<p class=\"lead\">{}</p>\n"
                       "<p class=\"faint\">{} of frames, {} x {}.</p>\n",
                       escaped(display_name(c.b)), escaped(display_name(c.a)), tone(c.verdict.grade),
                       metrics::name(c.verdict.grade), escaped(c.verdict.text.substr(c.verdict.text.find(": ") + 2)),
                       counted(c.frames.size(), "pair"), c.width, c.height) +
           "<section class=\"pair\">\n" + side("A", "a", c.a, c.length_a) + side("B", "b", c.b, c.length_b) +
           "</section>\n";
}

std::string figures(const Comparison& c) {
    const FrameMetrics &m = c.summary.mean, &w = c.summary.worst;
    const bool equal = m.mse == 0;
    const auto at = [&](std::size_t pair) { return equal ? "" : " at frame " + frame_name(c.frames[pair].index); };
    std::vector<report::Tile> all{
        {"PSNR", report::decibels(m.psnr),
         w.psnr ? "worst " + figure_text(w.psnr, 2) + at(c.summary.worst_psnr) : "every frame is equal"}};
    if (m.ssim)
        all.push_back({"SSIM", figure_text(m.ssim, 4), "worst " + figure_text(w.ssim, 4) + at(c.summary.worst_ssim)});
    if (m.lpips) all.push_back({c.lpips, figure_text(m.lpips, 4), "worst " + figure_text(w.lpips, 4)});
    all.push_back({"MSE", fmt::format("{:.5g}", m.mse), fmt::format("worst {:.5g}", w.mse) + at(c.summary.worst_psnr)});
    all.push_back(
        {"Mean difference", figure_text(m.difference.mean, 3), "of 255; worst " + figure_text(w.difference.mean, 3)});
    all.push_back({"95th percentile", figure_text(m.difference.p95, 2), "worst " + figure_text(w.difference.p95, 2)});
    all.push_back({"99th percentile", figure_text(m.difference.p99, 2), "worst " + figure_text(w.difference.p99, 2)});
    all.push_back({"Largest", figure_text(w.difference.max, 0), "of 255"});
    return "<section>\n" + report::tiles(all) + "</section>\n";
}

std::string notes(const Comparison& c) {
    if (c.notes.empty()) return {};
    std::string out = "<div class=\"panel\"><ul class=\"notes\">\n";
    for (const std::string& note : c.notes) out += fmt::format("<li>{}</li>\n", escaped(note));
    return report::section("What did not fit", out + "</ul></div>\n");
}

std::vector<std::optional<double>> values(const Comparison& c, std::optional<double> (*value)(const FrameMetrics&)) {
    std::vector<std::optional<double>> all;
    for (const ComparedFrame& f : c.frames) all.push_back(value(f.metrics));
    return all;
}

std::vector<report::Level> levels(std::span<const metrics::Threshold> scale, std::string_view unit) {
    std::vector<report::Level> all;
    for (const metrics::Threshold& t : scale)
        all.push_back({t.least, fmt::format("{}: {}{} or more", metrics::name(t.grade), t.least, unit)});
    return all;
}

std::string curves(const Comparison& c) {
    report::Chart chart;
    chart.x_name = c.pairs.offset == 0 && c.pairs.match != FrameMatch::time ? "frame" : "frame of A";
    for (const ComparedFrame& f : c.frames) chart.x.push_back(double(f.index.a));
    std::string out;
    if (c.summary.mean.psnr) {
        report::Chart psnr = chart;
        psnr.title = "PSNR";
        psnr.unit = "dB, higher is better";
        psnr.digits = 2;
        psnr.missing_on_top = true;
        psnr.levels = levels(metrics::psnr_scale(), " dB");
        psnr.series = {{"PSNR", 2, values(c, [](const FrameMetrics& m) { return m.psnr; })}};
        out += figure(psnr);
    }
    if (c.summary.mean.ssim) {
        report::Chart ssim = chart;
        ssim.title = "SSIM";
        ssim.unit = "1 is equal";
        ssim.levels = levels(metrics::ssim_scale(), "");
        ssim.series = {{"SSIM", 3, values(c, [](const FrameMetrics& m) { return m.ssim; })}};
        ssim.most = 1;
        if (*c.summary.worst.ssim == 1) ssim.low = 0.99;
        out += figure(ssim);
    }
    if (!c.lpips.empty()) {
        report::Chart lpips = chart;
        lpips.title = c.lpips;
        lpips.unit = "0 is equal";
        lpips.series = {{"LPIPS", 5, values(c, [](const FrameMetrics& m) { return m.lpips; })}};
        out += figure(lpips);
    }
    report::Chart difference = chart;
    difference.title = "Absolute difference";
    difference.unit = "of 255, logarithmic";
    difference.digits = 2;
    difference.logarithmic = true;
    difference.high = 255;
    difference.series = {
        {"mean", 2, values(c, [](const FrameMetrics& m) { return std::optional(m.difference.mean); })},
        {"95th percentile", 3, values(c, [](const FrameMetrics& m) { return std::optional(m.difference.p95); })},
        {"99th percentile", 5, values(c, [](const FrameMetrics& m) { return std::optional(m.difference.p99); })},
        {"largest", 4, values(c, [](const FrameMetrics& m) { return std::optional(m.difference.max); })}};
    return report::section("Frame by frame", out + figure(difference));
}

std::string histograms(const Comparison& c) {
    static constexpr const char* names[]{"Red", "Green", "Blue"};
    std::string channels;
    for (std::size_t i = 0; i < 3; ++i) {
        report::Chart chart;
        chart.title = names[i];
        chart.unit = "% of samples";
        chart.x_name = "value";
        chart.width = 380;
        chart.height = 220;
        chart.low = 0;
        for (int v = 0; v < 256; ++v) chart.x.push_back(v);
        chart.series = {{"A", 0, report::shares(c.histograms.a[i]), true}, {"B", 1, report::shares(c.histograms.b[i])}};
        // Clipped values pile up at both ends of the range; a scale that shows them would flatten all others.
        double inside = 0, ends = 0;
        for (const report::Series& series : chart.series) {
            for (std::size_t v = 1; v < 255; ++v) inside = std::max(inside, *series.y[v]);
            ends = std::max({ends, *series.y.front(), *series.y.back()});
        }
        if (inside > 0 && ends > 1.25 * inside) {
            chart.high = 1.25 * inside;
            chart.unit += ", ends cut off";
        }
        channels += figure(chart);
    }
    report::Chart difference;
    difference.title = "How large the differences are";
    difference.unit = "% of samples, logarithmic";
    difference.x_name = "absolute difference";
    difference.logarithmic = true;
    difference.height = 220;
    std::size_t count = 256;
    while (count > 9 && c.histograms.difference[count - 1] == 0) --count;
    for (std::size_t v = 0; v < count; ++v) difference.x.push_back(double(v));
    difference.series = {{"samples", 2, report::shares(std::span(c.histograms.difference).first(count)), true}};
    return report::section("Distributions", figure(difference) + "<div class=\"three\">\n" + channels + "</div>\n");
}

std::string pictures(const Comparison& c, std::span<const ReportPicture> shown, double amplification) {
    if (shown.empty()) return {};
    std::string out;
    for (const ReportPicture& p : shown) {
        const ComparedFrame& frame = c.frames[p.pair];
        out += report::pair_panel(frame_name(frame.index), frame.metrics,
                                  {p.a, p.b, p.difference, "A", "B", amplification});
    }
    return report::section(c.summary.mean.mse > 0 ? "Worst frames" : "A frame", out);
}

std::string settings(const Comparison& c) {
    if (c.settings.empty()) return {};
    std::vector<std::vector<std::string>> rows{{"setting", "A", "B"}};
    for (const SettingDifference& s : c.settings)
        rows.push_back({s.key, s.a.empty() ? "–" : s.a, s.b.empty() ? "–" : s.b});
    return report::section("Made with different settings",
                           "<div class=\"panel\">" + report::table(rows, 3) + "</div>\n");
}

std::string steps(const Comparison& c) {
    const report::Chart chart = step_chart(c.steps);
    if (c.steps.steps.empty()) return {};
    return report::section("Step by step", "<p>" + escaped(to_text(c.steps)) + ".</p>\n" +
                                               (chart.series.empty() ? std::string() : figure(chart)));
}

std::string scales() {
    std::vector<std::vector<std::string>> rows{{"grade", "PSNR, dB", "SSIM"}};
    const auto least = [](std::span<const metrics::Threshold> scale, Grade grade) -> std::string {
        for (const metrics::Threshold& t : scale)
            if (t.grade == grade) return fmt::format("{} or more", t.least);
        return grade == Grade::bad ? fmt::format("below {}", scale.back().least) : "–";
    };
    for (int g = int(Grade::excellent); g <= int(Grade::bad); ++g)
        rows.push_back({std::string(metrics::name(Grade(g))), least(metrics::psnr_scale(), Grade(g)),
                        least(metrics::ssim_scale(), Grade(g))});
    return report::section("How the verdict is reached",
                           "<div class=\"panel\"><p>The worse of the two grades counts.</p>" + report::table(rows, 1) +
                               fmt::format("<p class=\"small faint\" style=\"margin-top:10px\">{}</p></div>\n",
                                           escaped(metrics::scale_source())));
}

std::string every_frame(const Comparison& c) {
    std::vector<std::vector<std::string>> rows{
        {"A", "B", "PSNR, dB", "SSIM", "MSE", "mean", "95 %", "99 %", "largest"}};
    if (!c.lpips.empty()) rows[0].push_back("LPIPS");
    for (const auto& [index, m] : c.frames) {
        rows.push_back({fmt::format("{}", index.a), fmt::format("{}", index.b), figure_text(m.psnr, 3, "equal"),
                        figure_text(m.ssim, 5), fmt::format("{:.5g}", m.mse), figure_text(m.difference.mean, 3),
                        figure_text(m.difference.p95, 2), figure_text(m.difference.p99, 2),
                        figure_text(m.difference.max, 0)});
        if (!c.lpips.empty()) rows.back().push_back(figure_text(m.lpips, 5));
    }
    return report::section("Every frame", fmt::format("<div class=\"panel\"><details><summary>{}</summary>{}"
                                                      "</details></div>\n",
                                                      counted(c.frames.size(), "row"), report::table(rows, 0)));
}

} // namespace

std::vector<std::size_t> pairs_to_show(const Comparison& c) {
    std::vector<metrics::FrameMetrics> all;
    for (const ComparedFrame& f : c.frames) all.push_back(f.metrics);
    std::vector<std::size_t> worst =
        metrics::worst_frames(all, most_pictures, std::max<std::size_t>(1, all.size() / (2 * most_pictures)));
    if (worst.empty() && !all.empty()) worst.push_back(all.size() / 2);
    return worst;
}

std::string comparison_report(const Comparison& c, std::span<const ReportPicture> shown, double amplification) {
    std::string body = head(c) + figures(c) + notes(c) + curves(c) + pictures(c, shown, amplification) + histograms(c) +
                       steps(c) + settings(c) + scales() + every_frame(c);
    body += "<footer>Over RGB in 0 … 255. SSIM: Wang, Bovik, Sheikh, Simoncelli 2004, Gaussian window of sigma 1.5, as "
            "scikit-image computes it. Made by denoir-cli compare.</footer>\n";
    return report::page(fmt::format("{} against {}", display_name(c.b), display_name(c.a)), body);
}

} // namespace denoir
