// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/compare/difference.h"
#include "engine/compare/report.h"
#include "engine/compare/side_by_side.h"
#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/media/frames.h"
#include "engine/media/video_writer.h"
#include "engine/session/inputs.h"
#include "engine/session/output_check.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr int report_side = 720; ///< longer side of the pictures in a report
constexpr int crf = 14;          ///< enough to look at a comparison; nobody measures these videos

VideoOptions video_options(int width, int height, double fps) {
    VideoOptions options;
    options.width = width;
    options.height = height;
    options.fps = frame_rate(fps);
    options.odd_size = VideoOptions::OddSize::pad;
    options.crf = crf;
    return options;
}

std::unique_ptr<VideoWriter> video(const fs::path& path, int width, int height, double fps) {
    return path.empty() ? nullptr : std::make_unique<VideoWriter>(path, video_options(width, height, fps));
}

} // namespace

void check_outputs(const CompareOutputs& o, std::span<const fs::path> sources) {
    std::vector<fs::path> inputs;
    for (const fs::path& source : sources)
        for (fs::path& path : source_inputs(source)) inputs.push_back(std::move(path));
    const std::array<std::pair<const char*, const fs::path*>, 4> all{{{"--side-by-side", &o.side_by_side},
                                                                      {"--difference", &o.difference},
                                                                      {"--report", &o.report},
                                                                      {"--csv", &o.csv}}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& [option, path] = all[i];
        if (path->empty()) continue;
        const std::string extension = lower_extension(*path);
        if (i < 2 && extension != ".mp4" && extension != ".mkv")
            throw UsageError(path->string(), option, "is not a kind of video that can be written",
                             "name a .mp4 (H.264) or .mkv (FFV1)");
        check_output_file(*path, inputs);
        for (std::size_t k = 0; k < i; ++k)
            if (!all[k].second->empty() && same_place(*all[k].second, *path))
                throw UsageError(path->string(), option, fmt::format("is also the file of {}", all[k].first),
                                 "name another");
    }
}

void check_videos(const CompareOutputs& o, const Comparison& c) {
    if (!o.side_by_side.empty()) {
        const SideBySide view(c);
        check_video_output(o.side_by_side, video_options(view.width(), view.height(), c.fps));
    }
    if (!o.difference.empty()) check_video_output(o.difference, video_options(c.width, c.height, c.fps));
}

void write_outputs(Comparer& comparer, Comparison& c, const CompareOutputs& o) {
    const double factor = o.amplification > 0 ? o.amplification : fitting_amplification(c.histograms);
    std::unique_ptr<SideBySide> view;
    if (!o.side_by_side.empty()) {
        view = std::make_unique<SideBySide>(c);
        if (view->scale() < 1)
            c.notes.push_back(
                fmt::format("the side-by-side video shows both at {:.3g} times their size", view->scale()));
    }
    auto side_by_side = view ? video(o.side_by_side, view->width(), view->height(), c.fps) : nullptr;
    auto difference = video(o.difference, c.width, c.height, c.fps);

    std::vector<std::size_t> wanted;
    if (!o.report.empty()) wanted = pairs_to_show(c);
    std::vector<ReportPicture> pictures(wanted.size());
    const std::size_t last = wanted.empty() ? 0 : *std::ranges::max_element(wanted);
    const bool videos = side_by_side || difference;
    if (videos || !wanted.empty())
        comparer.show(c, videos ? "writing" : "choosing pictures", [&](std::size_t i, const Image& a, const Image& b) {
            if (side_by_side) side_by_side->write(view->draw(i, a, b));
            if (difference) {
                const bool with_sign = o.difference_mode == DifferenceMode::with_sign;
                difference->write(with_sign ? signed_difference(a, b, factor) : amplified_difference(a, b, factor));
            }
            if (const auto place = std::ranges::find(wanted, i); place != wanted.end())
                pictures[std::size_t(place - wanted.begin())] = {
                    i, thumbnail(a, report_side), thumbnail(b, report_side),
                    thumbnail(amplified_difference(a, b, factor), report_side)};
            return videos || i < last;
        });

    // All of the contents are on disk before the first file gets its name.
    std::unique_ptr<AtomicFile> report, csv;
    if (!o.report.empty()) {
        report = std::make_unique<AtomicFile>(o.report);
        report->write(comparison_report(c, pictures, factor));
    }
    if (!o.csv.empty()) {
        csv = std::make_unique<AtomicFile>(o.csv);
        csv->write(to_csv(c));
    }
    OutputGroup outputs;
    if (side_by_side) outputs.finish(o.side_by_side, [&] { side_by_side->finish(); });
    if (difference) outputs.finish(o.difference, [&] { difference->finish(); });
    if (report) outputs.finish(o.report, [&] { report->commit(); });
    if (csv) outputs.finish(o.csv, [&] { csv->commit(); });
    outputs.keep();
}

} // namespace denoir
