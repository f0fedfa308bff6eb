// SPDX-License-Identifier: Apache-2.0
#include "engine/media/image.h"

#include "engine/core/error.h"
#include "engine/media/sample_kind.h"
#include "tests/engine/media/support.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;

struct Case {
    const char* name;
    int largest;
};

class ReadImage : public testing::TestWithParam<Case> {};

TEST_P(ReadImage, EqualsPillow) {
    const Image image = read_image(fixture(GetParam().name)),
                expected = load_ppm(fixture(std::string(GetParam().name) + ".ppm"));
    const Difference d = difference(image, expected);
    EXPECT_LE(d.largest, GetParam().largest);
    const ImageInfo info = image_info(fixture(GetParam().name));
    EXPECT_EQ(info.width, expected.width);
    EXPECT_EQ(info.height, expected.height);
}

INSTANTIATE_TEST_SUITE_P(
    Exact, ReadImage,
    testing::Values(Case{"mode_1.png", 0}, Case{"mode_L.png", 0}, Case{"mode_LA.png", 0}, Case{"mode_P.png", 0},
                    Case{"mode_RGB.png", 0}, Case{"mode_RGBA.png", 0}, Case{"palette_1.png", 0},
                    Case{"palette_2.png", 0}, Case{"palette_4.png", 0}, Case{"palette_transparent.png", 0},
                    Case{"interlaced.png", 0}, Case{"animated.png", 0}, Case{"rgb16.png", 0}, Case{"grey16.png", 0},
                    Case{"turned_1.png", 0}, Case{"turned_2.png", 0}, Case{"turned_3.png", 0}, Case{"turned_4.png", 0},
                    Case{"turned_5.png", 0}, Case{"turned_6.png", 0}, Case{"turned_7.png", 0}, Case{"turned_8.png", 0},
                    Case{"turned.webp", 0}, Case{"turned.tiff", 0}, Case{"lossy.webp", 0}, Case{"lossy_small.webp", 0},
                    Case{"lossless.webp", 0}, Case{"alpha.webp", 0}, Case{"raw.tiff", 0}, Case{"tiff_lzw.tiff", 0},
                    Case{"tiff_adobe_deflate.tiff", 0}, Case{"packbits.tiff", 0}, Case{"alpha.tiff", 0},
                    Case{"pages.tiff", 0}, Case{"mode_1.bmp", 0}, Case{"mode_L.bmp", 0}, Case{"mode_P.bmp", 0},
                    Case{"mode_RGB.bmp", 0}, Case{"mode_RGBA.bmp", 0}, Case{"picture.gif", 0}, Case{"picture.ppm", 0},
                    Case{"picture.pgm", 0}, Case{"picture.pbm", 0}));
// libjpeg's transform rounds differently by one level, which the colour matrix can turn into three.
INSTANTIATE_TEST_SUITE_P(Jpeg, ReadImage,
                         testing::Values(Case{"sampling_444.jpg", 3}, Case{"sampling_422.jpg", 3},
                                         Case{"sampling_420.jpg", 3}, Case{"restarts.jpg", 3},
                                         Case{"progressive.jpg", 3}, Case{"grey.jpg", 1}, Case{"rgb.jpg", 1},
                                         Case{"cmyk.jpg", 3}, Case{"turned.jpg", 3}));

/// A GIF with a canvas of 2 x 2 and a picture of one pixel, its table's second colour, in the corner. All colours were
/// compared with Pillow 12's convert("RGB").
TEST(ReadImage, WhatAGifsPictureDoesNotCover) {
    const TempFolder folder;
    const std::string table("\1\2\3\4\5\6\7\7\7\x8\x8\x8", 12), own("\x11\x12\x13\x14\x15\x16\7\7\7\x8\x8\x8", 12);
    const std::string shows_first("\x21\xF9\4\1\0\0\0\0", 8), shows_second("\x21\xF9\4\1\0\0\1\0", 8),
        shows_none("\x21\xF9\4\1\0\0\xC8\0", 8); // names colour 200, which no table has
    const auto read = [&](bool canvas_table, const std::string& control, bool own_table) {
        const std::string canvas =
            std::string("GIF89a\2\0\2\0", 10) + (canvas_table ? "\x81" : "\1") + std::string("\3\0", 2);
        const std::string picture =
            std::string("\x2C\1\0\1\0\1\0\1\0", 9) + (own_table ? "\x81" : std::string(1, '\0'));
        store(folder / "a.gif", canvas + (canvas_table ? table : "") + control + picture + (own_table ? own : "") +
                                    std::string("\2\2\x4C\1\0;", 6));
        return read_image(folder / "a.gif").rgb;
    };
    const auto around = [](const std::vector<std::uint8_t>& free, const std::vector<std::uint8_t>& corner) {
        std::vector<std::uint8_t> all;
        for (int i = 0; i < 4; ++i)
            all.insert(all.end(), (i < 3 ? free : corner).begin(), (i < 3 ? free : corner).end());
        return all;
    };
    const std::vector<std::uint8_t> one{1, 2, 3}, two{4, 5, 6}, own_one{0x11, 0x12, 0x13}, own_two{0x14, 0x15, 0x16};
    EXPECT_EQ(read(true, "", false), around(one, two)); // and not the background that the canvas names
    EXPECT_FALSE(sample_kind(folder / "a.gif").alpha);
    EXPECT_EQ(read(true, shows_first, false), around(one, two));
    EXPECT_EQ(read(true, shows_second, false), around(two, two));
    EXPECT_TRUE(sample_kind(folder / "a.gif").alpha);
    for (const bool canvas_table : {true, false}) {
        EXPECT_EQ(read(canvas_table, "", true), around(own_one, own_two));
        EXPECT_EQ(read(canvas_table, shows_second, true), around(own_two, own_two));
        EXPECT_EQ(read(canvas_table, shows_none, true), around({0, 0, 0}, own_two));
    }
    EXPECT_EQ(read(true, shows_none, false), around({0, 0, 0}, two)); // and not the table's first colour
    EXPECT_EQ(read(false, "", false), around({0, 0, 0}, {1, 1, 1}));  // without any table colours are greys
    EXPECT_EQ(read(false, shows_none, false), around({200, 200, 200}, {1, 1, 1}));
}

TEST(Image, SaysWhatReadingItLeavesOut) {
    const auto kind = [](const char* name) { return sample_kind(fixture(name)); };
    for (const char* name : {"mode_RGBA.png", "mode_LA.png", "palette_transparent.png", "alpha.webp", "alpha.tiff"})
        EXPECT_TRUE(kind(name).alpha) << name;
    for (const char* name : {"mode_RGB.png", "mode_L.png", "palette_2.png", "lossless.webp", "tiff_lzw.tiff",
                             "mode_RGB.bmp", "cmyk.jpg", "picture.gif", "picture.ppm"})
        EXPECT_FALSE(kind(name).alpha) << name;
    EXPECT_EQ(kind("grey16.png").bits, 16);
    EXPECT_EQ(kind("palette_2.png").bits, 8);
    for (const char* name : {"progressive.jpg", "lossy.webp"}) EXPECT_TRUE(kind(name).lossy) << name;
    for (const char* name : {"lossless.webp", "mode_RGB.png"}) EXPECT_FALSE(kind(name).lossy) << name;
    for (const char* name : {"animated.png", "pages.tiff", "clips/animated.gif"}) EXPECT_TRUE(kind(name).more) << name;
    for (const char* name : {"mode_RGB.png", "turned.tiff", "alpha.tiff", "picture.gif"})
        EXPECT_FALSE(kind(name).more) << name;
    EXPECT_TRUE(unread_parts({}).empty());
    EXPECT_EQ(unread_parts({16, true, false, true}),
              (std::vector<std::string>{"has an alpha channel, which is not compared",
                                        "has 16 bits a colour, of which the upper 8 are compared",
                                        "holds several pictures, of which the first is compared"}));
}

TEST(ReadImage, JpegIsCloseOnAverage) {
    for (const char* name : {"sampling_444.jpg", "sampling_422.jpg", "sampling_420.jpg"})
        EXPECT_LT(difference(read_image(fixture(name)), load_ppm(fixture(std::string(name) + ".ppm"))).mean, 0.08)
            << name;
}

/// Writes other sides into the JPEG's header and, if given, how often the first component is sampled.
std::string with_sides(std::string jpeg, int width, int height, char sampling = 0) {
    const std::size_t header = jpeg.find("\xFF\xC0");
    jpeg[header + 6] = static_cast<char>(height), jpeg[header + 8] = static_cast<char>(width);
    if (sampling != 0) jpeg[header + 11] = sampling;
    return jpeg;
}

/// JPEGs of a single block of 8 x 8. The expected pixels are those of Pillow 12 with libjpeg-turbo.
TEST(ReadImage, JpegsTooSmallForLibjpegsFilter) {
    using Pixels = std::vector<std::uint8_t>;
    const TempFolder folder;
    const auto read = [&](const std::string& jpeg) {
        store(folder / "a.jpg", jpeg);
        return read_image(folder / "a.jpg");
    };
    const std::string halved = load(fixture("sampling_422.jpg")), quartered = load(fixture("sampling_420.jpg"));
    EXPECT_EQ(read(with_sides(halved, 3, 2)).rgb, (Pixels{81, 116, 172, 87, 122, 178, 97, 120, 190, //
                                                          87, 126, 183, 80, 119, 176, 87, 114, 183}));
    EXPECT_EQ(read(with_sides(quartered, 3, 3)).rgb,
              (Pixels{81,  116, 172, 87,  122, 178, 96,  122, 181, 90,  125, 181, 83, 118, //
                      174, 89,  115, 174, 71,  115, 190, 78,  122, 197, 94,  124, 196}));
    // The colours are halved in height alone.
    const Image tall = read(with_sides(halved, 8, 16, '\x12'));
    const Pixels first{81,  116, 172, 90,  125, 181, 76,  115, 172, 86,  125, 184, 79,  121, 181, 95,
                       136, 200, 93,  137, 202, 111, 156, 224, 152, 199, 255, 151, 204, 255, 147, 210,
                       255, 135, 209, 255, 116, 201, 255, 108, 204, 255, 97,  203, 255, 82,  193, 249};
    for (int y = 0; y < 16; ++y)
        for (std::size_t c = 0; c < 3; ++c)
            EXPECT_NEAR(tall.row(y)[c], first[3 * static_cast<std::size_t>(y) + c], 3) << y;
}

/// Any number of bytes 0xFF may stand before a marker.
TEST(ReadImage, JpegsWithFillBytes) {
    const TempFolder folder;
    std::string jpeg = load(fixture("sampling_420.jpg"));
    jpeg.insert(jpeg.rfind("\xFF\xD9"), "\xFF\xFF");
    jpeg.insert(jpeg.find("\xFF\xC0"), "\xFF\xFF\xFF");
    store(folder / "a.jpg", jpeg);
    EXPECT_EQ(read_image(folder / "a.jpg"), read_image(fixture("sampling_420.jpg")));
}

/// A TIFF with the high byte of each number first: grey values 1, 2, 3 above 40, 50, 60.
std::string big_endian_tiff(bool sizes = true) {
    const auto be16 = [](std::uint32_t v) { return be32(v).substr(2); };
    const auto short_entry = [&](std::uint32_t tag, std::uint32_t v) {
        return be16(tag) + be16(3) + be32(1) + be16(v) + be16(0);
    };
    const auto long_entry = [&](std::uint32_t tag, std::uint32_t v) { return be16(tag) + be16(4) + be32(1) + be32(v); };
    return std::string("MM\0*", 4) + be32(14) + "\1\2\3\x28\x32\x3C" + be16(sizes ? 10 : 9) + short_entry(256, 3) +
           short_entry(257, 2) + short_entry(258, 8) + short_entry(259, 1) + short_entry(262, 1) + long_entry(273, 8) +
           short_entry(274, 2) + short_entry(277, 1) + short_entry(278, 2) + (sizes ? long_entry(279, 6) : "") +
           be32(0);
}

/// The expected pixels are Pillow 12's.
TEST(ReadImage, HeadersThatFewProgramsWrite) {
    using Pixels = std::vector<std::uint8_t>;
    const TempFolder folder;
    const auto read = [&](const std::string& bytes) {
        store(folder / "a", bytes);
        return read_image(folder / "a");
    };
    store(folder / "a", big_endian_tiff());
    EXPECT_EQ(image_info(folder / "a").format, "TIFF");
    // Orientation 2 mirrors the picture from right to left.
    EXPECT_EQ(read(big_endian_tiff()).rgb, (Pixels{3, 3, 3, 2, 2, 2, 1, 1, 1, 60, 60, 60, 50, 50, 50, 40, 40, 40}));

    const std::string deep("\1\1\2\2\3\3\xFE\xFE\xFF\xFF\0\0", 12);
    EXPECT_EQ(read("P6\n# by hand\n2 # wide\n1\n65535\n" + deep).rgb, (Pixels{1, 2, 3, 254, 255, 0}));
    EXPECT_EQ(sample_kind(folder / "a").bits, 16);
    EXPECT_THROW(read("P6\n# by hand\n2 # wide\n1\n65535\n" + deep.substr(1)), Error);

    EXPECT_EQ(read("P3\n2 1 # as text\n255\n1 2 3\n4 5 255\n").rgb, (Pixels{1, 2, 3, 4, 5, 255}));

    // OS/2's header has 12 bytes, and the rows begin at the bottom.
    const std::string os2 = std::string("BM\x2A\0\0\0\0\0\0\0\x1A\0\0\0", 14) +
                            std::string("\x0C\0\0\0\2\0\2\0\1\0\x18\0", 12) +
                            std::string("\3\2\1\6\5\4\0\0\x9\x8\7\x0C\x0B\x0A\0\0", 16);
    EXPECT_EQ(read(os2).rgb, (Pixels{7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6}));

    const auto with_masks = [&](const std::string& of_alpha) {
        return std::string("BM\x4A\0\0\0\0\0\0\0\x46\0\0\0\x38\0\0\0\1\0\0\0\1\0\0\0\1\0\x20\0\3\0\0\0\4", 35) +
               std::string(19, '\0') + std::string("\0\0\xFF\0\0\xFF\0\0\xFF\0\0\0", 12) + of_alpha + "\3\2\1\x80";
    };
    for (const bool alpha : {true, false}) {
        EXPECT_EQ(read(with_masks(alpha ? std::string("\0\0\0\xFF", 4) : std::string(4, '\0'))).rgb, (Pixels{1, 2, 3}));
        EXPECT_EQ(sample_kind(folder / "a").alpha, alpha);
    }

    // Run-length coded: a run of three pixels and one of one, then three single pixels and a run of one.
    const std::string colours("\0\0\0\0\x30\x20\x10\0\x60\x50\x40\0", 12), runs("\3\1\1\2\0\0\0\3\2\1\0\0\1\1\0\1", 16);
    const std::string head = std::string("BM\x52\0\0\0\0\0\0\0\x42\0\0\0\x28\0\0\0\4\0\0\0\2\0\0\0", 26) +
                             std::string("\1\0\x8\0\1\0\0\0\x10\0\0\0", 12) + std::string(8, '\0') +
                             std::string("\3\0\0\0\0\0\0\0", 8);
    EXPECT_EQ(read(head + colours + runs).rgb,
              (Pixels{64, 80, 96, 16, 32, 48, 0, 0, 0, 16, 32, 48, 16, 32, 48, 16, 32, 48, 16, 32, 48, 64, 80, 96}));
}

TEST(ReadImage, ATiffThatDoesNotSayHowLongItsStripsAre) {
    const TempFolder folder;
    store(folder / "a.tiff", big_endian_tiff(false));
    const std::string said = refusal([&] { read_image(folder / "a.tiff"); });
    EXPECT_NE(said.find("its strips are not listed"), std::string::npos) << said;
}

TEST(ReadImage, ContentDecidesNotTheExtension) {
    const TempFolder folder;
    std::filesystem::copy_file(fixture("lossy.webp"), folder / "a.png");
    EXPECT_EQ(image_info(folder / "a.png").format, "WebP");
    EXPECT_EQ(read_image(folder / "a.png"), load_ppm(fixture("lossy.webp.ppm")));
}

TEST(WritePng, RoundTripWithComment) {
    const TempFolder folder;
    for (const auto& [w, h] : {std::pair{1, 1}, {37, 29}, {64, 48}}) {
        const Image image = picture(w, h);
        write_png(folder / "a.png", image, "{\"prompt\": \"Füchse\"}");
        EXPECT_EQ(read_image(folder / "a.png"), image);
        write_png(folder / "b.png", image, "{\"prompt\": \"Füchse\"}");
        EXPECT_EQ(load(folder / "a.png"), load(folder / "b.png"));
    }
    EXPECT_NE(load(folder / "a.png").find("Füchse"), std::string::npos);
    EXPECT_EQ(folder.entries(), 2);
}

TEST(WritePng, FailureNamesTheFile) {
    try {
        write_png("/nowhere/at/all/a.png", picture(4, 4));
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("/nowhere/at/all/a.png"), std::string::npos);
    }
}

TEST(ToTensor, PlanesOfRedGreenBlue) {
    Image image(2, 1);
    image.rgb = {1, 2, 3, 4, 5, 255};
    const Tensor t = to_tensor(image);
    EXPECT_EQ(t.shape(), (Shape{3, 1, 2}));
    const std::vector<float> expected{1, 4, 2, 5, 3, 255};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), t.data<float>()));
}

} // namespace
} // namespace denoir
