// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/alignment.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "engine/core/error.h"

namespace denoir::metrics {
namespace {

/// The error of the best offset must be below this fraction of the errors of offset 0 and of the best offset that is
/// not its neighbour.
constexpr double clearly = 0.8;
/// The largest error, in the signatures' 0 … 255, between different codings of the same video.
constexpr double same_picture = 12;

double squares(const Signature& a, const Signature& b) {
    float part[16] = {};
    for (std::size_t i = 0; i < a.size(); i += 16)
        for (std::size_t k = 0; k < 16; ++k) part[k] += (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]);
    double sum = 0;
    for (const float p : part) sum += double(p);
    return sum;
}

double error_at(std::span<const Signature> a, std::span<const Signature> b, std::int64_t offset) {
    const std::int64_t begin = std::max<std::int64_t>(0, -offset),
                       end = std::min(std::int64_t(a.size()), std::int64_t(b.size()) - offset);
    if (end <= begin) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += squares(a[std::size_t(i)], b[std::size_t(i + offset)]);
    return std::sqrt(sum / (double(end - begin) * double(Signature{}.size())));
}

} // namespace

Signature signature(const Rgb8& frame) {
    assert(frame.width > 0 && frame.height > 0);
    Signature s{};
    for (int j = 0; j < signature_side; ++j)
        for (int i = 0; i < signature_side; ++i) {
            // A cell has at least one pixel, even if the picture is smaller than the grid.
            const auto edge = [](int k, int side) { return int(std::int64_t{k} * side / signature_side); };
            const int x0 = edge(i, frame.width), y0 = edge(j, frame.height);
            const int x1 = std::max(x0 + 1, edge(i + 1, frame.width)), y1 = std::max(y0 + 1, edge(j + 1, frame.height));
            std::int64_t red = 0, green = 0, blue = 0;
            for (int y = y0; y < y1; ++y) {
                const std::uint8_t* p = frame.data + 3 * (std::int64_t{y} * frame.width + x0);
                for (int x = x0; x < x1; ++x, p += 3) red += p[0], green += p[1], blue += p[2];
            }
            const double count = double(x1 - x0) * double(y1 - y0);
            s[std::size_t(j * signature_side + i)] =
                float((0.2126 * double(red) + 0.7152 * double(green) + 0.0722 * double(blue)) / count);
        }
    return s;
}

Alignment align(std::span<const Signature> a, std::span<const Signature> b, int largest, const std::stop_token& stop) {
    assert(!a.empty() && !b.empty() && largest >= 0);
    const auto na = std::int64_t(a.size()), nb = std::int64_t(b.size());
    const std::int64_t overlap = (std::min(na, nb) + 1) / 2;
    const std::int64_t low = std::max<std::int64_t>(-largest, overlap - na),
                       high = std::min<std::int64_t>(largest, nb - overlap);
    std::vector<double> errors;
    for (std::int64_t offset = low; offset <= high; ++offset) {
        if (stop.stop_requested()) throw Cancelled();
        errors.push_back(error_at(a, b, offset));
    }

    Alignment best;
    best.error = best.error_at_zero = error_at(a, b, 0);
    std::int64_t found = 0;
    for (std::int64_t distance = 1; distance <= std::max(high, -low); ++distance)
        for (const std::int64_t offset : {distance, -distance}) {
            if (offset < low || offset > high) continue;
            const double error = errors[std::size_t(offset - low)];
            if (error < best.error * (1 - 1e-9)) best.error = error, found = offset;
        }
    // In a slow scene, the neighbours of the best offset fit nearly as well; offsets further away must not.
    double rival = std::numeric_limits<double>::infinity();
    for (std::int64_t offset = low; offset <= high; ++offset)
        if (std::abs(offset - found) > 1) rival = std::min(rival, errors[std::size_t(offset - low)]);
    const bool alone = best.error < clearly * rival, nearer = found == 0 || best.error < clearly * best.error_at_zero;
    best.certain = best.error < same_picture && alone && nearer;
    if (best.certain)
        best.offset = int(found);
    else
        best.error = best.error_at_zero;
    return best;
}

} // namespace denoir::metrics
