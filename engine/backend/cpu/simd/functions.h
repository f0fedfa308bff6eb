// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cpu/kernels.h"
#include "engine/backend/cpu/simd/vector.h"

/// The functions of cpu::Kernels in one build of this folder (DENOIR_ISA); kernels.h describes them.
namespace denoir::cpu::DENOIR_ISA {

void gemm(const float* a, std::int64_t lda, const float* panels, std::int64_t k, std::int64_t m, std::int64_t n,
          float* c, std::int64_t ldc, bool accumulate);
void pack_transposed(const float* w, std::int64_t ldw, std::int64_t n, std::int64_t k, float* panels);
void pack(const float* v, std::int64_t ldv, std::int64_t k, std::int64_t n, float* panels);
#if defined(__AVX512BF16__)
void gemm_bf16(const std::uint16_t* a, std::int64_t lda, const std::uint16_t* panels, std::int64_t k, std::int64_t m,
               std::int64_t n, float* c, std::int64_t ldc, bool accumulate);
#else
constexpr decltype(Kernels::gemm_bf16) gemm_bf16 = nullptr;
#endif
void pair_rows(const float* panels, std::int64_t rows, std::uint16_t* pairs);
void dot(const float* x, std::int64_t ldx, std::int64_t m, const float* w, std::int64_t k, float* out,
         std::int64_t ldo);
void winograd_points(const float* from, std::int64_t row, std::int64_t n, float* to, std::int64_t point);
void winograd_points_duplicated(const float* from, std::int64_t row, std::int64_t n, float* to, std::int64_t point);
void winograd_outputs(const float* from, std::int64_t point, std::int64_t n, float* to, std::int64_t row);
void winograd_outputs_duplicated(const float* from, std::int64_t point, std::int64_t n, float* to, std::int64_t row);

void widen_bf16(const std::uint16_t* in, float* out, std::int64_t n);
void widen_f16(const std::uint16_t* in, float* out, std::int64_t n);
void widen_e5m2(const std::uint8_t* in, float* out, std::int64_t n);
void widen_e4m3(const std::uint8_t* in, float* out, std::int64_t n);
void widen_i8(const std::uint8_t* in, float* out, std::int64_t n);
void narrow_bf16(const float* in, std::uint16_t* out, std::int64_t n);
void round_bf16(const float* in, float* out, std::int64_t n);

void add(const float* a, const float* b, float* out, std::int64_t n);
void multiply(const float* a, const float* b, float* out, std::int64_t n);
void scale(const float* in, float factor, float* out, std::int64_t n);
void gated_add(const float* x, const float* y, const float* gate, float* out, std::int64_t n);
void activate(Activation kind, const float* in, float* out, std::int64_t n);

double sum(const float* x, std::int64_t n);
double sum_squares(const float* x, float mean, std::int64_t n);
void normalize(const float* x, float mean, float factor, const float* weight, bool one_plus, const float* bias,
               float* out, std::int64_t n);
void rms(const float* x, float factor, bool round, const float* weight, float* out, std::int64_t n);
void unit_rows(const float* x, std::int64_t ldx, std::int64_t rows, std::int64_t n, const float* gamma, bool activated,
               float* out);
void rotate(const float* x, const float* cos2, const float* sin2, float* out, std::int64_t n);
void biased_scores(float* s, float scale, const float* bias, const float* key_bias, std::int64_t n);
float greatest(const float* s, std::int64_t n);
float exponentials(float* s, float scale, float shift, bool round, std::int64_t n);
float powers_of_two_bf16(const float* s, float scale, float shift, std::uint16_t* out, std::int64_t n);
double multiply_adds(std::int64_t rounds);

} // namespace denoir::cpu::DENOIR_ISA
