// SPDX-License-Identifier: Apache-2.0
// The tests of kernels, with products that go through cuBLASLt.
#include "engine/backend/cuda/cuda_backend.h"
#include "tests/engine/backend/cuda/stand_ins/runtime.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

FakeCublasLt& library = fresh_cublas_lt();

std::shared_ptr<Backend> with_library(bool backward) {
    const auto runtime = std::make_shared<StreamRuntime>(std::size_t{1} << 30, backward);
    cuda::CudaBackend::Options options;
    options.index = backward ? 1 : 0; // weights remember on which device they are
    options.threads = 2;
    options.poison = backward;
    if (backward) options.score_bytes = 50'000;
    std::string why;
    options.blas = cuda::open_blas(*runtime, why);
    if (!options.blas) throw std::runtime_error(why);
    return std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
}

/// What every test of kernels must leave behind.
class UsedAsTheManualSays : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo&) override {
        EXPECT_EQ(library.misuse, std::vector<std::string>{});
        EXPECT_EQ(library.alive, 2); // the handles of the two
    }
    void OnTestProgramEnd(const testing::UnitTest&) override { EXPECT_FALSE(library.started.empty()); }
};

} // namespace

std::span<const std::shared_ptr<Backend>> backends_under_test() {
    static const std::vector<std::shared_ptr<Backend>> all = [] {
        // The second suits none but rows and addresses of whole lines; the third cuts sums into parts.
        library.algorithms = {{.milliseconds = 30, .alignment = 1},
                              {.milliseconds = 10, .workspace = 1 << 20, .alignment = 16},
                              {.milliseconds = 20, .workspace = 4096, .alignment = 2, .splits_k = true}};
        testing::UnitTest::GetInstance()->listeners().Append(new UsedAsTheManualSays);
        return std::vector<std::shared_ptr<Backend>>{with_library(false), with_library(true)};
    }();
    return all;
}

} // namespace denoir::test
