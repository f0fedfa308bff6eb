// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/sweep_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "engine/compare/report_parts.h"
#include "engine/compare/sweep_grid.h"
#include "engine/compare/sweep_report.h"
#include "engine/core/atomic_file.h"
#include "engine/media/indexed_video.h"
#include "engine/media/video_writer.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr int crf = 16; ///< enough to look at the clips; nobody measures this video

/// One cell's video. It is opened anew for every few moments of the grid: a decoder for each cell of a large sweep
/// would take gigabytes.
class CellClip {
public:
    CellClip(const SweepCell& cell, const std::stop_token& stop) : path_(cell.run / run_file::video) {
        const Request request = RunFolder::open(cell.run).record().request;
        fps_ = request.fps.value_or(24);
        seconds_ = request.frames.value_or(1) / fps_;
        const IndexedVideo video(path_, {}, stop);
        width_ = video.info().width;
        height_ = video.info().height;
        frames_ = video.frames();
    }
    int width() const { return width_; }
    int height() const { return height_; }
    double fps() const { return fps_; }
    double seconds() const { return seconds_; }
    /// Draws the frame that is shown at each of these moments (seconds, ascending) into that moment's picture, unless
    /// all show the frame of the moment before. After the clip's end its last frame stays. A damaged clip keeps its
    /// last whole frame; Error is thrown once for it, after drawing.
    void draw(std::size_t cell, const std::vector<double>& moments, const SweepGrid& grid, std::vector<Image>& pictures,
              const std::stop_token& stop) {
        if (damaged_ || frame_at(moments.back()) == shown_) return;
        IndexedVideo video(path_, {}, stop);
        Image frame, fitted;
        std::optional<Error> error;
        for (std::size_t i = 0; i < moments.size(); ++i) {
            const int wanted = frame_at(moments[i]);
            if (!error && wanted != shown_) {
                try {
                    video.read(std::min(wanted, video.frames() - 1), frame);
                    fitted = grid.fitted(frame);
                    shown_ = wanted;
                } catch (const Error& e) {
                    error = e;
                }
            }
            if (!fitted.rgb.empty()) grid.put(cell, fitted, pictures[i]);
        }
        damaged_ = error.has_value();
        if (error) throw Error(*error);
    }

private:
    int frame_at(double seconds) const {
        return int(std::min<std::int64_t>(std::int64_t(seconds * fps_ + 1e-6), frames_ - 1));
    }

    fs::path path_;
    double fps_ = 24, seconds_ = 0;
    int width_ = 0, height_ = 0, frames_ = 0;
    int shown_ = -1;
    bool damaged_ = false;
};

struct Clips {
    std::vector<std::unique_ptr<CellClip>> of_cell; ///< null: not done, or its video is gone or damaged
    std::vector<std::optional<Error>> trouble;      ///< of each cell: why its video is not shown to its end
    int width = 0, height = 0;                      ///< the largest of all
    double fps = 0, seconds = 0;                    ///< likewise

    Clips(const SweepRecord& record, const std::stop_token& stop)
        : of_cell(record.cells.size()), trouble(record.cells.size()) {
        for (std::size_t i = 0; i < record.cells.size(); ++i) {
            if (record.cells[i].state != SweepCell::State::done) continue;
            if (stop.stop_requested()) throw Cancelled();
            try {
                of_cell[i] = std::make_unique<CellClip>(record.cells[i], stop);
            } catch (const Error& e) { // moved or removed since: the grid shows what there is
                trouble[i] = e;
                continue;
            }
            width = std::max(width, of_cell[i]->width());
            height = std::max(height, of_cell[i]->height());
            fps = std::max(fps, of_cell[i]->fps());
            seconds = std::max(seconds, of_cell[i]->seconds());
        }
    }
    void draw(std::size_t cell, const std::vector<double>& moments, const SweepGrid& grid, std::vector<Image>& pictures,
              const std::stop_token& stop) {
        try {
            if (of_cell[cell]) of_cell[cell]->draw(cell, moments, grid, pictures, stop);
        } catch (const Error& e) {
            trouble[cell] = e;
        }
    }
    std::vector<std::string> notes() const {
        std::vector<std::string> out;
        for (const auto& error : trouble)
            if (error) out.push_back(fmt::format("the grid does not show this clip whole: {}", error->what()));
        return out;
    }
};

/// Writes the grid's video, if it is wanted, and returns the picture in its middle; an empty image if there is no clip.
Image play(const SweepRecord& record, const SweepOutputs& outputs, const WorkCall& progress,
           const std::stop_token& stop, std::vector<std::string>& notes) {
    Clips clips(record, stop);
    notes = clips.notes();
    if (clips.fps == 0) return {};
    SweepGrid grid(record, clips.width, clips.height);
    for (std::size_t cell = 0; cell < clips.trouble.size(); ++cell)
        if (clips.trouble[cell]) grid.say(cell, "cannot be read");
    std::unique_ptr<VideoWriter> writer;
    if (!outputs.video.empty()) {
        VideoOptions options;
        options.width = grid.width();
        options.height = grid.height();
        options.fps = frame_rate(clips.fps);
        options.crf = crf;
        writer = std::make_unique<VideoWriter>(outputs.video, options);
    }
    const auto frames = std::max<std::int64_t>(1, std::llround(clips.seconds * clips.fps)), middle = frames / 2;
    const std::int64_t begin = writer ? 0 : middle, end = writer ? frames : middle + 1;
    const auto at_once = std::int64_t(std::max<std::size_t>(1, outputs.memory / grid.image().rgb.size()));
    const std::size_t cells = clips.of_cell.size();
    Image last = grid.image(), picture;
    for (std::int64_t first = begin; first < end; first += at_once) {
        std::vector<double> moments;
        for (std::int64_t i = first; i < std::min(end, first + at_once); ++i) moments.push_back(double(i) / clips.fps);
        // Reading the clips is taken as half of the work, writing the grid as the other half.
        const auto tell = [&](double share) {
            if (stop.stop_requested()) throw Cancelled();
            progress("drawing the grid", double(first - begin) + share * double(moments.size()), double(end - begin));
        };
        std::vector<Image> pictures(moments.size(), last);
        for (std::size_t cell = 0; cell < cells; ++cell) {
            clips.draw(cell, moments, grid, pictures, stop);
            tell(0.5 * double(cell + 1) / double(cells));
        }
        for (std::size_t i = 0; i < pictures.size(); ++i) {
            if (writer) writer->write(pictures[i]);
            tell(0.5 + 0.5 * double(i + 1) / double(pictures.size()));
        }
        if (middle >= first && middle < first + at_once) picture = pictures[std::size_t(middle - first)];
        last = std::move(pictures.back());
    }
    if (writer) writer->finish();
    notes = clips.notes();
    return picture;
}

} // namespace

SweepOutputs usual_outputs(const fs::path& folder) {
    return {folder / SweepFolder::grid_video, folder / SweepFolder::grid_picture, folder / SweepFolder::report,
            folder / SweepFolder::csv};
}

std::string to_csv(const SweepRecord& record) {
    std::string out = "cell";
    for (const SweepAxis& axis : record.sweep.axes)
        out += fmt::format(",{}", report::csv_field(printable(axis.field, 200)));
    out += ",state,seconds,reference,psnr,ssim,run\n";
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        const SweepCell& c = record.cells[i];
        out += std::to_string(i);
        const std::vector<std::size_t> at = record.sweep.place(i);
        for (std::size_t a = 0; a < at.size(); ++a)
            out += fmt::format(",{}", report::csv_field(value_text(record.sweep.axes[a], at[a], 1000)));
        out += fmt::format(",{},{:.3f}", name(c.state), c.seconds);
        const auto& f = c.figures;
        const bool measured = f && f->measured();
        out += f ? fmt::format(",{}", f->reference) : ",";
        out += !measured ? "," : f->psnr ? fmt::format(",{:.4f}", *f->psnr) : ",inf";
        out += measured && f->ssim ? fmt::format(",{:.6f}", *f->ssim) : ",";
        out += fmt::format(",{}\n", report::csv_field(printable(c.run.string(), 4096)));
    }
    return out;
}

std::vector<std::string> write_outputs(const SweepRecord& record, const SweepOutputs& outputs, const WorkCall& progress,
                                       std::stop_token stop) {
    std::vector<std::string> notes;
    Image picture;
    if (!outputs.video.empty() || !outputs.picture.empty() || !outputs.report.empty())
        picture = play(record, outputs, progress, stop, notes);
    if (picture.rgb.empty() && (!outputs.video.empty() || !outputs.picture.empty()))
        throw Error("", "sweep", "has no finished clip to show", "render it first");
    if (!outputs.picture.empty()) write_png(outputs.picture, picture);
    if (!outputs.report.empty()) write_file(outputs.report, sweep_report(record, picture));
    if (!outputs.csv.empty()) write_file(outputs.csv, to_csv(record));
    return notes;
}

} // namespace denoir
