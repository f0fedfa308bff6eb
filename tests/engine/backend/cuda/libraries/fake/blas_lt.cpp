// SPDX-License-Identifier: Apache-2.0
#pragma GCC visibility push(default)
#include "tests/engine/backend/cuda/libraries/fake/blas_lt.h"
#pragma GCC visibility pop

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

#include "engine/backend/cuda/kernels/eight_bit.h"
#include "engine/core/dtype.h"
#include "tests/engine/backend/cuda/tf32.h"

namespace denoir::test {
namespace {

FakeBlas& library() {
    static FakeBlas one;
    return one;
}

cublasStatus_t misused(std::string how) {
    library().misuse.push_back(std::move(how));
    return CUBLAS_STATUS_INVALID_VALUE;
}

/// The attributes of an object by their numbers, each with the size that the manual gives.
class Attributes {
public:
    template <class T> T get(int name, T otherwise) const {
        const auto found = all_.find(name);
        if (found != all_.end()) std::memcpy(&otherwise, found->second.data(), sizeof otherwise);
        return otherwise;
    }
    cublasStatus_t set(const std::map<int, std::size_t>& sizes, int name, const void* value, std::size_t bytes) {
        const auto known = sizes.find(name);
        if (known == sizes.end()) return misused(fmt::format("attribute {} is not known here", name));
        if (!value || bytes != known->second) return misused(fmt::format("attribute {} in {} bytes", name, bytes));
        const auto* const begin = static_cast<const std::byte*>(value);
        all_[name].assign(begin, begin + bytes);
        return CUBLAS_STATUS_SUCCESS;
    }

private:
    std::map<int, std::vector<std::byte>> all_;
};

struct Counted {
    Counted() { ++library().alive; }
    ~Counted() { --library().alive; }
    Counted(const Counted&) = delete;
};

struct Handle : Counted {
    std::function<void(std::function<void()>)> submit = library().submit;
};
struct Description : Counted {
    cublasComputeType_t compute;
    cudaDataType_t scale;
    Attributes attributes;
    Description(cublasComputeType_t c, cudaDataType_t s) : compute(c), scale(s) {}
    cublasOperation_t operation(cublasLtMatmulDescAttributes_t which) const {
        return attributes.get(which, CUBLAS_OP_N);
    }
};
struct Layout : Counted {
    cudaDataType_t type;
    std::int64_t rows, columns, stride; ///< column-major: columns follow each other in memory
    Attributes attributes;
    Layout(cudaDataType_t t, std::uint64_t r, std::uint64_t c, std::int64_t s)
        : type(t), rows(static_cast<std::int64_t>(r)), columns(static_cast<std::int64_t>(c)), stride(s) {}
    std::int32_t batch() const { return attributes.get(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{1}); }
    std::int64_t step() const { return attributes.get(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{0}); }
};
struct Preference : Counted {
    Attributes attributes;
};

template <class To, class From> To* as(From* handle) { return reinterpret_cast<To*>(handle); }
template <class To, class From> const To& of(const From* handle) { return *reinterpret_cast<const To*>(handle); }

std::size_t size_of(cudaDataType_t type) {
    return type == CUDA_R_32F || type == CUDA_R_32I ? 4 : type == CUDA_R_16BF ? 2 : 1;
}

double value(cudaDataType_t type, const void* memory, std::int64_t i) {
    switch (type) {
    case CUDA_R_32F:
        return static_cast<double>(static_cast<const float*>(memory)[i]);
    case CUDA_R_16BF:
        return static_cast<double>(bf16{static_cast<const std::uint16_t*>(memory)[i]}.value());
    case CUDA_R_8F_E4M3:
        return static_cast<double>(cuda::widen_e4m3(static_cast<const std::uint8_t*>(memory)[i]));
    default:
        return static_cast<double>(static_cast<const std::int8_t*>(memory)[i]);
    }
}

void put(cudaDataType_t type, void* memory, std::int64_t i, double v) {
    if (type == CUDA_R_32F) static_cast<float*>(memory)[i] = static_cast<float>(v);
    if (type == CUDA_R_16BF) static_cast<std::uint16_t*>(memory)[i] = bf16::from(static_cast<float>(v)).bits;
    if (type == CUDA_R_32I) static_cast<std::int32_t*>(memory)[i] = static_cast<std::int32_t>(v);
}

/// A whole call: D = epilogue(op(A) · op(B)) of size m x n, with columns that follow each other in memory.
struct Call {
    cublasComputeType_t compute;
    bool a_turned, b_turned;
    cudaDataType_t type, result, bias_type;
    const void *a, *b, *bias, *a_scale, *b_scale;
    void* d;
    std::int64_t m, n, k, lda, ldb, ldd, batch, a_step, b_step, d_step;
    cublasLtEpilogue_t epilogue;
    bool scaled; ///< each row of A and each column of B has a scale

    void run(const FakeBlas::Algorithm& algorithm) const {
        const std::int64_t summed = algorithm.splits_k ? k / 128 * 128 : k;
        for (std::int64_t one = 0; one < batch; ++one) {
            const std::vector<double> rows = factors(a, one * a_step, m, lda, a_turned),
                                      columns = factors(b, one * b_step, n, ldb, !b_turned);
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < m; ++i) {
                    double sum = std::inner_product(rows.begin() + i * k, rows.begin() + i * k + summed,
                                                    columns.begin() + j * k, 0.0);
                    if (scaled) sum *= value(CUDA_R_32F, a_scale, i) * value(CUDA_R_32F, b_scale, j);
                    put(result, d, one * d_step + j * ldd + i, finished(sum, i));
                }
        }
    }

private:
    /// Values [count, K]. If `dense`, the K values of each row follow each other in memory.
    std::vector<double> factors(const void* memory, std::int64_t first, std::int64_t count, std::int64_t stride,
                                bool dense) const {
        std::vector<double> all;
        all.reserve(static_cast<std::size_t>(count * k));
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t l = 0; l < k; ++l) {
                const double v = value(type, memory, first + (dense ? i * stride + l : l * stride + i));
                all.push_back(compute == CUBLAS_COMPUTE_32F_FAST_TF32
                                  ? static_cast<double>(cut_to_tf32(static_cast<float>(v)))
                                  : v);
            }
        return all;
    }
    double finished(double v, std::int64_t row) const {
        if (epilogue == CUBLASLT_EPILOGUE_BIAS || epilogue == CUBLASLT_EPILOGUE_GELU_BIAS)
            v += value(bias_type, bias, row);
        if (epilogue == CUBLASLT_EPILOGUE_GELU || epilogue == CUBLASLT_EPILOGUE_GELU_BIAS)
            v *= 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
        return v;
    }
};

/// What a description and its layouts ask for, without the memory, or nothing if the library has no such product.
std::optional<Call> described(const Description& d, const Layout& a, const Layout& b, const Layout& c,
                              const Layout& result) {
    const auto refuse = [](std::string why) -> std::optional<Call> {
        misused(std::move(why));
        return {};
    };
    Call call{};
    call.compute = d.compute;
    call.a_turned = d.operation(CUBLASLT_MATMUL_DESC_TRANSA) == CUBLAS_OP_T;
    call.b_turned = d.operation(CUBLASLT_MATMUL_DESC_TRANSB) == CUBLAS_OP_T;
    call.type = a.type;
    call.result = result.type;
    call.m = call.a_turned ? a.columns : a.rows;
    call.k = call.a_turned ? a.rows : a.columns;
    call.n = call.b_turned ? b.rows : b.columns;
    if (call.k != (call.b_turned ? b.columns : b.rows)) return refuse("A and B do not fit");
    if (result.rows != call.m || result.columns != call.n) return refuse("D does not fit");
    if (c.type != result.type || c.rows != result.rows || c.columns != result.columns) return refuse("C is not as D");
    for (const Layout* layout : {&a, &b, &c, &result})
        if (layout->rows < 1 || layout->columns < 1 || layout->stride < layout->rows || layout->batch() != a.batch())
            return refuse("a matrix's sizes");
    if (b.type != a.type) return refuse("A and B of two types");
    call.lda = a.stride, call.ldb = b.stride, call.ldd = result.stride;
    call.batch = a.batch();
    call.a_step = a.step(), call.b_step = b.step(), call.d_step = result.step();

    call.epilogue = d.attributes.get(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
    call.bias = d.attributes.get<const void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr);
    call.bias_type = static_cast<cudaDataType_t>(d.attributes.get(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, -1));
    const bool adds = call.epilogue == CUBLASLT_EPILOGUE_BIAS || call.epilogue == CUBLASLT_EPILOGUE_GELU_BIAS;
    if (adds && !call.bias) return refuse("an epilogue without its bias");
    if (adds && call.bias_type != result.type) return refuse("a bias of another type than D");

    const auto mode = [&](cublasLtMatmulDescAttributes_t which) { return d.attributes.get(which, std::int32_t{0}); };
    const std::int32_t a_mode = mode(CUBLASLT_MATMUL_DESC_A_SCALE_MODE),
                       b_mode = mode(CUBLASLT_MATMUL_DESC_B_SCALE_MODE);
    call.a_scale = d.attributes.get<const void*>(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, nullptr);
    call.b_scale = d.attributes.get<const void*>(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, nullptr);
    call.scaled = a_mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    if (a_mode != b_mode || call.scaled != (call.a_scale && call.b_scale)) return refuse("scales");

    const bool rows_of_16 = call.lda % 16 == 0 && call.ldb % 16 == 0, tn = call.a_turned && !call.b_turned;
    switch (a.type) {
    case CUDA_R_16BF:
        if (d.compute != CUBLAS_COMPUTE_32F || d.scale != CUDA_R_32F || call.scaled) return refuse("bf16");
        if (result.type != CUDA_R_16BF && result.type != CUDA_R_32F) return refuse("bf16's result");
        return call;
    case CUDA_R_32F:
        if (d.compute != CUBLAS_COMPUTE_32F && d.compute != CUBLAS_COMPUTE_32F_FAST_TF32) return refuse("f32");
        if (d.scale != CUDA_R_32F || result.type != CUDA_R_32F || call.scaled) return refuse("f32's result");
        return call;
    case CUDA_R_8F_E4M3: // only as "TN", with sizes that are multiples of 16
        if (d.compute != CUBLAS_COMPUTE_32F || d.scale != CUDA_R_32F || !tn || !rows_of_16 || call.batch != 1)
            return refuse("fp8");
        if (result.type != CUDA_R_16BF || call.ldd % 8 != 0) return refuse("fp8's result");
        return call;
    case CUDA_R_8I:
        if (d.compute != CUBLAS_COMPUTE_32I || d.scale != CUDA_R_32I || !tn || call.lda % 4 != 0 || call.ldb % 4 != 0)
            return refuse("int8");
        if (result.type != CUDA_R_32I || call.epilogue != CUBLASLT_EPILOGUE_DEFAULT) return refuse("int8's result");
        return call;
    default:
        return refuse("a type that is not known here");
    }
}

constexpr std::uint64_t ours = 0xD0; ///< marks every algorithm that this library has made

cublasLtMatmulAlgo_t numbered(std::size_t number) {
    cublasLtMatmulAlgo_t algorithm{};
    algorithm.data[0] = ours;
    algorithm.data[1] = number;
    return algorithm;
}

const FakeBlas::Algorithm* find(const cublasLtMatmulAlgo_t* algorithm) {
    if (!algorithm || algorithm->data[0] != ours || algorithm->data[1] >= library().algorithms.size()) return nullptr;
    return &library().algorithms[algorithm->data[1]];
}

/// Whether the rows begin where the algorithm can read them.
bool rows_fit(const FakeBlas::Algorithm& algorithm, std::initializer_list<const Layout*> layouts) {
    return std::ranges::all_of(layouts, [&](const Layout* layout) {
        return layout->stride * static_cast<std::int64_t>(size_of(layout->type)) % algorithm.alignment == 0;
    });
}

/// Whether the algorithm can read a matrix at this address, and those of its batch behind it.
bool lies_well(const FakeBlas::Algorithm& algorithm, const void* memory, const Layout& layout) {
    const auto bits = reinterpret_cast<std::uintptr_t>(memory) |
                      (layout.batch() > 1 ? static_cast<std::uintptr_t>(layout.step()) * size_of(layout.type) : 0);
    return bits % algorithm.alignment == 0;
}

} // namespace
} // namespace denoir::test

using namespace denoir::test;

FakeBlas* denoir_fake_blas() { return &library(); }

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    if (library().creates == CUBLAS_STATUS_SUCCESS) *handle = as<cublasLtContext>(new Handle);
    return library().creates;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete as<Handle>(handle);
    return CUBLAS_STATUS_SUCCESS;
}
std::size_t cublasLtGetVersion() { return library().version; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t scale) {
    *made = as<cublasLtMatmulDescOpaque_t>(new Description(compute, scale));
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
    delete as<Description>(description);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t name,
                                              const void* value, std::size_t bytes) {
    static const std::map<int, std::size_t> sizes = {
        {CUBLASLT_MATMUL_DESC_TRANSA, 4},         {CUBLASLT_MATMUL_DESC_TRANSB, 4},
        {CUBLASLT_MATMUL_DESC_EPILOGUE, 4},       {CUBLASLT_MATMUL_DESC_BIAS_POINTER, sizeof(void*)},
        {CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, 4}, {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, sizeof(void*)},
        {CUBLASLT_MATMUL_DESC_FAST_ACCUM, 1},     {CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, sizeof(void*)},
        {CUBLASLT_MATMUL_DESC_A_SCALE_MODE, 4},   {CUBLASLT_MATMUL_DESC_B_SCALE_MODE, 4}};
    return as<Description>(description)->attributes.set(sizes, name, value, bytes);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t stride) {
    *made = as<cublasLtMatrixLayoutOpaque_t>(new Layout(type, rows, columns, stride));
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete as<Layout>(layout);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t name,
                                                const void* value, std::size_t bytes) {
    static const std::map<int, std::size_t> sizes = {{CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 4},
                                                     {CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 8}};
    return as<Layout>(layout)->attributes.set(sizes, name, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
    *made = as<cublasLtMatmulPreferenceOpaque_t>(new Preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete as<Preference>(preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t name, const void* value,
                                                    std::size_t bytes) {
    static const std::map<int, std::size_t> sizes = {
        {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 8},   {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 4},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 4}, {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 4},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 4}, {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 4}};
    if (std::ranges::count(library().unknown, name) > 0) return CUBLAS_STATUS_INVALID_VALUE;
    return as<Preference>(preference)->attributes.set(sizes, name, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t found[], int* count) {
    ++library().questions;
    *count = 0;
    if (!described(of<Description>(description), of<Layout>(a), of<Layout>(b), of<Layout>(c), of<Layout>(d)))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const Attributes& wanted = of<Preference>(preference).attributes;
    std::uint32_t alignment = 256;
    for (const auto name : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
        alignment = std::min(alignment, wanted.get(name, std::uint32_t{256}));
    const auto parts =
        wanted.get(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_MASK});
    const auto room = wanted.get(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{0});
    for (std::size_t i = 0; i < library().algorithms.size() && *count < most; ++i) {
        const FakeBlas::Algorithm& algorithm = library().algorithms[i];
        if (alignment % algorithm.alignment != 0 || algorithm.workspace > room ||
            (algorithm.splits_k && !(parts & CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)) ||
            !rows_fit(algorithm, {as<Layout>(a), as<Layout>(b), as<Layout>(d)}))
            continue;
        found[(*count)++] = {numbered(i), algorithm.workspace, algorithm.suggested, 1.0f, {}};
    }
    return *count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algorithm, cublasLtMatmulHeuristicResult_t* result) {
    const FakeBlas::Algorithm* const known = find(algorithm);
    if (!known) return CUBLAS_STATUS_INVALID_VALUE;
    if (!described(of<Description>(description), of<Layout>(a), of<Layout>(b), of<Layout>(c), of<Layout>(d)) ||
        !rows_fit(*known, {as<Layout>(a), as<Layout>(b), as<Layout>(d)}))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    *result = {*algorithm, known->workspace, known->checked, 1.0f, {}};
    return known->checked;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace, std::size_t workspace_bytes,
                              cudaStream_t) {
    const FakeBlas::Algorithm* const known = find(algorithm);
    if (!handle || !known) return misused("an algorithm of somebody else");
    const auto& of_a = of<Layout>(a_layout);
    const auto& of_b = of<Layout>(b_layout);
    const auto& of_d = of<Layout>(d_layout);
    auto call = described(of<Description>(description), of_a, of_b, of<Layout>(c_layout), of_d);
    if (!call) return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool whole = of<Description>(description).scale == CUDA_R_32I;
    const auto is = [&](const void* factor, int expected) {
        return whole ? *static_cast<const std::int32_t*>(factor) == expected
                     : *static_cast<const float*>(factor) == static_cast<float>(expected);
    };
    if (!is(alpha, 1) || !is(beta, 0) || c != d) return misused("alpha, beta or C");
    if (known->workspace > (workspace ? workspace_bytes : 0)) return misused("no room to work in");
    for (const auto& [memory, layout] : {std::pair{a, &of_a}, {b, &of_b}, {static_cast<const void*>(d), &of_d}})
        if (!lies_well(*known, memory, *layout)) return misused("an address that the algorithm cannot read");
    library().started.push_back(static_cast<std::size_t>(algorithm->data[1]));
    if (known->starts != CUBLAS_STATUS_SUCCESS) return known->starts;
    call->a = a, call->b = b, call->d = d;
    as<Handle>(handle)->submit([call = *call, known = *known, workspace] {
        if (known.workspace > 0) std::memset(workspace, 0xFF, known.workspace);
        call.run(known);
        library().spent += known.cost;
    });
    return CUBLAS_STATUS_SUCCESS;
}
