// SPDX-License-Identifier: Apache-2.0
// The transforms of conv_winograd.h, in both directions.
#include "engine/backend/cpu/simd/functions.h"

namespace denoir::cpu::DENOIR_ISA {
namespace {

/// The transforms of one axis of a tile, from `side` pixels to points and from points to two outputs.
struct Plain {
    static constexpr int side = 4;
    static void points(const Vec (&d)[4], Vec (&p)[4]) {
        p[0] = d[0] - d[2], p[1] = d[1] + d[2], p[2] = d[2] - d[1], p[3] = d[1] - d[3];
    }
    static void outputs(const Vec (&p)[4], Vec (&y)[2]) { y[0] = p[0] + p[1] + p[2], y[1] = p[1] - p[2] - p[3]; }
};
struct Duplicated {
    static constexpr int side = 3;
    static void points(const Vec (&d)[3], Vec (&p)[3]) { p[0] = d[0] - d[1], p[1] = d[1], p[2] = d[1] - d[2]; }
    static void outputs(const Vec (&p)[3], Vec (&y)[2]) { y[0] = p[0] + p[1], y[1] = p[1] - p[2]; }
};

template <class Axis>
void points_of(const float* from, std::int64_t row, std::int64_t n, float* to, std::int64_t point) {
    constexpr int side = Axis::side;
    for (std::int64_t c = 0; c < n; c += lanes) {
        const std::int64_t rest = n - c;
        Vec half[side][side], whole[side][side];
        for (int y = 0; y < side; ++y) {
            Vec pixels[side];
            for (int x = 0; x < side; ++x) {
                const float* at = from + y * row + x * n + c;
                pixels[x] = rest >= lanes ? load(at) : load_part(at, rest);
            }
            Axis::points(pixels, half[y]);
        }
        for (int x = 0; x < side; ++x) {
            Vec column[side], made[side];
            for (int y = 0; y < side; ++y) column[y] = half[y][x];
            Axis::points(column, made);
            for (int y = 0; y < side; ++y) whole[y][x] = made[y];
        }
        for (int p = 0; p < side * side; ++p) {
            float* at = to + p * point + c;
            rest >= lanes ? store(at, whole[p / side][p % side]) : store_part(at, whole[p / side][p % side], rest);
        }
    }
}

template <class Axis>
void outputs_of(const float* from, std::int64_t point, std::int64_t n, float* to, std::int64_t row) {
    constexpr int side = Axis::side;
    for (std::int64_t c = 0; c < n; c += lanes) {
        const std::int64_t rest = n - c;
        Vec half[side][2];
        for (int y = 0; y < side; ++y) {
            Vec points[side];
            for (int x = 0; x < side; ++x) {
                const float* at = from + (y * side + x) * point + c;
                points[x] = rest >= lanes ? load(at) : load_part(at, rest);
            }
            Axis::outputs(points, half[y]);
        }
        for (int x = 0; x < 2; ++x) {
            Vec column[side], made[2];
            for (int y = 0; y < side; ++y) column[y] = half[y][x];
            Axis::outputs(column, made);
            for (int y = 0; y < 2; ++y) {
                float* at = to + y * row + x * n + c;
                rest >= lanes ? store(at, made[y]) : store_part(at, made[y], rest);
            }
        }
    }
}

} // namespace

void winograd_points(const float* from, std::int64_t row, std::int64_t n, float* to, std::int64_t point) {
    points_of<Plain>(from, row, n, to, point);
}
void winograd_points_duplicated(const float* from, std::int64_t row, std::int64_t n, float* to, std::int64_t point) {
    points_of<Duplicated>(from, row, n, to, point);
}
void winograd_outputs(const float* from, std::int64_t point, std::int64_t n, float* to, std::int64_t row) {
    outputs_of<Plain>(from, point, n, to, row);
}
void winograd_outputs_duplicated(const float* from, std::int64_t point, std::int64_t n, float* to, std::int64_t row) {
    outputs_of<Duplicated>(from, point, n, to, row);
}

} // namespace denoir::cpu::DENOIR_ISA
