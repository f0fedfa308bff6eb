// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/media/video_reader.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {

inline std::filesystem::path fixture(const std::string& name) {
    return std::filesystem::path(DENOIR_FIXTURES) / "media" / name;
}

inline std::string load(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void store(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// A number as four bytes, the highest first.
inline std::string be32(std::uint32_t v) {
    std::string s;
    for (int shift = 24; shift >= 0; shift -= 8) s += static_cast<char>(v >> shift);
    return s;
}

/// A box of an MP4 file.
inline std::string atom(const std::string& type, const std::string& body) {
    return be32(static_cast<std::uint32_t>(body.size()) + 8) + type + body;
}

inline std::vector<Image> frames_in_turn(const std::filesystem::path& path) {
    VideoReader reader(path);
    std::vector<Image> frames;
    for (Image image; reader.read(image);) frames.push_back(image);
    return frames;
}

/// Reads a P6 file as Pillow writes it, independently of the code under test.
inline Image load_ppm(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::string magic;
    int width = 0, height = 0, top = 0;
    in >> magic >> width >> height >> top;
    in.get();
    Image image(width, height);
    in.read(reinterpret_cast<char*>(image.rgb.data()), static_cast<std::streamsize>(image.rgb.size()));
    EXPECT_TRUE(in && magic == "P6" && top == 255) << path;
    return image;
}

/// Soft colours that move with `frame`, a hard edge, and a little noise that stays the same.
inline Image picture(int width, int height, int frame = 0) {
    Image image(width, height);
    std::uint32_t noise = 12345;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            noise = noise * 1664525u + 1013904223u;
            const double a = 0.05 * (x + 2 * frame), b = 0.07 * y;
            std::uint8_t* p = image.row(y) + 3 * x;
            p[0] = static_cast<std::uint8_t>(120 + 90 * std::sin(a) + noise % 7);
            p[1] = static_cast<std::uint8_t>(120 + 90 * std::sin(b + 1) + noise / 64 % 7);
            p[2] = static_cast<std::uint8_t>(x + frame > width / 2 ? 200 : 60);
        }
    return image;
}

struct Difference {
    int largest = 0;
    double mean = 0, psnr = 0;
};

inline Difference difference(const Image& a, const Image& b) {
    Difference d;
    EXPECT_EQ(a.width, b.width);
    EXPECT_EQ(a.height, b.height);
    if (a.rgb.size() != b.rgb.size()) return {255, 255, 0};
    double squares = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) {
        const int e = std::abs(a.rgb[i] - b.rgb[i]);
        d.largest = std::max(d.largest, e);
        d.mean += e;
        squares += double(e) * e;
    }
    const auto n = static_cast<double>(a.rgb.size());
    d.mean /= n;
    d.psnr = squares > 0 ? 10 * std::log10(255.0 * 255.0 * n / squares) : 99;
    return d;
}

} // namespace denoir::test
