// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/compare/comparison.h"

namespace denoir {

class Canvas;

/// A picture of a comparison for each pair: A and B beside each other with their names, under them the curves of PSNR
/// and SSIM (where there is no SSIM: of the mean difference) with the figures of this pair.
class SideBySide {
public:
    explicit SideBySide(const Comparison&);
    /// Even, as H.264 wants them.
    int width() const { return base_.width; }
    int height() const { return base_.height; }
    /// Below 1 where the two would be wider together, or higher, than a video may be.
    double scale() const { return scale_; }
    /// Valid until the next call.
    const Image& draw(std::size_t pair, const Image& a, const Image& b);

private:
    /// One of the two plots under the pictures.
    struct Plot {
        int x = 0, y = 0, width = 0, height = 0;
        std::string title;
        std::vector<double> values; ///< infinite: equal, above the axis
        double low = 0, high = 1;
        bool equal = false, numbers = false; ///< whether there are any
        int digits = 2;
        const char* unit = "";
        float at(std::size_t i) const; ///< across
        float level(double value) const;
    };
    Plot plot(std::string title, std::vector<double> values, double most, int digits, const char* unit) const;
    void draw_base();
    void draw_plot(Plot&);
    void draw_value(Canvas&, const Plot&, std::size_t pair) const;

    const Comparison& comparison_;
    double scale_;
    int picture_width_, picture_height_, line_, margin_, left_[2], top_;
    Plot plots_[2];
    Image base_, image_;
};

} // namespace denoir
