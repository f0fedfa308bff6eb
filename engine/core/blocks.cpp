// SPDX-License-Identifier: Apache-2.0
// Block formats of GGUF files. Every function reads one block with a layout of spec/checkpoints.md 5.4; fields have the
// names that they have there.
#include "engine/core/blocks.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace denoir {
namespace {

constexpr std::array<std::int8_t, 16> iq4_values = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                    1,    13,   25,  38,  53,  69,  89,  113};

std::uint16_t u16_at(const std::uint8_t* p) { return static_cast<std::uint16_t>(p[0] | p[1] << 8); }
std::uint32_t u32_at(const std::uint8_t* p) { return u16_at(p) | static_cast<std::uint32_t>(u16_at(p + 2)) << 16; }
float half_at(const std::uint8_t* p) { return f16_to_f32(u16_at(p)); }
float as_float(int value) { return static_cast<float>(value); }

void q4_0(const std::uint8_t* in, float* y) {
    const float d = half_at(in);
    const std::uint8_t* qs = in + 2;
    for (int e = 0; e < 16; ++e) {
        y[e] = d * as_float((qs[e] & 15) - 8);
        y[e + 16] = d * as_float((qs[e] >> 4) - 8);
    }
}

void q4_1(const std::uint8_t* in, float* y) {
    const float d = half_at(in), m = half_at(in + 2);
    const std::uint8_t* qs = in + 4;
    for (int e = 0; e < 16; ++e) {
        y[e] = d * as_float(qs[e] & 15) + m;
        y[e + 16] = d * as_float(qs[e] >> 4) + m;
    }
}

/// The fifth bit of value e in q5_0 and q5_1, shifted to its place.
int fifth_bit(std::uint32_t qh, int e) { return static_cast<int>(qh >> e & 1) << 4; }

void q5_0(const std::uint8_t* in, float* y) {
    const float d = half_at(in);
    const std::uint32_t qh = u32_at(in + 2);
    const std::uint8_t* qs = in + 6;
    for (int e = 0; e < 16; ++e) {
        y[e] = d * as_float(((qs[e] & 15) | fifth_bit(qh, e)) - 16);
        y[e + 16] = d * as_float(((qs[e] >> 4) | fifth_bit(qh, e + 16)) - 16);
    }
}

void q5_1(const std::uint8_t* in, float* y) {
    const float d = half_at(in), m = half_at(in + 2);
    const std::uint32_t qh = u32_at(in + 4);
    const std::uint8_t* qs = in + 8;
    for (int e = 0; e < 16; ++e) {
        y[e] = d * as_float((qs[e] & 15) | fifth_bit(qh, e)) + m;
        y[e + 16] = d * as_float((qs[e] >> 4) | fifth_bit(qh, e + 16)) + m;
    }
}

void q8_0(const std::uint8_t* in, float* y) {
    const float d = half_at(in);
    for (int e = 0; e < 32; ++e) y[e] = d * as_float(static_cast<std::int8_t>(in[2 + e]));
}

void q2_k(const std::uint8_t* in, float* y) {
    const std::uint8_t *scales = in, *qs = in + 16;
    const float d = half_at(in + 80), dmin = half_at(in + 82);
    for (int group = 0; group < 16; ++group) { // a group of 16 values shares a scale
        const int n = group / 8, j = group % 8 / 2, first = group % 2 * 16;
        const float scale = d * as_float(scales[group] & 15), offset = dmin * as_float(scales[group] >> 4);
        for (int l = 0; l < 16; ++l)
            y[16 * group + l] = scale * as_float(qs[32 * n + first + l] >> (2 * j) & 3) - offset;
    }
}

void q3_k(const std::uint8_t* in, float* y) {
    const std::uint8_t *hmask = in, *qs = in + 32, *b = in + 96;
    const float d = half_at(in + 108);
    for (int i = 0; i < 16; ++i) {
        const int low = i < 8 ? b[i] & 15 : b[i - 8] >> 4;
        const int high = b[8 + i % 4] >> (2 * (i / 4)) & 3;
        const float scale = d * as_float((low | high << 4) - 32);
        const int n = i / 8, j = i % 8 / 2, first = i % 2 * 16;
        for (int l = first; l < first + 16; ++l) {
            const int q = (qs[32 * n + l] >> (2 * j) & 3) - ((hmask[l] >> (4 * n + j) & 1) ? 0 : 4);
            y[16 * i + l - first] = scale * as_float(q);
        }
    }
}

struct ScaleAndMin {
    int scale, min;
};

/// Pair j of the eight pairs of six-bit numbers in twelve bytes (q4_k, q5_k).
ScaleAndMin scale_and_min(const std::uint8_t* b, int j) {
    if (j < 4) return {b[j] & 63, b[j + 4] & 63};
    return {(b[j + 4] & 15) | (b[j - 4] >> 6) << 4, (b[j + 4] >> 4) | (b[j] >> 6) << 4};
}

void q4_k(const std::uint8_t* in, float* y) {
    const float d = half_at(in), dmin = half_at(in + 2);
    const std::uint8_t* qs = in + 16;
    for (int j = 0; j < 8; ++j) {
        const auto [scale, min] = scale_and_min(in + 4, j);
        const float s = d * as_float(scale), m = dmin * as_float(min);
        for (int l = 0; l < 32; ++l) y[32 * j + l] = s * as_float(qs[32 * (j / 2) + l] >> (4 * (j & 1)) & 15) - m;
    }
}

void q5_k(const std::uint8_t* in, float* y) {
    const float d = half_at(in), dmin = half_at(in + 2);
    const std::uint8_t *qh = in + 16, *qs = in + 48;
    for (int j = 0; j < 8; ++j) {
        const auto [scale, min] = scale_and_min(in + 4, j);
        const float s = d * as_float(scale), m = dmin * as_float(min);
        for (int l = 0; l < 32; ++l) {
            const int q = (qs[32 * (j / 2) + l] >> (4 * (j & 1)) & 15) | (qh[l] >> j & 1) << 4;
            y[32 * j + l] = s * as_float(q) - m;
        }
    }
}

void q6_k(const std::uint8_t* in, float* y) {
    const std::uint8_t *ql = in, *qh = in + 128, *scales = in + 192;
    const float d = half_at(in + 208);
    for (int i = 0; i < 16; ++i) {
        const int n = i / 8, k = i % 8 / 2, first = i % 2 * 16;
        const float scale = d * as_float(static_cast<std::int8_t>(scales[i]));
        for (int l = first; l < first + 16; ++l) {
            const int low = ql[64 * n + 32 * (k & 1) + l] >> (4 * (k >> 1)) & 15;
            const int high = qh[32 * n + l] >> (2 * k) & 3;
            y[16 * i + l - first] = scale * as_float((low | high << 4) - 32);
        }
    }
}

/// 16 bytes of nibbles, looked up in the table: all low nibbles first.
void iq4_nibbles(const std::uint8_t* qs, float d, float* y) {
    for (int e = 0; e < 16; ++e) {
        y[e] = d * as_float(iq4_values[qs[e] & 15]);
        y[e + 16] = d * as_float(iq4_values[qs[e] >> 4]);
    }
}

void iq4_nl(const std::uint8_t* in, float* y) { iq4_nibbles(in + 2, half_at(in), y); }

void iq4_xs(const std::uint8_t* in, float* y) {
    const float d = half_at(in);
    const int scales_h = u16_at(in + 2);
    const std::uint8_t *scales_l = in + 4, *qs = in + 8;
    for (int b = 0; b < 8; ++b) {
        const int scale = (scales_l[b / 2] >> (4 * (b & 1)) & 15) | (scales_h >> (2 * b) & 3) << 4;
        iq4_nibbles(qs + 16 * b, d * as_float(scale - 32), y + 32 * b);
    }
}

using Reader = void (*)(const std::uint8_t*, float*);

Reader reader(DType type) {
    switch (type) {
    case DType::q4_0:
        return q4_0;
    case DType::q4_1:
        return q4_1;
    case DType::q5_0:
        return q5_0;
    case DType::q5_1:
        return q5_1;
    case DType::q8_0:
        return q8_0;
    case DType::q2_k:
        return q2_k;
    case DType::q3_k:
        return q3_k;
    case DType::q4_k:
        return q4_k;
    case DType::q5_k:
        return q5_k;
    case DType::q6_k:
        return q6_k;
    case DType::iq4_nl:
        return iq4_nl;
    case DType::iq4_xs:
        return iq4_xs;
    default:
        return nullptr;
    }
}

} // namespace

void dequantize_blocks(DType from, const std::uint8_t* in, float* out, std::int64_t blocks) {
    const Reader read = reader(from);
    assert(read);
    const DTypeInfo& type = info(from);
    for (std::int64_t i = 0; i < blocks; ++i, in += type.block_bytes, out += type.block_elements) read(in, out);
}

void quantize_q8_0(const float* in, std::uint8_t* out, std::int64_t blocks) {
    constexpr std::uint16_t infinity = 0x7C00, nan = 0x7E00;
    for (std::int64_t b = 0; b < blocks; ++b, in += 32, out += 34) {
        float largest = 0;
        bool finite = true;
        for (int e = 0; e < 32; ++e) {
            finite = finite && std::isfinite(in[e]);
            largest = std::max(largest, std::fabs(in[e]));
        }
        const float d = largest / 127.0f, quotient = 1.0f / d;
        const float inverse = std::isfinite(quotient) ? quotient : 0.0f; // 0 if all values are (nearly) 0
        std::uint16_t bits = f32_to_f16(d);
        finite = finite && bits < infinity;
        if (!finite) bits = nan;
        out[0] = static_cast<std::uint8_t>(bits);
        out[1] = static_cast<std::uint8_t>(bits >> 8);
        for (int e = 0; e < 32; ++e)
            out[2 + e] = finite ? static_cast<std::uint8_t>(static_cast<int>(std::round(in[e] * inverse))) : 0;
    }
}

} // namespace denoir
