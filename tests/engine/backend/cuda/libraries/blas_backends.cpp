// SPDX-License-Identifier: Apache-2.0
// The tests of kernels, with products that go through cuBLASLt.
#include "engine/backend/cuda/cuda_backend.h"
#include "tests/engine/backend/cuda/libraries/fake_blas.h"
#include "tests/engine/backend/kernel_test.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {
namespace {

std::shared_ptr<Backend> with_library(bool backward) {
    const auto runtime = std::make_shared<TimedByBlas>(std::size_t{1} << 30, backward);
    cuda::CudaBackend::Options options;
    options.index = backward ? 1 : 0; // weights remember on which device they are, so each backend has its own
    options.threads = 2;
    options.poison = backward;
    if (backward) options.piece_bytes = 50'000;
    std::string why;
    options.blas = open_fake_blas(*runtime, why);
    if (!options.blas) throw std::runtime_error(why);
    return std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
}

/// Checks what every test of kernels must leave behind.
class UsedAsTheManualSays : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo&) override {
        EXPECT_EQ(fake_blas().misuse, std::vector<std::string>{});
        EXPECT_EQ(fake_blas().alive, 2); // the handles of the two backends
    }
};

/// Checks that the library has computed, and how it was called.
class LibraryIsUsed : public testing::Environment {
    void TearDown() override {
        EXPECT_FALSE(fake_blas().started.empty());
        EXPECT_GT(fake_blas().questions, 0);
    }
};
const auto* const is_used = testing::AddGlobalTestEnvironment(new LibraryIsUsed);

} // namespace

std::span<const std::shared_ptr<Backend>> backends_under_test() {
    // The choices of an earlier version of the program would hide what this one does.
    static const TempFolder home("home");
    static const std::vector<std::shared_ptr<Backend>> all = [] {
        ::setenv("DENOIR_HOME", home.path().c_str(), 1);
        // The second one needs rows and addresses of whole lines, and the third cuts sums into parts.
        fake_blas().algorithms = {{.cost = 30, .alignment = 1},
                                  {.cost = 10, .workspace = 1 << 20, .alignment = 16},
                                  {.cost = 20, .workspace = 4096, .alignment = 2, .splits_k = true}};
        testing::UnitTest::GetInstance()->listeners().Append(new UsedAsTheManualSays);
        return std::vector<std::shared_ptr<Backend>>{with_library(false), with_library(true)};
    }();
    return all;
}

} // namespace denoir::test
