// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/compare/comparison.h"

namespace denoir {

class Canvas;

/// Draws a picture for each pair of a comparison: A and B side by side with their names, and below them the curves of
/// PSNR and SSIM (or of the mean difference, if there is no SSIM) with the figures of this pair. If their sizes differ,
/// the one that was scaled keeps its shape; the names say the sizes, and the curves which one it was.
class SideBySide {
public:
    explicit SideBySide(const Comparison&); ///< keeps a reference to it
    /// Pixels; even, as H.264 wants them.
    int width() const { return base_.width; }
    int height() const { return base_.height; }
    /// Below 1 if the two would be wider together, or higher, than a video may be.
    double scale() const { return scale_; }
    /// The picture is valid until the next call.
    const Image& draw(std::size_t pair, const Image& a, const Image& b);

private:
    /// One of the two plots under the pictures.
    struct Plot {
        int x = 0, y = 0, width = 0, height = 0;
        std::string title;
        std::vector<double> values; ///< infinite: an equal pair, drawn above the axis
        double low = 0, high = 1;
        bool equal = false, numbers = false; ///< whether any pair is equal; whether any value is finite
        int digits = 2;
        const char* unit = "";
        float at(std::size_t i) const;   ///< x of a pair
        float level(double value) const; ///< y of a value
    };
    Plot plot(std::string title, std::vector<double> values, double most, int digits, const char* unit) const;
    void draw_base();
    void draw_plot(Plot&);
    void draw_value(Canvas&, const Plot&, std::size_t pair) const;

    /// Where the picture of a side is drawn.
    struct Place {
        int x = 0, y = 0, width = 0, height = 0;
    };
    void place_pictures();

    const Comparison& comparison_;
    double scale_;
    int picture_width_, picture_height_, line_, margin_, left_[2], top_;
    Place places_[2];
    Plot plots_[2];
    Image base_, image_;
};

} // namespace denoir
