// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/sweep_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/compare/sweep_grid.h"
#include "engine/compare/sweep_report.h"
#include "engine/core/atomic_file.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr int crf = 16; ///< a view of the clips, not their source

/// One cell's video, read frame by frame as a common clock asks.
class CellClip {
public:
    explicit CellClip(const fs::path& run) : reader_(run / run_file::video) {
        const RunRecord record = RunFolder::open(run).record();
        fps_ = record.request.fps.value_or(24);
        frames_ = record.request.frames.value_or(1);
    }
    int width() const { return reader_.info().width; }
    int height() const { return reader_.info().height; }
    double fps() const { return fps_; }
    double seconds() const { return frames_ / fps_; }
    /// The frame shown at that time; true where it is another than before. After the end the last one stays.
    bool advance(double seconds) {
        const auto wanted = std::int64_t(seconds * fps_ + 1e-6);
        bool changed = false;
        while (shown_ < wanted && !ended_) {
            if (reader_.read(next_)) {
                std::swap(frame_, next_);
                ++shown_;
                changed = true;
            } else {
                ended_ = true;
            }
        }
        return changed;
    }
    const Image& frame() const { return frame_; }

private:
    VideoReader reader_;
    Image frame_, next_;
    double fps_ = 24;
    int frames_ = 1;
    std::int64_t shown_ = -1;
    bool ended_ = false;
};

struct Clips {
    std::vector<std::unique_ptr<CellClip>> of_cell; ///< null: not done, its video is gone or damaged
    int width = 0, height = 0;                      ///< of the largest
    double fps = 0, seconds = 0;

    explicit Clips(const SweepRecord& record) : of_cell(record.cells.size()) {
        for (std::size_t i = 0; i < record.cells.size(); ++i) {
            if (record.cells[i].state != SweepCell::State::done) continue;
            try {
                of_cell[i] = std::make_unique<CellClip>(record.cells[i].run);
            } catch (const Error&) { // moved or removed since: the grid shows what there is
                continue;
            }
            width = std::max(width, of_cell[i]->width());
            height = std::max(height, of_cell[i]->height());
            fps = std::max(fps, of_cell[i]->fps());
            seconds = std::max(seconds, of_cell[i]->seconds());
        }
    }
    /// True where this cell shows another frame now. A clip that turns out damaged keeps the last one that was whole.
    bool advance(std::size_t cell, double moment) {
        try {
            return of_cell[cell] && of_cell[cell]->advance(moment);
        } catch (const Error&) {
            of_cell[cell].reset();
            return false;
        }
    }
};

/// Draws every moment of the grid, and hands out the one in the middle; nothing where there is no clip.
Image play(const SweepRecord& record, const fs::path& video, const WorkCall& progress, const std::stop_token& stop) {
    Clips clips(record);
    if (clips.fps == 0) return {};
    SweepGrid grid(record, clips.width, clips.height);
    std::unique_ptr<VideoWriter> writer;
    if (!video.empty()) {
        VideoOptions options;
        options.width = grid.width();
        options.height = grid.height();
        options.fps = frame_rate(clips.fps);
        options.crf = crf;
        writer = std::make_unique<VideoWriter>(video, options);
    }
    const auto frames = std::max<std::int64_t>(1, std::llround(clips.seconds * clips.fps)), middle = frames / 2;
    const std::int64_t shown = writer ? frames : middle + 1;
    Image picture;
    for (std::int64_t i = 0; i < shown; ++i) {
        if (stop.stop_requested()) throw Cancelled();
        for (std::size_t cell = 0; cell < clips.of_cell.size(); ++cell)
            if (clips.advance(cell, double(i) / clips.fps)) grid.put(cell, clips.of_cell[cell]->frame());
        if (i == middle) picture = grid.image();
        if (writer) writer->write(grid.image());
        progress("drawing the grid", double(i + 1), double(shown));
    }
    if (writer) writer->finish();
    return picture;
}

std::string csv_field(std::string text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

} // namespace

SweepOutputs usual_outputs(const fs::path& folder) {
    return {folder / SweepFolder::grid_video, folder / SweepFolder::grid_picture, folder / SweepFolder::report,
            folder / SweepFolder::csv};
}

std::string to_csv(const SweepRecord& record) {
    std::string out = "cell";
    for (const SweepAxis& axis : record.sweep.axes) out += fmt::format(",{}", csv_field(printable(axis.field, 200)));
    out += ",state,seconds,reference,psnr,ssim,run\n";
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        const SweepCell& c = record.cells[i];
        out += std::to_string(i);
        const std::vector<std::size_t> at = record.sweep.place(i);
        for (std::size_t a = 0; a < at.size(); ++a)
            out += fmt::format(",{}", csv_field(value_text(record.sweep.axes[a], at[a], 1000)));
        out += fmt::format(",{},{:.3f}", name(c.state), c.seconds);
        const auto& f = c.figures;
        const bool measured = f && f->measured();
        out += f ? fmt::format(",{}", f->reference) : ",";
        out += !measured ? "," : f->psnr ? fmt::format(",{:.4f}", *f->psnr) : ",inf";
        out += measured && f->ssim ? fmt::format(",{:.6f}", *f->ssim) : ",";
        out += fmt::format(",{}\n", csv_field(printable(c.run.string(), 4096)));
    }
    return out;
}

void write_outputs(const SweepRecord& record, const SweepOutputs& outputs, const WorkCall& progress,
                   std::stop_token stop) {
    Image picture;
    if (!outputs.video.empty() || !outputs.picture.empty() || !outputs.report.empty())
        picture = play(record, outputs.video, progress, stop);
    if (picture.rgb.empty() && (!outputs.video.empty() || !outputs.picture.empty()))
        throw Error("", "sweep", "has no finished clip to show", "render it first");
    if (!outputs.picture.empty()) write_png(outputs.picture, picture);
    if (!outputs.report.empty()) write_file(outputs.report, sweep_report(record, picture));
    if (!outputs.csv.empty()) write_file(outputs.csv, to_csv(record));
}

} // namespace denoir
