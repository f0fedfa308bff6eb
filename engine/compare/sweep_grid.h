// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "engine/compare/canvas.h"
#include "engine/media/image.h"
#include "engine/session/sweep_folder.h"

namespace denoir {

/// The picture of a sweep. Each combination of the third and later axes is a block: a table with the first axis down
/// and the second across. Blocks are arranged so that the clips are as large as `most_width` x `most_height` allows.
/// With a single axis, or if a table would not fit, every cell is a block of its own, so that a long row wraps.
class SweepGrid {
public:
    static constexpr int most_width = 3840, most_height = 2160;
    /// `width`, `height`: pixels of the largest clip.
    SweepGrid(const SweepRecord&, int width, int height);

    int width() const { return base_.width; } ///< even, as H.264 wants them
    int height() const { return base_.height; }
    /// A frame of any size, scaled to the size at which it is shown.
    Image fitted(const Image& frame) const;
    /// Draws a frame from fitted() at the cell's place in `picture`, a copy of image().
    void put(std::size_t cell, const Image& fitted, Image& picture) const;
    /// Writes a few words where the cell's clip would be.
    void say(std::size_t cell, const std::string& words);
    /// What stands for a value whose letters cannot be drawn ("no. 2"), since every such value would be shown as
    /// `????`. Empty for all other values.
    static std::string number(const SweepAxis&, std::size_t value);
    /// The grid with its texts, without any clip.
    const Image& image() const { return base_; }

private:
    struct Place {
        int x = 0, y = 0;
    };
    /// Sizes of a block at a scale, in pixels. `left` and `head` are the room for the names of rows and columns.
    struct Metrics {
        int cell_width, cell_height, line, gap, left, head;
        int block_width, block_height;
    };
    Metrics metrics(double scale) const;
    /// Chooses the arrangement and its scale, with tables or with a block for each cell; false if it does not fit.
    bool arrange(bool tables);
    void draw_base();
    void draw_caption(std::size_t cell);
    void write(std::size_t cell, const std::string& words, Colour);

    const SweepRecord& record_;
    int clip_width_, clip_height_;
    bool tables_ = false;
    std::size_t rows_ = 1, columns_ = 1, blocks_ = 1, blocks_across_ = 1;
    std::size_t first_block_axis_ = 0; ///< this and later axes tell blocks apart
    double scale_ = 1;
    Metrics sizes_{};
    std::vector<Place> places_;          ///< of each cell's clip
    std::vector<bool> measured_against_; ///< whether the cell is the reference of another
    Image base_;
};

} // namespace denoir
