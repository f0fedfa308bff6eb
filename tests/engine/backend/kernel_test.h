// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of kernels share: values, a tensor's values in f64, and one table of tolerances.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "engine/backend/backend.h"

namespace denoir::test {

/// Largest error over the largest value, for one kernel. In bf16 for a result that was rounded once from f32 (half a
/// unit in the last place is 2^-9), and for a product whose inputs were rounded as well.
constexpr double f32_tolerance = 1e-5, bf16_tolerance = 1.0 / 256, bf16_product_tolerance = 2e-2;
/// For a sum of products whose factors have the 10 bits of TF32, which a card may round or cut.
constexpr double tf32_tolerance = 2e-3;
inline double tolerance(DType out) { return out == DType::bf16 ? bf16_tolerance : f32_tolerance; }

/// Values in [-1, 1) that depend only on `seed` and the index.
inline std::vector<float> values(std::int64_t n, std::uint64_t seed) {
    std::vector<float> out(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::uint64_t z = (seed << 40) + i + 0x9E3779B97F4A7C15ull;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        out[i] = static_cast<float>(static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0);
    }
    return out;
}

inline Tensor host(const Shape& shape, std::uint64_t seed, DType dtype = DType::f32) {
    const Tensor wide = Tensor::from(values(shape.elements(), seed), shape);
    if (dtype == DType::f32) return wide;
    Tensor out = Tensor::host(shape, dtype);
    for (std::int64_t i = 0; dtype == DType::i8 && i < shape.elements(); ++i)
        out.data<std::int8_t>()[i] = static_cast<std::int8_t>(std::lround(127.5f * wide.data<float>()[i] - 0.5f));
    if (dtype == DType::i8) return out;
    from_f32(dtype, wide.data<float>(), out.raw(), shape.elements());
    return out;
}

inline std::vector<double> doubles(const Tensor& x) {
    const Tensor wide = (x.backend() ? x.backend()->download(x) : x).to_host_f32();
    const auto all = wide.span<const float>();
    return {all.begin(), all.end()};
}

inline std::vector<double> rounded(std::vector<double> x) {
    for (double& v : x) v = static_cast<double>(round_to_bf16(static_cast<float>(v)));
    return x;
}

inline void expect_near(const Tensor& actual, const std::vector<double>& expected, double tolerance) {
    const std::vector<double> found = doubles(actual);
    ASSERT_EQ(found.size(), expected.size());
    double greatest = 1e-30, error = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        greatest = std::max(greatest, std::abs(expected[i]));
        const double e = std::abs(found[i] - expected[i]);
        if (!(e <= error)) {
            error = e;
            where = i;
        }
    }
    EXPECT_LE(error / greatest, tolerance) << "at " << where << ": " << (found.empty() ? 0 : found[where])
                                           << " instead of " << (found.empty() ? 0 : expected[where]);
}

inline std::vector<std::byte> bytes_of(const Tensor& x) {
    const Tensor dense = x.backend()->download(x);
    return {dense.raw(), dense.raw() + dense.bytes()};
}

/// The backends on which these tests run: on the processor with one to four threads; with DENOIR_TEST_DEVICE=cuda a
/// card; in programs that link the emulated device that device, with its threads in two orders.
std::span<const std::shared_ptr<Backend>> backends_under_test();
inline const std::shared_ptr<Backend>& backend_under_test() { return backends_under_test().front(); }

/// Calls `kernel` on each backend, and once more on the last, and checks that all give the same bytes. Returns the
/// result.
inline Tensor same_on_any_threads(const std::function<Tensor(Backend&)>& kernel) {
    const auto backends = backends_under_test();
    const Tensor first = kernel(*backends[0]);
    const std::vector<std::byte> expected = bytes_of(first);
    for (std::size_t i = 1; i <= backends.size(); ++i)
        EXPECT_EQ(bytes_of(kernel(*backends[std::min(i, backends.size() - 1)])), expected) << "backend " << i + 1;
    return first;
}

/// A view of `x` on the backend as part of wider rows: the last axis has no gaps, all others have.
inline Tensor strided(Backend& backend, const Tensor& x) {
    Shape wide = x.shape();
    wide[-1] += 3;
    for (int axis = 0; axis + 1 < wide.rank(); ++axis) wide[axis] += 1;
    Tensor room = backend.empty(wide, x.dtype());
    for (int axis = 0; axis < wide.rank(); ++axis)
        room = room.slice(axis, axis + 1 == wide.rank() ? 2 : 1,
                          axis + 1 == wide.rank() ? 2 + x.size(axis) : 1 + x.size(axis));
    backend.copy(x, room);
    return room;
}

} // namespace denoir::test
