// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/choices.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/values.h"
#include "engine/compare/outputs.h"
#include "engine/compare/report_parts.h"
#include "engine/core/text.h"

namespace denoir::cli {
namespace {

namespace fs = std::filesystem;

using report::figure_text;

constexpr int largest_offset = 1'000'000;

std::optional<int> step(const Arguments& args, std::string_view option) {
    if (!args.has(option)) return std::nullopt;
    return int(whole_number(args, option, 0, 1'000'000, 0));
}

CompareOptions options_of(const Arguments& args) {
    CompareOptions o;
    o.align = args.get("--offset") == "auto";
    if (!o.align) o.pairs.offset = int(whole_number(args, "--offset", -largest_offset, largest_offset, 0));
    o.pairs.match = choice(args, "--match", frame_matches);
    o.pairs.resize = choice(args, "--resize", resizes);
    o.depth = choice(args, "--depth", depths);
    o.step_a = step(args, "--step-a");
    o.step_b = step(args, "--step-b");
    for (const std::string& file : args.all("--lpips")) o.lpips.emplace_back(file);
    o.threads = threads_of(args);
    return o;
}

std::string described(const char* side, const SourceInfo& s, std::int64_t length) {
    const std::string rate = s.fps > 0 ? fmt::format(", {:.6g} fps", s.fps) : "";
    return fmt::format("{}  {}\n   {}: {}x{}, {}{}, {}\n", side, printable(s.path.string(), 200), name(s.kind), s.width,
                       s.height, counted(std::uint64_t(length), "frame"), rate, s.detail);
}

std::string table(const Comparison& c) {
    const metrics::Summary& s = c.summary;
    std::string out = described("A", c.a, c.length_a) + described("B", c.b, c.length_b);
    out += fmt::format("\n{} of frames at {}x{}\n\n{:22}{:>12}{:>12}{:>10}\n", counted(s.frames, "pair"), c.width,
                       c.height, "", "mean", "worst", "at frame");
    const auto row = [&](std::string_view what, const std::string& mean, const std::string& worst,
                         std::optional<std::size_t> at) {
        const std::string where = at && s.mean.mse > 0 ? fmt::format("{}", c.frames[*at].index.a) : std::string();
        out += fmt::format("{:22}{:>12}{:>12}{:>10}\n", what, mean, worst, where);
    };
    row("PSNR, dB", figure_text(s.mean.psnr, 2, "equal"), figure_text(s.worst.psnr, 2, "equal"), s.worst_psnr);
    row("SSIM", figure_text(s.mean.ssim, 4, "-"), figure_text(s.worst.ssim, 4, "-"),
        s.mean.ssim ? std::optional(s.worst_ssim) : std::nullopt);
    row("MSE", figure_text(s.mean.mse, 4, ""), figure_text(s.worst.mse, 4, ""), s.worst_psnr);
    if (!c.lpips.empty())
        row(c.lpips, figure_text(s.mean.lpips, 4, "-"), figure_text(s.worst.lpips, 4, "-"), std::nullopt);
    const auto &m = s.mean.difference, &w = s.worst.difference;
    row("difference, mean", figure_text(m.mean, 3, ""), figure_text(w.mean, 3, ""), std::nullopt);
    row("  95th percentile", figure_text(m.p95, 2, ""), figure_text(w.p95, 2, ""), std::nullopt);
    row("  99th percentile", figure_text(m.p99, 2, ""), figure_text(w.p99, 2, ""), std::nullopt);
    row("  largest", "", figure_text(w.max, 2, ""), std::nullopt);
    return out;
}

std::string steps(std::span<const metrics::Threshold> scale, std::string_view unit) {
    std::string out;
    for (const metrics::Threshold& t : scale)
        out += fmt::format("{}{} from {}{}", out.empty() ? "" : ", ", metrics::name(t.grade), t.least, unit);
    return out + ", else bad";
}

std::string conclusion(const Comparison& c) {
    std::string out =
        fmt::format("\nverdict: {}\n  PSNR: {}\n  SSIM: {}\n  {}", c.verdict.text, steps(metrics::psnr_scale(), " dB"),
                    steps(metrics::ssim_scale(), ""), metrics::scale_source());
    if (!c.settings.empty()) {
        out += "\n\ndiffers in";
        for (const SettingDifference& s : c.settings)
            out += fmt::format("\n  {}: {} | {}", s.key, s.a.empty() ? "-" : printable(s.a, 60),
                               s.b.empty() ? "-" : printable(s.b, 60));
    }
    if (!c.steps.steps.empty()) out += "\n\n" + to_text(c.steps);
    for (const std::string& note : c.notes) out += fmt::format("\nnote: {}", printable(note, 400));
    return out;
}

/// The Error for a mean below --min-psnr or --min-ssim; empty if there is none.
std::optional<Error> missed(const Comparison& c, std::optional<double> psnr, std::optional<double> ssim) {
    const metrics::FrameMetrics& mean = c.summary.mean;
    constexpr const char* lower = "look at the worst frames with --report, or allow less";
    const std::string file = c.b.path.string();
    if (psnr && mean.psnr && *mean.psnr < *psnr)
        return Error(file, "psnr", fmt::format("is {:.2f} dB, below --min-psnr {:g}", *mean.psnr, *psnr), lower);
    if (ssim && !mean.ssim) return Error(file, "ssim", "there is none below 11 x 11 pixels", "leave --min-ssim out");
    if (ssim && *mean.ssim < *ssim)
        return Error(file, "ssim", fmt::format("is {:.4f}, below --min-ssim {:g}", *mean.ssim, *ssim), lower);
    return std::nullopt;
}

int run(const Arguments& args, Console& console) {
    const fs::path a = named_run(args.words()[0]), b = named_run(args.words()[1]);
    const CompareOptions options = options_of(args);
    const auto least_psnr = number(args, "--min-psnr", 0, 200), least_ssim = number(args, "--min-ssim", -1, 1);
    CompareOutputs outputs{output_file(args, "--side-by-side"), output_file(args, "--difference"),
                           output_file(args, "--report"), output_file(args, "--csv")};
    for (const char* option : {"--side-by-side", "--difference", "--report", "--csv", "--lpips"})
        refuse_empty(args, option, "name a file");
    outputs.difference_mode = choice(args, "--difference-mode", difference_modes);
    if (args.get("--amplify") != "auto") outputs.amplification = number(args, "--amplify", 0.1, 255).value_or(0);
    std::vector<fs::path> inputs{a, b};
    inputs.insert(inputs.end(), options.lpips.begin(), options.lpips.end());
    check_outputs(outputs, inputs);

    Progress progress(progress_style(args));
    const auto told = [&](std::string_view what, double done, double total) {
        progress.work(what, "frame", done, total);
    };
    Comparer comparer = naming_option("step_a", "--step-a", [&] {
        return naming_option("step_b", "--step-b",
                             [&] { return Comparer(a, b, options, progress, told, interrupt_token()); });
    });
    check_videos(outputs, comparer.begin());
    Comparison found = comparer.measure();
    write_outputs(comparer, found, outputs);
    progress.clear();
    console.say(table(found) + conclusion(found));
    Json document;
    if (console.json()) document = to_json(found); // large if there are many frames, so only where it is needed
    const std::optional<Error> below = missed(found, least_psnr, least_ssim);
    if (below) {
        console.note(below->what());
        if (console.json()) document["error"] = Console::error_json(*below);
    }
    console.report(document);
    return below ? 1 : 0;
}

} // namespace

Command compare_command() {
    return {
        "compare",
        "A B [--offset N|auto] [--side-by-side FILE] [--difference FILE] [--report FILE.html] [--csv FILE]",
        "How far two videos, pictures, folders of frames or runs are apart, frame by frame, with a verdict.\n"
        "A run is named by its folder, its name in the history, or last.",
        2,
        2,
        {{"--offset", "N", "frame i of A is compared with frame i + N of B; auto finds N (default 0)"},
         {"--match", "index|time", "time: with the frame of B nearest in time, where rates differ (default index)"},
         {"--resize", "no|a|b", "scale the other one to the size of A or B with Lanczos (default no: sizes are equal)"},
         {"--step-a", "N", "the step of run A to show, 0 is the noise (default: the last)"},
         {"--step-b", "N", "the step of run B to show (default: the last)"},
         {"--depth", "8|float", "float: runs before rounding to 8 bits (default 8)"},
         {"--lpips", "FILE",
          "LPIPS too: torchvision's AlexNet or VGG-16 and the lpips package's heads, both named (default: not "
          "measured)",
          Option::Count::repeated},
         {"--side-by-side", "FILE", "video of both with names and curves: .mp4 (H.264) or .mkv (FFV1) (default: none)"},
         {"--difference", "FILE", "video of the difference: .mp4 or .mkv (default: none)"},
         {"--difference-mode", "absolute|signed",
          "what that shows; signed: blue where A is brighter, orange where B is (default absolute)"},
         {"--amplify", "X", "differences shown X times, 0.1 to 255 (default auto: as much as fits)"},
         {"--report", "FILE", "one HTML file with curves, histograms and the worst frames (default: none)"},
         {"--csv", "FILE", "every frame's figures, one line each (default: none)"},
         {"--min-psnr", "DB", "exit with 1 where the mean PSNR is lower (default: no limit)"},
         {"--min-ssim", "X", "exit with 1 where the mean SSIM is lower (default: no limit)"},
         threads_option,
         progress_option,
         json_option},
        run};
}

} // namespace denoir::cli
