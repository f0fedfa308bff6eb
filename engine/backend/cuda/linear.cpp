// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cassert>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/kernels/eight_bit.h"
#include "engine/backend/cuda/tensors.h"
#include "engine/core/log.h"

namespace denoir::cuda {
namespace {

/// With so many rows, 8-bit products save more than the extra passes over x take.
constexpr std::int64_t eight_bit_rows = 256;

std::string_view eight_bit_use(EightBit kind) { return kind == EightBit::fp8 ? "matrix.fp8" : "matrix.int8"; }

std::size_t eight_bit_bytes(std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows * (columns + static_cast<std::int64_t>(sizeof(float))));
}

} // namespace

/// Computes p: with the library if it can, otherwise with our own kernel. An activation that the library does not do is
/// a kernel of its own. `c` is the tensor that p writes: f32 or bf16, dense rows.
void CudaBackend::product(Product& p, Tensor& c) {
    const Curve wanted = p.activation;
    // The library's tanh is good enough only for bf16. On cards for data centres since Hopper it is a part of the
    // product; on all others it is a kernel of the library that is slower than ours (karpathy/llm.c #338, #653;
    // sgl-project/sglang #34350).
    const int generation = runtime_->properties().major;
    const bool in_library = wanted == Curve::none || (wanted == Curve::gelu_tanh && p.c_type == Type::bf16 &&
                                                      (generation == 9 || generation == 10));
    if (options_.blas && p.k > 0) {
        if (!in_library) p.activation = Curve::none;
        bool done = options_.blas->multiply(p);
        if (!done && p.activation != Curve::none) {
            p.activation = Curve::none;
            done = options_.blas->multiply(p);
        }
        if (done) {
            if (p.activation != wanted) cuda::activate(*runtime_, wanted, walk(c, c, c));
            return;
        }
        p.activation = wanted;
    }
    cuda::multiply(*runtime_, p);
}

void CudaBackend::linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions& options,
                         Tensor& out) {
    const LinearLayer layer{&w, bias};
    linear(x, Layers(&layer, 1), options, out);
}

std::vector<Tensor> CudaBackend::linear_joined(const Tensor& x, std::span<const LinearLayer> layers,
                                               const LinearOptions& options) {
    std::int64_t columns = 0;
    for (const LinearLayer& layer : layers) {
        assert(!layer.bias == !layers[0].bias);
        columns += layer.weight->shape()[0];
    }
    Tensor all = allocate({x.size(0), columns}, options.compute);
    linear(x, layers, options, all);
    std::vector<Tensor> results;
    std::int64_t at = 0;
    for (const LinearLayer& layer : layers) {
        const std::int64_t end = at + layer.weight->shape()[0];
        results.push_back(all.slice(1, at, end));
        at = end;
    }
    return results;
}

void CudaBackend::linear(const Tensor& x, Layers layers, const LinearOptions& options, Tensor& out) {
    throw_if_stopped();
    if (out.elements() == 0) return;
    const DType compute = options.compute;
    const Tensor from = as(x, compute);
    const Bias offsets = bias_of(layers, compute);
    const bool in_place = out.dtype() == compute && out.stride(1) == 1;
    Tensor c = in_place ? out : allocate(out.shape(), compute);
    if (compute == DType::bf16 && options_.eight_bit != EightBit::off && x.size(0) >= eight_bit_rows &&
        linear_eight_bit(from, layers, offsets, c)) {
        if (options.activation != Activation::none)
            cuda::activate(*runtime_, curve_of(options.activation), walk(c, c, c));
    } else {
        const Tensor weight = matrix(layers, compute);
        assert(from.size(1) == weight.size(1) && c.size(1) == weight.size(0));
        Product p;
        p.m = from.size(0);
        p.n = weight.size(0);
        p.k = weight.size(1);
        p.type = type_of(compute);
        p.a = from.raw();
        p.lda = from.stride(0);
        p.b = weight.raw();
        p.ldb = weight.stride(0);
        p.c = c.raw();
        p.c_type = type_of(compute);
        p.ldc = c.stride(0);
        if (offsets.wide) {
            p.bias = offsets.wide.data<float>();
            p.bias_as_c = offsets.narrow.raw();
        }
        p.activation = curve_of(options.activation);
        p.round_sum = compute == DType::bf16;
        product(p, c);
    }
    if (!in_place) copy(c, out);
}

CudaBackend::EightBitRows CudaBackend::quantised(const Tensor& matrix) {
    const std::int64_t count = matrix.size(0), columns = matrix.size(1);
    EightBitRows q{allocate(matrix.shape(), DType::u8), allocate({count}, DType::f32)};
    quantise_rows(*runtime_, options_.eight_bit, rows(matrix), count, static_cast<int>(columns),
                  q.values.data<std::uint8_t>(), q.scales.data<float>());
    return q;
}

std::shared_ptr<CudaBackend::EightBitRows> CudaBackend::eight_bit_weight(Layers layers, std::int64_t rows,
                                                                         std::int64_t columns) {
    auto& slot = kept(layers, eight_bit_use(options_.eight_bit));
    if (!slot) {
        const std::size_t bytes = eight_bit_bytes(rows, columns);
        if (stream_.active() && bytes > resident_left_) return nullptr;
        if (stream_.active()) resident_left_ -= bytes;
        const Borrowed to_stay(*this, *weight_arena_);
        slot = std::make_shared<EightBitRows>(quantised(load(layers, DType::bf16)));
        for (const LinearLayer& layer : layers) drop_stored_pages(*layer.weight);
    }
    return std::static_pointer_cast<EightBitRows>(slot);
}

/// Lets go of it: the bf16 matrix takes its place.
void CudaBackend::forget_eight_bit_weight(Layers layers, std::int64_t rows, std::int64_t columns) {
    kept(layers, eight_bit_use(options_.eight_bit)).reset();
    if (stream_.active()) resident_left_ += eight_bit_bytes(rows, columns);
}

/// False if the library does not do it. From int8 it makes integers, which are scaled afterwards. This is done in
/// pieces of rows: at the sizes of 14B all integers together would take several GiB.
bool CudaBackend::multiply_eight_bit_in_library(const EightBitProduct& p) {
    if (p.kind != EightBit::int8) return options_.blas->multiply(p);
    const std::int64_t room = options_.piece_bytes / (p.n * 4) / eight_bit_rows * eight_bit_rows,
                       pieces = divide_up(p.m, std::max(eight_bit_rows, room)),
                       rows = divide_up(divide_up(p.m, pieces), 16) * 16; // alike, so that the last piece is not short
    Tensor sums = allocate({rows, p.n}, DType::i32);
    for (std::int64_t at = 0; at < p.m; at += rows) {
        EightBitProduct piece = p;
        piece.m = std::min(rows, p.m - at);
        piece.a += at * p.k;
        piece.a_scale += at;
        piece.c = static_cast<std::byte*>(p.c) + at * p.ldc * 2;
        EightBitProduct bare = piece;
        bare.c = sums.raw();
        bare.ldc = p.n;
        if (!options_.blas->multiply(bare)) return false;
        scale_sums(*runtime_, piece, sums.data<std::int32_t>());
    }
    return true;
}

/// False if the card or the sizes do not allow it. c: bf16, with the bias, without an activation.
bool CudaBackend::linear_eight_bit(const Tensor& x, Layers layers, const Bias& bias, Tensor& c) {
    const std::int64_t m = x.size(0), k = x.size(1), n = c.size(1);
    const Properties& card = runtime_->properties();
    const int generation = card.major * 10 + card.minor;
    // cuBLASLt takes a scale for every row only on sm_90; our own kernel does wherever there is fp8.
    const bool has_fp8 = options_.blas ? generation == 90 : generation >= 89;
    if (options_.eight_bit == EightBit::fp8 && !has_fp8) return refuse_eight_bit(k, n);
    if (k % 16 != 0 || n % 16 != 0 || refused_eight_bit_.contains({k, n})) return false;
    const std::shared_ptr<EightBitRows> weight = eight_bit_weight(layers, n, k);
    if (!weight) return false; // it is streamed as bf16
    const EightBitRows input = quantised(x);
    EightBitProduct p;
    p.kind = options_.eight_bit;
    p.m = m;
    p.n = n;
    p.k = k;
    p.a = input.values.data<std::uint8_t>();
    p.b = weight->values.data<std::uint8_t>();
    p.a_scale = input.scales.data<float>();
    p.b_scale = weight->scales.data<float>();
    if (bias.wide) {
        p.bias = bias.wide.data<float>();
        p.bias_bf16 = bias.narrow.raw();
    }
    p.c = c.raw();
    p.ldc = c.stride(0);
    if (!options_.blas) {
        multiply_eight_bit(*runtime_, p);
        return true;
    }
    if (multiply_eight_bit_in_library(p)) return true;
    forget_eight_bit_weight(layers, n, k);
    return refuse_eight_bit(k, n);
}

/// Always false: products of this size are computed in bf16 from now on. The user, who asked for 8 bits, is told once.
bool CudaBackend::refuse_eight_bit(std::int64_t k, std::int64_t n) {
    if (refused_eight_bit_.empty())
        log::warning(
            fmt::format("this card and its cuBLAS do not multiply {} matrices of {}x{}: such linear layers are "
                        "computed in bf16",
                        options_.eight_bit == EightBit::fp8 ? "fp8" : "int8", n, k));
    refused_eight_bit_.insert({k, n});
    return false;
}

} // namespace denoir::cuda
