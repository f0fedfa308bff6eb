// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "engine/compare/canvas.h"
#include "engine/media/image.h"
#include "engine/session/sweep_folder.h"

namespace denoir {

/// The picture of a sweep: the first axis down, the second across, a block for each combination of the others, blocks
/// beside and below each other so that the clips are shown as large as `most_width` x `most_height` lets them. With one
/// axis alone every cell is such a block, so that a row of seeds wraps; so it is where rows or columns are more than
/// fit.
class SweepGrid {
public:
    static constexpr int most_width = 3840, most_height = 2160;
    /// `width`, `height`: of the largest clip.
    SweepGrid(const SweepRecord&, int width, int height);

    int width() const { return base_.width; } ///< even, as H.264 wants them
    int height() const { return base_.height; }
    /// A frame of any size, as large as it is shown.
    Image fitted(const Image& frame) const;
    /// A frame from fitted() at the cell's place in `picture`, a copy of image().
    void put(std::size_t cell, const Image& fitted, Image& picture) const;
    /// A few words where the cell's clip would be.
    void say(std::size_t cell, const std::string& words);
    /// "no. 2" of a value with letters that cannot be drawn here: what two of them have in common would be `????`.
    /// Empty for all others.
    static std::string number(const SweepAxis&, std::size_t value);
    /// Without any clip.
    const Image& image() const { return base_; }

private:
    struct Place {
        int x = 0, y = 0;
    };
    /// Sizes of a block at a scale.
    struct Metrics {
        int cell_width, cell_height, line, gap, left, head;
        int block_width, block_height;
    };
    Metrics metrics(double scale) const;
    /// With tables of rows and columns, or with a block for each cell; false where it does not fit.
    bool arrange(bool tables);
    void draw_base();
    void draw_caption(std::size_t cell);
    void write(std::size_t cell, const std::string& words, Colour);

    const SweepRecord& record_;
    int clip_width_, clip_height_;
    bool tables_ = false;
    std::size_t rows_ = 1, columns_ = 1, blocks_ = 1, blocks_across_ = 1;
    std::size_t first_page_axis_ = 0; ///< this and later axes tell blocks apart
    double scale_ = 1;
    Metrics sizes_{};
    std::vector<Place> places_;          ///< of each cell's picture
    std::vector<bool> measured_against_; ///< by any other
    Image base_;
};

} // namespace denoir
