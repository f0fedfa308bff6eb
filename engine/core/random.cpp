// SPDX-License-Identifier: Apache-2.0
#include "engine/core/random.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace denoir {
namespace {

/// Turns 16 uniform numbers into 16 normal ones, in place and in f32 as PyTorch does. Numbers i and i + 8 are a pair.
void box_muller_16(float* u) {
    constexpr float two_pi = 2.0f * std::numbers::pi_v<float>;
    for (int i = 0; i < 8; ++i) {
        const float radius = std::sqrt(-2.0f * std::log(1.0f - u[i])), angle = two_pi * u[i + 8];
        u[i] = radius * std::cos(angle);
        u[i + 8] = radius * std::sin(angle);
    }
}

using Words = std::array<std::uint32_t, 4>;

/// Ten rounds of Philox4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
Words philox(Words counter, std::uint64_t seed) {
    std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0], b = std::uint64_t{0xCD9E8D57u} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(a)};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/// Two normal numbers from two random words, computed as on the device, with fused multiply-adds.
void box_muller_cuda(std::uint32_t x, std::uint32_t y, float* out) {
    constexpr float unit = 0x1p-32f, turn = unit * 2.0f * std::numbers::pi_v<float>;
    const float u = std::fma(static_cast<float>(x), unit, unit / 2),
                v = std::fma(static_cast<float>(y), turn, turn / 2);
    const float s = std::sqrt(-2.0f * std::log(u));
    out[0] = s * std::sin(v);
    out[1] = s * std::cos(v);
}

} // namespace

TorchCpuGenerator::TorchCpuGenerator(std::uint64_t seed) {
    state_[0] = static_cast<std::uint32_t>(seed); // as in PyTorch, the upper half is not used
    for (std::uint32_t i = 1; i < 624; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
}

/// MT19937 (Matsumoto and Nishimura, 1998).
std::uint32_t TorchCpuGenerator::next() {
    if (index_ == 624) {
        for (int i = 0; i < 624; ++i) {
            const std::uint32_t mixed = (state_[i] & 0x80000000u) | (state_[(i + 1) % 624] & 0x7FFFFFFFu);
            state_[i] = state_[(i + 397) % 624] ^ (mixed >> 1) ^ (mixed & 1 ? 0x9908B0DFu : 0u);
        }
        index_ = 0;
    }
    std::uint32_t y = state_[index_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680u;
    y ^= (y << 15) & 0xEFC60000u;
    return y ^ (y >> 18);
}

float TorchCpuGenerator::uniform() { return static_cast<float>(next() & 0xFFFFFFu) * 0x1p-24f; }

double TorchCpuGenerator::uniform_double() {
    const std::uint64_t high = next(), word = high << 32 | next();
    return static_cast<double>(word & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

double TorchCpuGenerator::normal_double() {
    if (spare_) {
        const double value = *spare_;
        spare_.reset();
        return value;
    }
    const double u1 = uniform_double(), u2 = uniform_double();
    const double radius = std::sqrt(-2.0 * std::log1p(-u2)), angle = 2.0 * std::numbers::pi * u1;
    spare_ = radius * std::sin(angle);
    return radius * std::cos(angle);
}

Tensor TorchCpuGenerator::randn(const Shape& shape) {
    Tensor out = Tensor::host(shape);
    auto* values = out.data<float>();
    const std::int64_t n = out.elements();
    if (n < 16) {
        for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(normal_double());
        return out;
    }
    for (std::int64_t i = 0; i < n; ++i) values[i] = uniform();
    for (std::int64_t i = 0; i + 16 <= n; i += 16) box_muller_16(values + i);
    if (n % 16 != 0) { // as in PyTorch, the last 16 are drawn again
        float* tail = values + n - 16;
        for (int i = 0; i < 16; ++i) tail[i] = uniform();
        box_muller_16(tail);
    }
    return out;
}

TorchCudaGenerator::TorchCudaGenerator(std::uint64_t seed, int multiprocessors)
    : seed_(seed), multiprocessors_(multiprocessors) {
    assert(multiprocessors > 0);
}

Tensor TorchCudaGenerator::randn(const Shape& shape) {
    constexpr std::int64_t block = 256, blocks_per_multiprocessor = 2048 / block;
    Tensor out = Tensor::host(shape);
    auto* values = out.data<float>();
    const std::int64_t n = out.elements();
    const std::int64_t threads =
        block * std::min(multiprocessors_ * blocks_per_multiprocessor, (n + block - 1) / block);
    for (std::int64_t call = 0; 4 * threads * call < n; ++call) {
        const std::uint64_t step = offset_ / 4 + static_cast<std::uint64_t>(call);
        for (std::int64_t thread = 0; thread < threads && 4 * threads * call + thread < n; ++thread) {
            const Words words = philox({static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32),
                                        static_cast<std::uint32_t>(thread), 0},
                                       seed_);
            std::array<float, 4> normal{};
            box_muller_cuda(words[0], words[1], normal.data());
            box_muller_cuda(words[2], words[3], normal.data() + 2);
            for (std::int64_t lane = 0; lane < 4; ++lane) {
                const std::int64_t element = (4 * call + lane) * threads + thread;
                if (element < n) values[element] = normal[static_cast<std::size_t>(lane)];
            }
        }
    }
    if (n > 0) offset_ += 4 * static_cast<std::uint64_t>((n + 4 * threads - 1) / (4 * threads));
    return out;
}

} // namespace denoir
