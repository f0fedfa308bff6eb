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

/// Drawing on an Image, for videos that explain: rectangles, smooth lines, text. What lies outside is cut off.
class Canvas {
public:
    explicit Canvas(Image& image) : image_(image) {}

    void fill(int x, int y, int width, int height, Colour colour, float opacity = 1);
    void put(const Image& picture, int x, int y);
    /// Through the points, `thickness` pixels wide, antialiased.
    void curve(const std::vector<std::pair<float, float>>& points, Colour colour, float thickness);
    /// UTF-8 with its upper left corner at x, y; `height` in pixels of a line. Greek and Cyrillic are spelled in
    /// Latin letters; others that are not Latin become `?`.
    void text(int x, int y, std::string_view utf8, int height, Colour colour);
    /// Whether it stays readable: no more than one of four letters becomes `?`.
    static bool can_write(std::string_view utf8);
    static int text_width(std::string_view utf8, int height);
    /// `utf8`, cut in the middle with an ellipsis where it is wider than `width`.
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
