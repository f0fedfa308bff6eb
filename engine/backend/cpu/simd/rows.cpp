// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/gelu_steps.h"
#include "engine/backend/cpu/simd/functions.h"
#include "engine/backend/cpu/simd/math.h"

namespace denoir::cpu::DENOIR_ISA {
namespace {

/// out[i] = f(in[i], …), vector by vector. Unused lanes of the last vector hold zeros.
template <class F, class... In> void map(F f, float* out, std::int64_t n, const In*... in) {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) store(out + i, f(load(in + i)...));
    if (i < n) store_part(out + i, f(load_part(in + i, n - i)...), n - i);
}

/// out[i] = f(in[i]) for values narrower than f32, a vector of type `Narrow` at a time.
template <class Narrow, class Element, class F> void widen(F f, const Element* in, float* out, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        Narrow v;
        __builtin_memcpy(&v, in + i, sizeof v);
        store(out + i, f(v));
    }
    if (i < n) {
        Narrow v{};
        __builtin_memcpy(&v, in + i, static_cast<std::size_t>(n - i) * sizeof(Element));
        store_part(out + i, f(v), n - i);
    }
}

/// The sum of f over all values: short stretches are summed in f32 (in four vectors), and the stretches in f64.
template <class F> double total(F f, const float* x, std::int64_t n) {
    constexpr std::int64_t stretch = 16 * lanes;
    double result = 0;
    for (std::int64_t begin = 0; begin < n; begin += stretch) {
        const std::int64_t end = n - begin < stretch ? n : begin + stretch;
        Vec sums[4]{};
        std::int64_t i = begin;
        for (; i + 4 * lanes <= end; i += 4 * lanes)
            for (int j = 0; j < 4; ++j) sums[j] = sums[j] + f(load(x + i + j * lanes));
        for (; i + lanes <= end; i += lanes) sums[0] = sums[0] + f(load(x + i));
        float rest = 0;
        if (i < end) {
            const Vec v = f(load_part(x + i, end - i));
            for (int j = 0; j < end - i; ++j) rest += v[j];
        }
        result += static_cast<double>(sum((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest);
    }
    return result;
}

/// Calls put(i, f(s[i]) …, count) for every vector of n values, of which the last may have fewer than `lanes`. Returns
/// the sum of all f(s[i]).
template <class F, class Put> float each_exponential(F f, const float* s, std::int64_t n, Put put) {
    Vec sums{};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const Vec e = f(load(s + i));
        sums = sums + e;
        put(i, e, lanes);
    }
    float result = sum(sums);
    if (i < n) {
        const Vec e = f(load_part(s + i, n - i));
        for (std::int64_t j = 0; j < n - i; ++j) result += e[static_cast<int>(j)];
        put(i, e, n - i);
    }
    return result;
}

} // namespace

void widen_bf16(const std::uint16_t* in, float* out, std::int64_t n) {
    widen<Halves>([](Halves h) { return reinterpret_cast<Vec>(__builtin_convertvector(h, UVec) << 16); }, in, out, n);
}

void widen_f16(const std::uint16_t* in, float* out, std::int64_t n) {
    widen<Halves>([](Halves h) { return widen_f16(h); }, in, out, n);
}

void widen_e5m2(const std::uint8_t* in, float* out, std::int64_t n) {
    widen<Bytes>([](Bytes b) { return widen_e5m2(b); }, in, out, n);
}

void widen_e4m3(const std::uint8_t* in, float* out, std::int64_t n) {
    widen<Bytes>([](Bytes b) { return widen_e4m3(b); }, in, out, n);
}

void widen_i8(const std::uint8_t* in, float* out, std::int64_t n) {
    widen<Bytes>([](Bytes b) { return widen_i8(b); }, in, out, n);
}

void narrow_bf16(const float* in, std::uint16_t* out, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) { // whole vectors separately, as each is copied by one instruction
        const Halves h = narrow_bf16(load(in + i));
        __builtin_memcpy(out + i, &h, sizeof h);
    }
    if (i == n) return;
    const Halves h = narrow_bf16(load_part(in + i, n - i));
    __builtin_memcpy(out + i, &h, static_cast<std::size_t>(n - i) * 2);
}

void round_bf16(const float* in, float* out, std::int64_t n) {
    map([](Vec v) { return round_bf16(v); }, out, n, in);
}

void add(const float* a, const float* b, float* out, std::int64_t n) {
    map([](Vec x, Vec y) { return x + y; }, out, n, a, b);
}

void multiply(const float* a, const float* b, float* out, std::int64_t n) {
    map([](Vec x, Vec y) { return x * y; }, out, n, a, b);
}

void scale(const float* in, float factor, float* out, std::int64_t n) {
    map([f = splat(factor)](Vec x) { return x * f; }, out, n, in);
}

void gated_add(const float* x, const float* y, const float* gate, float* out, std::int64_t n) {
    map([](Vec a, Vec b, Vec g) { return a + b * g; }, out, n, x, y, gate);
}

void activate(Activation kind, const float* in, float* out, std::int64_t n) {
    switch (kind) {
    case Activation::none:
        map([](Vec v) { return v; }, out, n, in);
        return;
    case Activation::silu:
        map([](Vec v) { return silu(v); }, out, n, in);
        return;
    case Activation::gelu_tanh:
        map([](Vec v) { return gelu_tanh(v); }, out, n, in);
        return;
    case Activation::gelu_erf:
        map([](Vec v) { return gelu_erf(v); }, out, n, in);
        return;
    case Activation::gelu_tanh_steps:
        gelu_in_steps(in, out, n);
        return;
    }
}

double sum(const float* x, std::int64_t n) {
    return total([](Vec v) { return v; }, x, n);
}

double sum_squares(const float* x, float mean, std::int64_t n) {
    return total([m = splat(mean)](Vec v) { return (v - m) * (v - m); }, x, n);
}

void normalize(const float* x, float mean, float factor, const float* weight, bool one_plus, const float* bias,
               float* out, std::int64_t n) {
    const Vec m = splat(mean), f = splat(factor), one = splat(one_plus ? 1.0f : 0.0f);
    const auto unit = [=](Vec v) { return (v - m) * f; };
    if (weight && bias)
        map([=](Vec v, Vec w, Vec b) { return unit(v) * (w + one) + b; }, out, n, x, weight, bias);
    else if (weight)
        map([=](Vec v, Vec w) { return unit(v) * (w + one); }, out, n, x, weight);
    else if (bias)
        map([=](Vec v, Vec b) { return unit(v) + b; }, out, n, x, bias);
    else
        map(unit, out, n, x);
}

void rms(const float* x, float factor, bool round, const float* weight, float* out, std::int64_t n) {
    const Vec f = splat(factor);
    if (round)
        map([=](Vec v, Vec w) { return round_bf16(v * f) * w; }, out, n, x, weight);
    else
        map([=](Vec v, Vec w) { return v * f * w; }, out, n, x, weight);
}

void unit_rows(const float* x, std::int64_t ldx, std::int64_t rows, std::int64_t n, const float* gamma, bool activated,
               float* out) {
    const Vec root = sqrt(splat(static_cast<float>(n)));
    // As many rows at a time as a vector has lanes, so that one root and one division serve all of them.
    for (std::int64_t begin = 0; begin < rows; begin += lanes, x += lanes * ldx, out += lanes * n) {
        const int count = rows - begin < lanes ? static_cast<int>(rows - begin) : lanes;
        float factors[lanes]{};
        for (int r = 0; r < count; ++r) {
            const float* row = x + r * ldx;
            Vec even{}, odd{};
            std::int64_t i = 0;
            for (; i + 2 * lanes <= n; i += 2 * lanes) {
                const Vec a = load(row + i), b = load(row + i + lanes);
                even = fma(a, a, even);
                odd = fma(b, b, odd);
            }
            for (; i < n; i += lanes) {
                const Vec a = i + lanes <= n ? load(row + i) : load_part(row + i, n - i);
                even = fma(a, a, even);
            }
            factors[r] = sum(even + odd);
        }
        store(factors, root / max(splat(1e-12f), sqrt(load(factors)))); // keeps NaN, as max() returns the second
        for (int r = 0; r < count; ++r) {
            const Vec f = splat(factors[r]);
            if (activated)
                map([=](Vec v, Vec g) { return silu(v * f * g); }, out + r * n, n, x + r * ldx, gamma);
            else
                map([=](Vec v, Vec g) { return v * f * g; }, out + r * n, n, x + r * ldx, gamma);
        }
    }
}

void rotate(const float* x, const float* cos2, const float* sin2, float* out, std::int64_t n) {
    map(
        [](Vec v, Vec c, Vec s) {
            const Pairs p = reinterpret_cast<Pairs>(v);
            const Vec swapped = reinterpret_cast<Vec>((p << 32) | (p >> 32));
            return v * c + swapped * s;
        },
        out, n, x, cos2, sin2);
}

void biased_scores(float* s, float scale, const float* bias, const float* key_bias, std::int64_t n) {
    const auto scaled = [f = splat(scale)](Vec v) { return v * f; };
    if (bias && key_bias)
        map([=](Vec v, Vec b, Vec k) { return scaled(v) + b + k; }, s, n, s, bias, key_bias);
    else
        map([=](Vec v, Vec b) { return scaled(v) + b; }, s, n, s, bias ? bias : key_bias);
}

float greatest(const float* s, std::int64_t n) {
    // Several maxima, as each step of a single one would wait for the step before.
    Vec m[4];
    for (Vec& each : m) each = splat(-__builtin_inff());
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes)
        for (int j = 0; j < 4; ++j) m[j] = max(load(s + i + j * lanes), m[j]);
    for (; i + lanes <= n; i += lanes) m[0] = max(load(s + i), m[0]);
    float result = greatest(max(max(m[0], m[1]), max(m[2], m[3])));
    for (; i < n; ++i) result = s[i] > result ? s[i] : result;
    return result;
}

float exponentials(float* s, float scale, float shift, bool round, std::int64_t n) {
    // Product and difference are rounded separately, so that the difference is zero for the greatest, however large.
    const auto f = [by = splat(scale), top = splat(shift)](Vec v) { return exp(v * by - top); };
    return each_exponential(f, s, n, [=](std::int64_t i, Vec e, std::int64_t count) {
        if (round) e = round_bf16(e);
        if (count == lanes)
            store(s + i, e);
        else
            store_part(s + i, e, count);
    });
}

float powers_of_two_bf16(const float* s, float scale, float shift, std::uint16_t* out, std::int64_t n) {
    const auto f = [by = splat(scale), top = splat(shift)](Vec v) { return exp2_coarse(v * by - top); };
    return each_exponential(f, s, n, [=](std::int64_t i, Vec e, std::int64_t count) {
        const Halves h = narrow_normal_bf16(e);
        if (count == lanes)
            __builtin_memcpy(out + i, &h, sizeof h);
        else
            __builtin_memcpy(out + i, &h, static_cast<std::size_t>(count) * 2);
    });
}

} // namespace denoir::cpu::DENOIR_ISA
