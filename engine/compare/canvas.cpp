// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/canvas.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/core/text.h"

namespace denoir {
namespace {

struct Glyph {
    int code, width, advance, offset;
};
struct Spelling {
    int code;
    const char* letters;
};

#include "engine/compare/glyphs.inc"

/// The pixels of all glyphs, one glyph after the other, each of glyph_height rows; a pixel has a shade of 0 … 15.
const std::vector<std::uint8_t>& glyph_shades() {
    static const std::vector<std::uint8_t> all = [] {
        std::vector<std::uint8_t> v(glyph_pixels);
        uLongf size = glyph_pixels;
        [[maybe_unused]] const int result = uncompress(v.data(), &size, glyph_data, sizeof glyph_data);
        assert(result == Z_OK && size == glyph_pixels);
        return v;
    }();
    return all;
}

template <std::size_t n, class Entry> const Entry* find(const Entry (&all)[n], int code) {
    const auto* const found = std::ranges::lower_bound(all, code, {}, &Entry::code);
    return found != std::end(all) && found->code == code ? found : nullptr;
}

const Glyph& glyph_of(int code) {
    const Glyph* g = find(glyphs, code);
    return g ? *g : *find(glyphs, '?');
}

/// The code points of a text. One without a glyph is replaced by its spelling, where it has one (ß: ss, Ж: Zh); each
/// byte that is not UTF-8 becomes `?`.
std::vector<int> decoded(std::string_view utf8) {
    std::vector<int> codes;
    while (!utf8.empty()) {
        const std::size_t n = utf8_length(utf8);
        int code = n == 0 ? '?' : static_cast<unsigned char>(utf8[0]);
        if (n > 1) {
            code &= (1 << (7 - n)) - 1;
            for (std::size_t i = 1; i < n; ++i) code = code << 6 | (static_cast<unsigned char>(utf8[i]) & 63);
        }
        const Spelling* spelled = find(glyphs, code) ? nullptr : find(spellings, code);
        if (spelled)
            for (const int c : decoded(spelled->letters)) codes.push_back(c);
        else
            codes.push_back(code);
        utf8.remove_prefix(std::max<std::size_t>(n, 1));
    }
    return codes;
}

int width_of(const std::vector<int>& codes, int height) {
    double sum = 0;
    for (const int code : codes) sum += glyph_of(code).advance;
    return static_cast<int>(std::ceil(sum * height / glyph_height));
}

std::string encoded(const std::vector<int>& codes) {
    std::string out;
    for (const int c : codes) append_utf8(out, static_cast<std::uint32_t>(c));
    return out;
}

/// Mean shade, 0 … 1, of the part [x0,x1) x [y0,y1) of a glyph, in the glyph's own pixels.
float shade(const Glyph& g, double x0, double y0, double x1, double y1) {
    const std::uint8_t* shades = glyph_shades().data() + g.offset;
    double sum = 0;
    for (int y = std::max(0, int(y0)); y < std::min<double>(glyph_height, y1); ++y)
        for (int x = std::max(0, int(x0)); x < std::min<double>(g.width, x1); ++x) {
            const double w = std::min<double>(x + 1, x1) - std::max<double>(x, x0),
                         h = std::min<double>(y + 1, y1) - std::max<double>(y, y0);
            sum += w * h * shades[y * g.width + x];
        }
    return float(sum / ((x1 - x0) * (y1 - y0) * 15));
}

} // namespace

void Canvas::blend(int x, int y, Colour colour, float opacity) {
    if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) return;
    std::uint8_t* p = image_.row(y) + 3 * x;
    const std::uint8_t to[] = {colour.red, colour.green, colour.blue};
    for (int c = 0; c < 3; ++c)
        p[c] = static_cast<std::uint8_t>(float(p[c]) + (float(to[c]) - float(p[c])) * opacity + 0.5f);
}

void Canvas::fill(int x, int y, int width, int height, Colour colour, float opacity) {
    for (int j = std::max(0, y); j < std::min(image_.height, y + height); ++j)
        for (int i = std::max(0, x); i < std::min(image_.width, x + width); ++i) blend(i, j, colour, opacity);
}

void Canvas::put(const Image& picture, int x, int y) {
    const int left = std::max(0, x), right = std::min(image_.width, x + picture.width);
    if (left >= right) return;
    for (int j = std::max(0, y); j < std::min(image_.height, y + picture.height); ++j)
        std::copy_n(picture.row(j - y) + 3 * (left - x), 3 * (right - left), image_.row(j) + 3 * left);
}

/// Adds a segment to `coverage`, which has one value (0 … 1) for each pixel of the image: the larger of what was there
/// and the segment's own.
void Canvas::segment(std::pair<float, float> from, std::pair<float, float> to, float half,
                     std::vector<float>& coverage) {
    const float dx = to.first - from.first, dy = to.second - from.second, length = dx * dx + dy * dy;
    const int left = std::max(0, int(std::min(from.first, to.first) - half - 1)),
              right = std::min(image_.width - 1, int(std::max(from.first, to.first) + half + 1)),
              top = std::max(0, int(std::min(from.second, to.second) - half - 1)),
              bottom = std::min(image_.height - 1, int(std::max(from.second, to.second) + half + 1));
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
            const float px = float(x) + 0.5f - from.first, py = float(y) + 0.5f - from.second;
            const float along = length > 0 ? std::clamp((px * dx + py * dy) / length, 0.0f, 1.0f) : 0;
            const float distance = std::hypot(px - along * dx, py - along * dy);
            float& c = coverage[std::size_t(y) * std::size_t(image_.width) + std::size_t(x)];
            c = std::max(c, std::clamp(half + 0.5f - distance, 0.0f, 1.0f));
        }
}

void Canvas::curve(const std::vector<std::pair<float, float>>& points, Colour colour, float thickness) {
    // The segments' coverage is gathered first: blended one by one, they would darken the pixels that two of them cover
    // in part, and every joint would show as a bead.
    std::vector<float> coverage(std::size_t(image_.width) * std::size_t(image_.height));
    if (points.size() == 1) segment(points[0], points[0], thickness, coverage);
    for (std::size_t i = 1; i < points.size(); ++i) segment(points[i - 1], points[i], thickness / 2, coverage);
    for (int y = 0; y < image_.height; ++y)
        for (int x = 0; x < image_.width; ++x)
            if (const float c = coverage[std::size_t(y) * std::size_t(image_.width) + std::size_t(x)]; c > 0)
                blend(x, y, colour, c);
}

void Canvas::text(int x, int y, std::string_view utf8, int height, Colour colour) {
    const double scale = double(glyph_height) / height; // glyph pixels per pixel of the image
    double pen = 0;
    for (const int code : decoded(utf8)) {
        const Glyph& g = glyph_of(code);
        const int first = int(std::floor(pen)), last = int(std::ceil(pen + g.width / scale));
        for (int j = 0; j < height; ++j)
            for (int i = first; i <= last; ++i) {
                const float s = shade(g, (i - pen) * scale, j * scale, (i + 1 - pen) * scale, (j + 1) * scale);
                if (s > 0) blend(x + i, y + j, colour, s);
            }
        pen += g.advance / scale;
    }
}

bool Canvas::can_write(std::string_view utf8) {
    const std::vector<int> codes = decoded(utf8);
    return 4 * std::ranges::count_if(codes, [](int code) { return !find(glyphs, code); }) <= std::ssize(codes);
}

int Canvas::text_width(std::string_view utf8, int height) { return width_of(decoded(utf8), height); }

static constexpr int ellipsis = 0x2026;

std::string Canvas::shortened(std::string_view utf8, int height, int width) {
    std::vector<int> codes = decoded(utf8);
    if (width_of(codes, height) <= width) return std::string(utf8);
    // The end of a path tells more than its beginning.
    std::size_t cut = codes.size() / 3;
    codes.insert(codes.begin() + std::ptrdiff_t(cut), ellipsis);
    while (codes.size() > 1 && width_of(codes, height) > width) {
        const bool before = cut > 0 && cut * 2 > codes.size() - cut;
        codes.erase(codes.begin() + std::ptrdiff_t(before || cut + 1 == codes.size() ? --cut : cut + 1));
    }
    return encoded(codes);
}

std::array<std::string, 2> Canvas::shortened_apart(std::string_view a, std::string_view b, int height, int width) {
    std::array<std::string, 2> both{shortened(a, height, width), shortened(b, height, width)};
    if (both[0] != both[1] || a == b) return both;
    const std::vector<int> codes[] = {decoded(a), decoded(b)};
    constexpr std::ptrdiff_t lead = 4; // letters that both have
    const auto differs = std::ranges::mismatch(codes[0], codes[1]).in1 - codes[0].begin();
    for (std::size_t i = 0; i < 2; ++i) {
        std::vector<int> left(codes[i].begin() + std::max<std::ptrdiff_t>(0, differs - lead), codes[i].end());
        if (differs > lead) left.insert(left.begin(), ellipsis);
        if (width_of(left, height) > width) {
            left.push_back(ellipsis);
            while (left.size() > 1 && width_of(left, height) > width) left.erase(left.end() - 2);
        }
        both[i] = encoded(left);
    }
    return both;
}

} // namespace denoir
