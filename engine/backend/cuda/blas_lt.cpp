// SPDX-License-Identifier: Apache-2.0
// The only file that calls cuBLASLt.
#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "engine/backend/cuda/blas.h"
#include "engine/backend/cuda/library.h"
#include "engine/backend/cuda/product_cache.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

namespace denoir::cuda {
namespace {

constexpr std::size_t workspace = std::size_t{64} << 20; ///< twice what NVIDIA recommends for Hopper
constexpr int candidates = 24, rounds = 3, passes = 3;
constexpr float clear_gain = 0.99f;    ///< a faster candidate must take less than this of the best time: not by chance
constexpr float clearly_slower = 1.5f; ///< one that takes so many times the fastest's time is not measured further
constexpr float patience_ms = 1000;    ///< of the card's time: no candidate is begun after that

struct Functions {
    decltype(&cublasLtCreate) create;
    decltype(&cublasLtDestroy) destroy;
    decltype(&cublasLtGetVersion) version;
    decltype(&cublasLtMatmul) matmul;
    decltype(&cublasLtMatmulAlgoCheck) check;
    decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
    decltype(&cublasLtMatmulDescCreate) desc_create;
    decltype(&cublasLtMatmulDescDestroy) desc_destroy;
    decltype(&cublasLtMatmulDescSetAttribute) desc_set;
    decltype(&cublasLtMatrixLayoutCreate) layout_create;
    decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
    decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
    decltype(&cublasLtMatmulPreferenceCreate) preference_create;
    decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
    decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
};

bool find_all(void* library, Functions& f) {
    return find(library, "cublasLtCreate", f.create) && find(library, "cublasLtDestroy", f.destroy) &&
           find(library, "cublasLtGetVersion", f.version) && find(library, "cublasLtMatmul", f.matmul) &&
           find(library, "cublasLtMatmulAlgoCheck", f.check) &&
           find(library, "cublasLtMatmulAlgoGetHeuristic", f.heuristic) &&
           find(library, "cublasLtMatmulDescCreate", f.desc_create) &&
           find(library, "cublasLtMatmulDescDestroy", f.desc_destroy) &&
           find(library, "cublasLtMatmulDescSetAttribute", f.desc_set) &&
           find(library, "cublasLtMatrixLayoutCreate", f.layout_create) &&
           find(library, "cublasLtMatrixLayoutDestroy", f.layout_destroy) &&
           find(library, "cublasLtMatrixLayoutSetAttribute", f.layout_set) &&
           find(library, "cublasLtMatmulPreferenceCreate", f.preference_create) &&
           find(library, "cublasLtMatmulPreferenceDestroy", f.preference_destroy) &&
           find(library, "cublasLtMatmulPreferenceSetAttribute", f.preference_set);
}

void expect(cublasStatus_t status, const char* doing) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw Error("", "device", fmt::format("the card's matrix library failed ({}: {})", doing, static_cast<int>(status)),
                "start again; use the device cpu if it persists");
}

/// One product as the library describes it. Its matrices are stored by columns and ours by rows, so it is asked for
/// C^T = B^T · A^T.
class Description {
public:
    Description(const Functions& f, const Product& p, cudaDataType_t in, cudaDataType_t out) : Description(f) {
        integers = in == CUDA_R_8I;
        const cublasComputeType_t compute = integers ? CUBLAS_COMPUTE_32I
                                            : p.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                     : CUBLAS_COMPUTE_32F;
        expect(f_.desc_create(&desc, compute, integers ? CUDA_R_32I : CUDA_R_32F), "describing");
        const cublasOperation_t turned = p.b_is_kn ? CUBLAS_OP_N : CUBLAS_OP_T;
        set(CUBLASLT_MATMUL_DESC_TRANSA, turned);
        if (p.bias) {
            const void* bias = p.c_type == Type::f32 ? p.bias : p.bias_as_c;
            set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
            const cudaDataType_t type = out;
            set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type);
        }
        const cublasLtEpilogue_t epilogue = p.activation == Curve::gelu_tanh
                                                ? (p.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU)
                                                : (p.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
        describe(b, in, p.b_is_kn ? p.n : p.k, p.b_is_kn ? p.k : p.n, p.ldb, p.batch, p.b_step);
        describe(a, in, p.k, p.m, p.lda, p.batch, p.a_step);
        describe(c, out, p.n, p.m, p.ldc, p.batch, p.c_step);
    }
    ~Description() {
        for (const cublasLtMatrixLayout_t layout : {a, b, c})
            if (layout) f_.layout_destroy(layout);
        if (desc) f_.desc_destroy(desc);
    }
    Description(const Description&) = delete;

    template <class T> void set(cublasLtMatmulDescAttributes_t name, const T& value) {
        expect(f_.desc_set(desc, name, &value, sizeof value), "describing");
    }

    cublasLtMatmulDesc_t desc = nullptr;
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
    bool integers = false;

private:
    /// The public constructor delegates to this one, so that the destructor runs even if it throws.
    explicit Description(const Functions& f) : f_(f) {}
    void describe(cublasLtMatrixLayout_t& made, cudaDataType_t type, std::int64_t rows, std::int64_t columns,
                  std::int64_t stride, std::int64_t batch, std::int64_t step) {
        expect(f_.layout_create(&made, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
                                stride),
               "describing");
        if (batch > 1) {
            const auto count = static_cast<std::int32_t>(batch);
            expect(f_.layout_set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count), "describing");
            expect(f_.layout_set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step), "describing");
        }
    }
    const Functions& f_;
};

class BlasLt final : public Blas {
public:
    BlasLt(Runtime& runtime, const Functions& functions, cublasLtHandle_t handle)
        : runtime_(runtime),
          f_(functions),
          cache_(ProductCache::file("products", runtime.properties().name, functions.version())),
          handle_(handle) {}
    ~BlasLt() override { f_.destroy(handle_); }
    bool multiply(const Product& p) override {
        const cudaDataType_t in = p.type == Type::bf16 ? CUDA_R_16BF : CUDA_R_32F;
        Description d(f_, p, in, p.c_type == Type::bf16 ? CUDA_R_16BF : CUDA_R_32F);
        return run(p, d, p.type == Type::bf16 ? "bf16" : p.tf32 ? "tf32" : "f32");
    }
    bool multiply(const EightBitProduct& e) override {
        Product p;
        p.m = e.m;
        p.n = e.n;
        p.k = p.lda = p.ldb = e.k;
        p.a = e.a;
        p.b = e.b;
        p.c = e.c;
        p.ldc = e.ldc;
        if (e.kind == EightBit::int8) {
            Description d(f_, p, CUDA_R_8I, CUDA_R_32I);
            return run(p, d, "int8");
        }
#if CUBLAS_VERSION >= 120900
        if (f_.version() < 120900) return false; // it does not know a scale for every row
        p.c_type = Type::bf16;
        p.bias = e.bias;
        p.bias_as_c = e.bias_bf16;
        Description d(f_, p, CUDA_R_8F_E4M3, CUDA_R_16BF);
        // The library's A is our B.
        d.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void*>(e.b_scale));
        d.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, static_cast<const void*>(e.a_scale));
        const auto per_row = static_cast<std::int32_t>(CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
        d.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, per_row);
        d.set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, per_row);
        // Sums stay in the matrix unit for longer, with fewer bits than f32 but more than the three of the factors.
        // This is much faster on sm_90, which otherwise moves them out after every few products.
        d.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
        return run(p, d, "fp8");
#else
        return false;
#endif
    }
    std::size_t workspace_bytes() const override { return workspace; }
    void set_workspace(std::byte* memory) override { workspace_ = memory; }

private:
    /// The number of bytes that the addresses of all matrices of a batch are a multiple of. Not more than the arena
    /// promises: otherwise the algorithm, and with it the last bits of a result, would depend on where a block happens
    /// to lie.
    static std::uint32_t alignment(const void* at, const Product& p, std::int64_t step, Type type) {
        constexpr int arena = 6; // 2^6
        auto bits = reinterpret_cast<std::uintptr_t>(at);
        if (p.batch > 1) bits |= static_cast<std::uintptr_t>(step) * (type == Type::bf16 ? 2 : 4);
        return std::uint32_t{1} << std::min(std::countr_zero(bits), arena);
    }
    static std::uint32_t alignment_a(const Product& p) { return alignment(p.a, p, p.a_step, p.type); }
    static std::uint32_t alignment_b(const Product& p) { return alignment(p.b, p, p.b_step, p.type); }
    static std::uint32_t alignment_c(const Product& p) { return alignment(p.c, p, p.c_step, p.c_type); }

    static std::string key(const Product& p, std::string_view type) {
        // The alignment is part of it because it decides which algorithms are possible.
        return fmt::format("{}:{}x{}x{}:{}:{},{},{}:{}{}{}:{}:{},{},{}", type, p.m, p.n, p.k, p.batch, p.lda, p.ldb,
                           p.ldc, p.b_is_kn ? "n" : "t", p.bias ? "b" : "-", static_cast<int>(p.activation),
                           p.c_type == Type::bf16 ? "bf16" : "f32", alignment_a(p), alignment_b(p), alignment_c(p));
    }

    /// Throws Error if memory is missing: there may be enough on another rung, and the algorithm is not to blame.
    cublasStatus_t start(const Product& p, const Description& d, const cublasLtMatmulAlgo_t& algorithm) {
        const float one = 1, zero = 0;
        const std::int32_t whole_one = 1, whole_zero = 0;
        const void* alpha = d.integers ? static_cast<const void*>(&whole_one) : &one;
        const void* beta = d.integers ? static_cast<const void*>(&whole_zero) : &zero;
        const cublasStatus_t status =
            f_.matmul(handle_, d.desc, alpha, p.b, d.b, p.a, d.a, beta, p.c, d.c, p.c, d.c, &algorithm, workspace_,
                      workspace_ ? workspace : 0, static_cast<cudaStream_t>(runtime_.stream()));
        if (status == CUBLAS_STATUS_ALLOC_FAILED)
            throw Error("", "memory", "the card has no memory left (matrix product)",
                        "use a smaller size, fewer frames or bf16, or close other programs that use the card");
        return status;
    }

    std::vector<cublasLtMatmulHeuristicResult_t> suggestions(const Product& p, const Description& d, int most) {
        cublasLtMatmulPreference_t preference = nullptr;
        expect(f_.preference_create(&preference), "asking");
        bool understood = true;
        const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t name, const auto& value) {
            understood &= f_.preference_set(preference, name, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
        };
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_ ? workspace : std::size_t{0});
        // Parts of a sum are added in f32, not in place in the result's bf16. If K is no multiple of the tiles' depth,
        // a sum must not be cut into parts: cuBLAS 12.8 and 13.1 then leave out its last values, on Hopper and
        // Blackwell (facebookexperimental/triton, pull request 2767).
        constexpr std::int64_t deepest_tile = 128;
        prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
               std::uint32_t{p.k % deepest_tile == 0 ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
                                                     : CUBLASLT_REDUCTION_SCHEME_NONE});
        // Unless it is told, the library takes addresses for multiples of 256. (Its A is our B.)
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_b(p));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_a(p));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_c(p));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_c(p));
        std::vector<cublasLtMatmulHeuristicResult_t> found(static_cast<std::size_t>(most));
        int count = 0;
        // If it has not understood, what it suggests might exceed the workspace, or rely on an alignment that the
        // addresses do not have.
        const cublasStatus_t status =
            understood ? f_.heuristic(handle_, d.desc, d.b, d.a, d.c, d.c, preference, most, found.data(), &count)
                       : CUBLAS_STATUS_NOT_SUPPORTED;
        f_.preference_destroy(preference);
        found.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<std::size_t>(count) : 0);
        return found;
    }

    /// Whether the library accepts an algorithm that comes from a file: it may have been made by another version.
    bool accepted(const Description& d, const cublasLtMatmulAlgo_t& algorithm) {
        cublasLtMatmulHeuristicResult_t checked{};
        return f_.check(handle_, d.desc, d.b, d.a, d.c, d.c, &algorithm, &checked) == CUBLAS_STATUS_SUCCESS &&
               checked.workspaceSize <= (workspace_ ? workspace : 0);
    }

    bool run(const Product& p, const Description& d, std::string_view type) {
        runtime_.stream(); // the library asks for this thread's card
        const std::string name = key(p, type);
        if (refused_.contains(name)) return false;
        if (const auto known = cache_.find(name)) {
            const auto algorithm = std::bit_cast<cublasLtMatmulAlgo_t>(*known);
            if ((trusted_.contains(name) || accepted(d, algorithm)) &&
                start(p, d, algorithm) == CUBLAS_STATUS_SUCCESS) {
                trusted_.insert(name);
                return true;
            }
            if (!runtime_.recording()) {
                log::info(fmt::format("cuBLASLt does not accept what was kept for {}; choosing again", name));
                trusted_.erase(name);
                cache_.forget(name);
            }
        }
        if (runtime_.recording()) { // nothing can be timed now; and since CUDA 13.3 the library makes no suggestions
                                    // either (mudler/vllm.cpp #1732), so that this cannot be recorded
            const auto first = suggestions(p, d, 1);
            // False would mean that our slower kernel is recorded for good.
            if (first.empty() || start(p, d, first[0].algo) != CUBLAS_STATUS_SUCCESS)
                throw Error("", "device", fmt::format("cuBLASLt does not start {} while it is recorded", name));
            return true;
        }
        const auto fastest = choose(p, d, name);
        if (!fastest) {
            refused_.insert(name);
            return false;
        }
        cache_.keep(name, std::bit_cast<ProductCache::Words>(*fastest));
        trusted_.insert(name);
        return start(p, d, *fastest) == CUBLAS_STATUS_SUCCESS;
    }

    struct Candidate {
        cublasLtMatmulAlgo_t algorithm;
        float time; ///< of `rounds` calls in milliseconds, the least of several passes
    };

    /// The fastest of the library's suggestions, as measured; empty if none of them runs.
    std::optional<cublasLtMatmulAlgo_t> choose(const Product& p, const Description& d, std::string_view name) {
        float spent = 0;
        std::vector<Candidate> running = timed_once(p, d, name, spent);
        if (running.empty()) return {};
        const float least = std::ranges::min(running, {}, &Candidate::time).time;
        std::erase_if(running, [&](const Candidate& c) { return c.time > clearly_slower * least; });
        // They take turns, so that a delay of the host or a change of the card's clocks does not decide.
        for (int pass = 1; pass < passes && spent < patience_ms; ++pass)
            for (Candidate& c : running) {
                const float time = time_of(p, d, c.algorithm);
                c.time = std::min(c.time, time);
                spent += time;
            }
        const Candidate* fastest = &running[0];
        for (const Candidate& c : running)
            if (c.time < clear_gain * fastest->time) fastest = &c;
        const double ms = fastest->time / rounds, work = 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.m) *
                                                         static_cast<double>(p.n) * static_cast<double>(p.k);
        log::info(fmt::format("cuBLASLt takes number {} of {} for {}: {:.4f} ms, {:.0f} TFLOP/s", fastest - &running[0],
                              running.size(), name, ms, work / ms / 1e9));
        return fastest->algorithm;
    }

    /// Those of the library's suggestions that run, in its order, each timed once. Adds their milliseconds to `spent`.
    std::vector<Candidate> timed_once(const Product& p, const Description& d, std::string_view name, float& spent) {
        std::vector<Candidate> running;
        const auto all = suggestions(p, d, candidates);
        cublasStatus_t last = CUBLAS_STATUS_NOT_SUPPORTED; // of the last suggestion
        for (const auto& suggested : all) {
            if (spent > patience_ms) break;
            last = suggested.state;
            if (last == CUBLAS_STATUS_SUCCESS) last = start(p, d, suggested.algo);
            if (last != CUBLAS_STATUS_SUCCESS) continue;
            if (running.empty()) warm_up([&] { return time_of(p, d, suggested.algo); });
            const float time = time_of(p, d, suggested.algo);
            if (time == failed) continue;
            running.push_back({suggested.algo, time});
            spent += time;
        }
        if (running.empty())
            log::info(fmt::format("cuBLASLt does not compute {} ({} suggestions, status {})", name, all.size(),
                                  static_cast<int>(last)));
        return running;
    }

    static constexpr float failed = std::numeric_limits<float>::max();
    /// Milliseconds of `rounds` calls, or `failed`.
    float time_of(const Product& p, const Description& d, const cublasLtMatmulAlgo_t& algorithm) {
        bool good = true;
        const float time = runtime_.time([&] {
            for (int i = 0; i < rounds && good; ++i) good = start(p, d, algorithm) == CUBLAS_STATUS_SUCCESS;
        });
        return good ? time : failed;
    }

    Runtime& runtime_;
    Functions f_;
    ProductCache cache_;
    cublasLtHandle_t handle_;
    std::byte* workspace_ = nullptr;
    std::set<std::string> refused_; ///< products that the library cannot do
    std::set<std::string> trusted_; ///< products whose algorithm has run in this process
};
static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(ProductCache::Words));

} // namespace

std::unique_ptr<Blas> open_blas(Runtime& runtime, std::string& why) {
    runtime.stream(); // the library asks for this thread's card
    why.clear();
    // The version that this was compiled with comes first: the driver is new enough for it, but perhaps not for the
    // other.
    std::array names{"libcublasLt.so.13", "libcublasLt.so.12"};
    if (CUBLAS_VER_MAJOR < 13) std::swap(names[0], names[1]);
    for (const char* name : names) {
        std::string missing;
        void* library = open_library({name}, missing);
        Functions functions{};
        cublasLtHandle_t handle = nullptr;
        if (!library) {
            if (why.empty()) why = missing;
        } else if (!find_all(library, functions)) {
            why = fmt::format("{} is too old", name);
        } else if (const auto status = functions.create(&handle); status != CUBLAS_STATUS_SUCCESS) {
            why = fmt::format("{} does not start ({})", name, static_cast<int>(status));
        } else {
            return std::make_unique<BlasLt>(runtime, functions, handle);
        }
    }
    return nullptr;
}

} // namespace denoir::cuda
