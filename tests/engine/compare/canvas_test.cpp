// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/canvas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "engine/compare/difference.h"
#include "engine/compare/side_by_side.h"

namespace denoir {
namespace {

int lit(const Image& image) {
    return int(std::count_if(image.rgb.begin(), image.rgb.end(), [](std::uint8_t v) { return v > 60; }));
}

TEST(Canvas, DrawsNothingOutside) {
    Image image(20, 10);
    Canvas canvas(image);
    canvas.fill(-5, -5, 100, 100, {1, 2, 3});
    EXPECT_EQ(image.row(9)[3 * 19 + 2], 3);
    canvas.put(Image(8, 8), 16, -4);
    canvas.put(Image(8, 8), 40, 40);
    canvas.curve({{-10, -10}, {50, 50}}, {255, 255, 255}, 2);
    canvas.text(-6, -3, "Wide text that leaves the picture", 14, {255, 255, 255});
    EXPECT_GT(lit(image), 0);
}

TEST(Canvas, TextHasItsWidth) {
    Image image(300, 40);
    Canvas(image).text(5, 5, "PSNR 36.61 dB – Größe", 24, {255, 255, 255});
    const int width = Canvas::text_width("PSNR 36.61 dB – Größe", 24);
    int last = 0;
    for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 300; ++x)
            if (image.row(y)[3 * x] > 60) last = std::max(last, x);
    EXPECT_NEAR(last, 5 + width, 4);
    EXPECT_EQ(Canvas::text_width("", 24), 0);
    EXPECT_EQ(Canvas::text_width("视\xff", 24), Canvas::text_width("??", 24));
}

/// A picture with only this letter.
Image drawn(std::string_view letter) {
    Image image(40, 40);
    Canvas(image).text(5, 2, letter, 36, {255, 255, 255});
    return image;
}

TEST(Canvas, LettersBeyondAscii) {
    const Image none = drawn("\u00ac"); // a character that the font lacks
    EXPECT_EQ(none.rgb, drawn("?").rgb);
    for (const char* letter : {"ä", "Ö", "é", "ç", "ñ", "ř", "ő", "í", "Å"}) {
        EXPECT_TRUE(Canvas::can_write(letter)) << letter;
        EXPECT_NE(drawn(letter).rgb, none.rgb) << letter;
    }
    EXPECT_NE(drawn("ä").rgb, drawn("a").rgb);
    EXPECT_NE(drawn("ä").rgb, drawn("â").rgb);
    for (const auto& [text, spelled] : {std::pair{"Größe", "Grösse"},
                                        {"Łódź", "Lódź"},
                                        {"Жанна", "Zhanna"},
                                        {"Ωμέγα", "Omega"},
                                        {"“½” – x", "\"1/2\" - x"}})
        EXPECT_EQ(Canvas::text_width(text, 24), Canvas::text_width(spelled, 24)) << text;
    EXPECT_TRUE(Canvas::can_write("Вечер на рейде.mp4"));
    EXPECT_FALSE(Canvas::can_write("視頻の名前.mp4"));
}

TEST(Canvas, LongNamesAreCutInTheMiddle) {
    const std::string name = "a very long name of a video that fits nowhere, with its number 0042.mp4";
    const std::string cut = Canvas::shortened(name, 20, 200);
    EXPECT_LE(Canvas::text_width(cut, 20), 200);
    EXPECT_NE(cut.find("…"), std::string::npos);
    EXPECT_TRUE(cut.starts_with("a ver"));
    EXPECT_TRUE(cut.ends_with(".mp4"));
    EXPECT_EQ(Canvas::shortened("short", 20, 200), "short");
    EXPECT_LE(Canvas::text_width(Canvas::shortened(name, 20, 5), 20), 30); // nearly no room
}

/// Run folders are named by their time, seed and prompt.
TEST(Canvas, LongNamesStayTwo) {
    const std::string a = "20261130-161732-8-a-red-balloon-rises-over-the-sea",
                      b = "20261130-161730-7-a-red-balloon-rises-over-the-sea", other = "a-clip.mp4";
    ASSERT_EQ(Canvas::shortened(a, 20, 250), Canvas::shortened(b, 20, 250));
    const auto [first, second] = Canvas::shortened_apart(a, b, 20, 250);
    EXPECT_TRUE(first.starts_with("…61732-8-a-red")) << first;
    EXPECT_TRUE(second.starts_with("…61730-7-a-red")) << second;
    for (const std::string& name : {first, second}) {
        EXPECT_TRUE(name.ends_with("…"));
        EXPECT_LE(Canvas::text_width(name, 20), 250);
    }
    // Names that differ at their ends stay different, too. A name that differs already, or stands alone, is shortened
    // as usual.
    const auto [end, end_of_other] = Canvas::shortened_apart(a + "-1/video.mp4", a + "-2/video.mp4", 20, 150);
    EXPECT_TRUE(end.starts_with("…sea-1/")) << end;
    EXPECT_TRUE(end_of_other.starts_with("…sea-2/")) << end_of_other;
    EXPECT_EQ(Canvas::shortened_apart(a, other, 20, 250)[0], Canvas::shortened(a, 20, 250));
    EXPECT_EQ(Canvas::shortened_apart(a, a, 20, 250)[1], Canvas::shortened(a, 20, 250));
    EXPECT_LE(Canvas::text_width(Canvas::shortened_apart(a, b, 20, 5)[0], 20), 30); // nearly no room
}

/// How high the curve stands in this column, counted from the bottom.
int curve_at(const Image& image, int x) {
    for (int y = image.height; y-- > 0;)
        if (const std::uint8_t* p = image.row(y) + 3 * x; p[1] > p[0] + 60 && p[1] > p[2] + 20) return image.height - y;
    return -1;
}

TEST(SideBySide, EqualFramesStandAboveEveryNumber) {
    Comparison c;
    c.width = 320;
    c.height = 480;
    for (const auto& psnr : {std::optional(31.0), {}, {30.0}, {31.0}}) {
        metrics::FrameMetrics m;
        m.psnr = psnr;
        m.difference.mean = psnr ? 0.5 : 0;
        c.frames.push_back({{std::int64_t(c.frames.size()), std::int64_t(c.frames.size())}, m});
    }
    SideBySide video(c);
    const Image& image = video.draw(2, Image(320, 480), Image(320, 480));
    const auto place = [&](double share) { return int((0.03 + 0.94 * share) * image.width / 2); };
    EXPECT_GT(curve_at(image, place(1.0 / 3)), curve_at(image, place(0.999)) + 10);
}

TEST(SideBySide, ASideThatWasScaledKeepsItsShape) {
    Comparison c;
    c.a.width = c.width = 320;
    c.a.height = c.height = 240;
    c.b.width = 30;
    c.b.height = 60;
    c.pairs.resize = PairOptions::Resize::to_a;
    c.frames.resize(1);
    Image a(320, 240), b(320, 240);
    std::ranges::fill(a.rgb, std::uint8_t{255});
    std::ranges::fill(b.rgb, std::uint8_t{255});
    SideBySide video(c);
    const Image& image = video.draw(0, a, b);
    const auto whites = [&image](int y, int from, int to) {
        int n = 0;
        for (int x = from; x < to; ++x) n += image.row(y)[3 * x] == 255;
        return n;
    };
    int top = 0; // of the picture of A, which reaches the left edge or nearly so
    while (whites(top, 0, image.width / 2) < 320) ++top;
    EXPECT_EQ(whites(top + 120, 0, image.width / 2), 320);
    EXPECT_EQ(whites(top + 120, image.width / 2, image.width), 120); // half as wide as it is high
    EXPECT_EQ(whites(top + 1, image.width / 2, image.width), 120);
    EXPECT_EQ(whites(top + 238, image.width / 2, image.width), 120);
}

TEST(Difference, WithItsSign) {
    Image a(4, 1), b(4, 1);
    a.rgb = {10, 10, 10, 10, 50, 10, 200, 0, 0, 255, 255, 255};
    b.rgb = {10, 10, 10, 12, 10, 13, 255, 0, 0, 0, 0, 0};
    const Image out = signed_difference(a, b, 2);
    const auto pixel = [&out](int x) {
        const std::uint8_t* p = out.row(0) + 3 * x;
        return std::array<int, 3>{p[0], p[1], p[2]};
    };
    EXPECT_EQ(pixel(0), (std::array<int, 3>{20, 20, 20}));    // equal
    EXPECT_EQ(pixel(1), (std::array<int, 3>{40, 74, 125}));   // A is brighter by 40, in the channel that differs most
    EXPECT_EQ(pixel(2), (std::array<int, 3>{165, 94, 24}));   // B is, by 55
    EXPECT_EQ(pixel(3), (std::array<int, 3>{255, 255, 255})); // beyond the range
    EXPECT_EQ(largest_of(-3, 2, 3), -3);
}

TEST(Difference, AmplifiedAndClipped) {
    Image a(1, 2), b(1, 2);
    a.rgb = {10, 200, 30, 0, 0, 0};
    b.rgb = {12, 100, 30, 255, 1, 0};
    EXPECT_EQ(amplified_difference(a, b, 4).rgb, (std::vector<std::uint8_t>{8, 255, 0, 255, 4, 0}));
    EXPECT_EQ(amplified_difference(a, b, 0.5).rgb, (std::vector<std::uint8_t>{1, 50, 0, 128, 1, 0}));
    metrics::PixelHistograms h;
    h.difference[0] = 95;
    h.difference[10] = 5;
    EXPECT_EQ(fitting_amplification(h), 16);
    h.difference[200] = 50;
    EXPECT_EQ(fitting_amplification(h), 1);
    EXPECT_EQ(fitting_amplification({}), 64);
}

} // namespace
} // namespace denoir
