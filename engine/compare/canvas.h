// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/media/image.h"

namespace denoir {

struct Colour {
    std::uint8_t red, green, blue;
};

/// Draws rectangles, smooth lines and text on an Image, for videos that explain something. Positions are in pixels
/// from the upper left corner; whatever lies outside of the image is cut off.
class Canvas {
public:
    explicit Canvas(Image& image) : image_(image) {}

    /// `opacity`: 0 … 1.
    void fill(int x, int y, int width, int height, Colour colour, float opacity = 1);
    void put(const Image& picture, int x, int y);
    /// An antialiased line of `thickness` pixels through the points; a single point becomes a dot.
    void curve(const std::vector<std::pair<float, float>>& points, Colour colour, float thickness);
    /// One line of UTF-8 text, `height` pixels high, with its upper left corner at x, y. Greek and Cyrillic are spelled
    /// in Latin letters; letters of other scripts become `?`.
    void text(int x, int y, std::string_view utf8, int height, Colour colour);
    /// Whether text() leaves it readable: at most one letter in four becomes `?`.
    static bool can_write(std::string_view utf8);
    /// Pixels that text() draws across.
    static int text_width(std::string_view utf8, int height);
    /// `utf8`, with an ellipsis for its middle if it is wider than `width` pixels.
    static std::string shortened(std::string_view utf8, int height, int width);
    /// Both so that they can be told apart, if they differ: where what is left would be the same, each begins shortly
    /// before the first letter that differs.
    static std::array<std::string, 2> shortened_apart(std::string_view a, std::string_view b, int height, int width);

private:
    void blend(int x, int y, Colour colour, float opacity);
    void segment(std::pair<float, float> from, std::pair<float, float> to, float half, std::vector<float>& coverage);
    Image& image_;
};

} // namespace denoir
