// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/sweep_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/compare/canvas.h"
#include "engine/media/resize.h"
#include "engine/media/video_writer.h"

namespace denoir {
namespace {

constexpr Colour ground{20, 22, 26}, panel{31, 34, 40}, ink{236, 238, 242}, faint{150, 156, 168}, bad{255, 120, 110};
constexpr int least_side = 24; ///< of a clip in the grid

/// Height of the text about a single clip, where other lines are `line` high.
int small(int line) { return std::max(10, line * 3 / 4); }

std::string shown(const SweepAxis& axis, std::size_t value, std::size_t longest) {
    const std::string number = SweepGrid::number(axis, value);
    return number.empty() ? value_text(axis, value, longest) : number;
}

/// "seed 7 · shift 3"
std::string label(const Sweep& sweep, std::size_t cell, std::span<const std::size_t> of) {
    std::string out;
    const std::vector<std::size_t> at = sweep.place(cell);
    for (const std::size_t i : of)
        out += fmt::format("{}{} {}", out.empty() ? "" : " · ", axis_title(sweep.axes[i].field),
                           shown(sweep.axes[i], at[i], 60));
    return out;
}

} // namespace

std::string SweepGrid::number(const SweepAxis& axis, std::size_t value) {
    return Canvas::can_write(value_text(axis, value, 60)) ? "" : fmt::format("no. {}", value + 1);
}

SweepGrid::SweepGrid(const SweepRecord& record, int width, int height)
    : record_(record), clip_width_(std::max(1, width)), clip_height_(std::max(1, height)) {
    measured_against_.resize(record.sweep.size());
    for (std::size_t cell = 0; cell < record.sweep.size(); ++cell)
        if (const auto reference = record.sweep.reference_of(cell)) measured_against_[*reference] = true;
    if (record.sweep.axes.size() < 2 || !arrange(true)) arrange(false);
    draw_base();
}

SweepGrid::Metrics SweepGrid::metrics(double scale) const {
    Metrics m{};
    m.cell_width = std::max(least_side, int(std::lround(clip_width_ * scale)));
    m.cell_height = std::max(least_side, int(std::lround(clip_height_ * scale)));
    m.line = std::clamp(m.cell_height / 9, 13, 40);
    m.gap = std::max(4, m.line / 2);
    const std::vector<SweepAxis>& axes = record_.sweep.axes;
    if (tables_) {
        for (std::size_t i = 0; i < rows_; ++i)
            m.left = std::max(m.left, Canvas::text_width(shown(axes[0], i, 24), m.line));
        m.left =
            std::min(std::max(m.left, Canvas::text_width(axis_title(axes[0].field), m.line)), m.cell_width) + m.gap;
    }
    const bool names_blocks = axes.size() > first_block_axis_;
    m.head = (names_blocks ? m.line + m.gap : 0) + (tables_ ? m.line + m.gap : 0);
    m.block_width = m.left + int(columns_) * (m.cell_width + m.gap);
    m.block_height = m.head + int(rows_) * (m.cell_height + m.line + m.gap);
    return m;
}

bool SweepGrid::arrange(bool tables) {
    const std::vector<SweepAxis>& axes = record_.sweep.axes;
    tables_ = tables;
    rows_ = tables ? axes[0].values.size() : 1;
    columns_ = tables ? axes[1].values.size() : 1;
    first_block_axis_ = tables ? 2 : 0;
    blocks_ = record_.sweep.size() / (rows_ * columns_);
    // The largest scale that fits is searched for, since text stops shrinking with the clips at some size.
    double best = -1;
    for (std::size_t across = 1; across <= blocks_; ++across) {
        const std::size_t down = (blocks_ + across - 1) / across;
        const auto fits = [&](double scale) {
            const Metrics m = metrics(scale);
            return double(across) * (m.block_width + m.gap) + m.gap <= most_width &&
                   double(down) * (m.block_height + m.gap) + m.gap <= most_height;
        };
        double low = 0, high = 1;
        if (fits(1))
            low = 1;
        else
            for (int i = 0; i < 20; ++i) (fits((low + high) / 2) ? low : high) = (low + high) / 2;
        // Among equally large ones, the one whose shape is nearest to a screen's is chosen.
        const Metrics m = metrics(low);
        const double shape = double(across) * m.block_width / (double(down) * m.block_height);
        const double worth = low - 1e-3 * std::abs(std::log(shape / (16.0 / 9)));
        if (worth <= best && across > 1) continue;
        best = worth;
        blocks_across_ = across;
        scale_ = low;
    }
    sizes_ = metrics(scale_);
    return scale_ > 0;
}

void SweepGrid::draw_base() {
    const Metrics& m = sizes_;
    const std::size_t down = (blocks_ + blocks_across_ - 1) / blocks_across_;
    base_ = Image(even_side(m.gap + int(blocks_across_) * (m.block_width + m.gap)),
                  even_side(m.gap + int(down) * (m.block_height + m.gap)));
    Canvas canvas(base_);
    canvas.fill(0, 0, base_.width, base_.height, ground);
    const Sweep& sweep = record_.sweep;
    const std::vector<SweepAxis>& axes = sweep.axes;
    places_.resize(sweep.size());
    std::vector<std::size_t> block_axes;
    for (std::size_t a = first_block_axis_; a < axes.size(); ++a) block_axes.push_back(a);
    const std::size_t per_row = tables_ ? columns_ * blocks_ : blocks_;
    for (std::size_t cell = 0; cell < sweep.size(); ++cell) {
        const std::size_t row = tables_ ? cell / per_row : 0, column = tables_ ? cell / blocks_ % columns_ : 0,
                          block = cell % blocks_;
        const int x0 = m.gap + int(block % blocks_across_) * (m.block_width + m.gap),
                  y0 = m.gap + int(block / blocks_across_) * (m.block_height + m.gap);
        const int x = x0 + m.left + int(column) * (m.cell_width + m.gap),
                  y = y0 + m.head + int(row) * (m.cell_height + m.line + m.gap);
        places_[cell] = {x, y};
        if (row == 0 && column == 0) {
            canvas.text(x0 + m.left, y0,
                        Canvas::shortened(label(sweep, cell, block_axes), m.line, m.block_width - m.left), m.line, ink);
            if (tables_)
                canvas.text(x0, y0 + m.head - m.line - m.gap,
                            Canvas::shortened(axis_title(axes[0].field), m.line, m.left - m.gap), m.line, faint);
        }
        if (tables_ && row == 0) {
            const std::string head =
                (column == 0 ? axis_title(axes[1].field) + " " : std::string()) + shown(axes[1], column, 60);
            canvas.text(x, y0 + m.head - m.line - m.gap, Canvas::shortened(head, m.line, m.cell_width), m.line, ink);
        }
        if (tables_ && column == 0)
            canvas.text(x0, y + (m.cell_height - m.line) / 2,
                        Canvas::shortened(shown(axes[0], row, 60), m.line, m.left - m.gap), m.line, ink);
        canvas.fill(x, y, m.cell_width, m.cell_height, panel);
        draw_caption(cell);
    }
}

void SweepGrid::draw_caption(std::size_t index) {
    const Metrics& m = sizes_;
    const auto [x, y] = places_[index];
    const SweepCell& cell = record_.cells[index];
    if (cell.state != SweepCell::State::done) {
        const bool failed = cell.state == SweepCell::State::failed;
        const std::string text = failed && cell.error ? cell.error->message() : std::string(name(cell.state));
        write(index, text, failed ? bad : faint);
        return;
    }
    std::string text;
    if (cell.figures && cell.figures->measured())
        text = cell.figures->psnr ? fmt::format("{:.1f} dB · ", *cell.figures->psnr) : std::string("equal · ");
    else if (measured_against_[index])
        text = "reference · ";
    if (cell.reused && cell.seconds == 0) // a sweep by an earlier version did not record the time of reused runs
        text += "was there";
    else
        text += fmt::format("{:.{}f} s", cell.seconds, cell.seconds < 100 ? 1 : 0);
    const int height = small(m.line);
    Canvas(base_).text(x, y + m.cell_height + m.gap / 4, Canvas::shortened(text, height, m.cell_width), height, faint);
}

void SweepGrid::write(std::size_t cell, const std::string& words, Colour colour) {
    const Metrics& m = sizes_;
    const auto [x, y] = places_[cell];
    const int height = small(m.line);
    Canvas(base_).text(x + m.gap, y + m.cell_height / 2, Canvas::shortened(words, height, m.cell_width - 2 * m.gap),
                       height, colour);
}

void SweepGrid::say(std::size_t cell, const std::string& words) { write(cell, words, bad); }

Image SweepGrid::fitted(const Image& frame) const {
    const Metrics& m = sizes_;
    // Clips of different sizes are shown in proportion.
    const double factor = std::min({scale_, double(m.cell_width) / frame.width, double(m.cell_height) / frame.height});
    const int width = std::max(1, int(std::lround(frame.width * factor))),
              height = std::max(1, int(std::lround(frame.height * factor)));
    return width == frame.width && height == frame.height ? frame : resize_pil(frame, width, height, Filter::box);
}

void SweepGrid::put(std::size_t cell, const Image& fitted, Image& picture) const {
    const auto [x, y] = places_[cell];
    Canvas(picture).put(fitted, x + (sizes_.cell_width - fitted.width) / 2,
                        y + (sizes_.cell_height - fitted.height) / 2);
}

} // namespace denoir
