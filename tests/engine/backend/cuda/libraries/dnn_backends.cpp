// SPDX-License-Identifier: Apache-2.0
// The emulated card with what speaks to cuDNN, for tests of kernels: all that the library can do goes through it.
// FAKE_DNN_COMPOSITE=1: it knows attention only as a graph of matrix products.
#include <cstdlib>

#include "engine/core/log.h"
#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/cuda/libraries/fake_dnn.h"
#include "tests/engine/backend/kernel_test.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {
namespace {

bool composite() { return std::getenv("FAKE_DNN_COMPOSITE") != nullptr; }

/// Checks that the library has computed, and that it had no reason to refuse anything.
class LibraryIsUsed : public testing::Environment {
    void SetUp() override {
        log::set_sink([this](log::Level, std::string_view line) {
            const bool expected = composite() && (line.find("the plan cannot be built") != line.npos ||
                                                  line.find("could not build a plan") != line.npos);
            if (line.find("cuDNN") != line.npos && !expected) lines_.emplace_back(line);
        });
    }
    void TearDown() override {
        const auto started = [](FakeDnn::Pattern pattern) {
            const auto& plans = fake_dnn().plans[pattern];
            return plans.empty() ? 0 : plans[0].started;
        };
        EXPECT_GT(started(composite() ? FakeDnn::composite_attention : FakeDnn::unified_attention), 0);
        EXPECT_EQ(started(composite() ? FakeDnn::unified_attention : FakeDnn::composite_attention), 0);
        EXPECT_TRUE(composite() || started(FakeDnn::convolution) > 0);
        for (const std::string& why : fake_dnn().refused) ADD_FAILURE() << why;
        for (const std::string& line : lines_) ADD_FAILURE() << line;
        log::set_sink(nullptr);
    }
    std::vector<std::string> lines_;
};
const auto* const is_used = testing::AddGlobalTestEnvironment(new LibraryIsUsed);

std::shared_ptr<Backend> with_library(bool backward) {
    const auto runtime = std::make_shared<cuda::FakeRuntime>(std::size_t{1} << 30, backward);
    cuda::CudaBackend::Options options;
    options.index = backward ? 1 : 0; // weights remember on which device they are, so each backend has its own
    options.threads = 2;
    options.poison = backward;
    options.dnn = library_under_test(*runtime);
    return std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
}

} // namespace

std::unique_ptr<cuda::Dnn> library_under_test(cuda::FakeRuntime& runtime) {
    // The choices of an earlier version of the program would hide what this one does.
    static const TempFolder home("home");
    ::setenv("DENOIR_HOME", home.path().c_str(), 1);
    for (auto& plans : fake_dnn().plans)
        if (plans.empty()) plans.push_back({.workspace = 1000});
    fake_dnn().plans[FakeDnn::unified_attention][0].builds = !composite();
    return open_fake_dnn(runtime);
}

std::span<const std::shared_ptr<Backend>> backends_under_test() {
    static const std::vector<std::shared_ptr<Backend>> all = {with_library(false), with_library(true)};
    return all;
}

} // namespace denoir::test
