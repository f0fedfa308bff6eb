// SPDX-License-Identifier: Apache-2.0
// What is said where cuDNN cannot be used. Libraries stay open, so each case is a process of its own; its loader knows
// no other libraries than it is told.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "tests/engine/backend/cuda/libraries/fake_dnn.h"

namespace {
std::map<std::string, std::string> libraries; ///< files by their names
bool alone = false;                           ///< no other libraries are there
std::string missing, asked;

template <class F> F* next(const char* name) { return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name)); }
} // namespace

extern "C" void* dlopen(const char* name, int flags) noexcept {
    static auto* const real = next<void*(const char*, int)>("dlopen");
    if (!alone || !name) return real(name, flags);
    const std::string last = std::filesystem::path(name).filename();
    if (last == name) asked += last + ' ';
    if (libraries.contains(last)) return real(libraries[last].c_str(), flags);
    missing = fmt::format("{}: cannot open shared object file: No such file or directory", name);
    return nullptr;
}
extern "C" char* dlerror() noexcept {
    static auto* const real = next<char*()>("dlerror");
    static std::string told;
    told = std::exchange(missing, {});
    return told.empty() ? real() : told.data();
}

namespace denoir::test {
namespace {

const std::string cudnn = DENOIR_FAKE_CUDNN, cudart = DENOIR_FAKE_CUDART;
const std::string own = std::filesystem::path(cudart).filename(),
                  other = own == "libcudart.so.12" ? "libcudart.so.13" : "libcudart.so.12";

/// Writes why cuDNN cannot be used, or which files were looked for.
[[noreturn]] void open(std::map<std::string, std::string> there, const std::function<void(FakeDnn&)>& change = {}) {
    FakeDnn& fake = fake_dnn();
    if (change) change(fake);
    libraries = std::move(there);
    alone = true;
    unsetenv("CUDNN_FRONTEND_CUDART_LIB_NAME");
    cuda::FakeRuntime runtime(1 << 20);
    std::string why;
    const auto dnn = cuda::open_dnn(runtime, why);
    const char* chosen = std::getenv("CUDNN_FRONTEND_CUDART_LIB_NAME");
    if (dnn)
        std::fprintf(stderr, "[%s] %s", asked.c_str(), chosen ? chosen : "");
    else
        std::fprintf(stderr, "[%s], %d handles", why.c_str(), fake.handles);
    std::_Exit(0);
}
#define EXPECT_SAID(text, ...) EXPECT_EXIT(open(__VA_ARGS__), testing::ExitedWithCode(0), text)

TEST(DnnOpen, SaysWhatIsMissing) {
    EXPECT_SAID("\\[" + own + " is not installed\\]", {{"libcudnn.so.9", cudnn}});
    EXPECT_SAID("\\[libcudnn.so.9 is not installed\\]", {{own, cudart}});
    EXPECT_SAID("\\[.*: (invalid ELF header|file too short)\\]", {{own, cudart}, {"libcudnn.so.9", __FILE__}});
    EXPECT_SAID("\\[libcudnn is not one that is known: functions are missing\\]",
                {{own, cudart}, {"libcudnn.so.9", cudart}});
}

TEST(DnnOpen, SaysWhatDoesNotStart) {
    const std::map<std::string, std::string> both{{own, cudart}, {"libcudnn.so.9", cudnn}};
    EXPECT_SAID("\\[libcudnn does not start\\], 0 handles", both, [](FakeDnn& fake) { fake.creates = false; });
    EXPECT_SAID("\\[libcudnn does not take the card's queue\\], 0 handles", both,
                [](FakeDnn& fake) { fake.takes_stream = false; });
}

TEST(DnnOpen, OfTwoRuntimesTheOneThatThisWasMadeWithIsUsed) {
    EXPECT_SAID("\\] $", {{own, cudart}, {"libcudnn.so.9", cudnn}});
    EXPECT_SAID("\\] $", {{other, cudart}, {"libcudnn.so.9", cudnn}});
    EXPECT_SAID("\\] " + own + "$", {{own, cudart}, {other, cudart}, {"libcudnn.so.9", cudnn}});
}

/// cuDNN looks for its compiler by its plain name, and the compiler does so for a library of its own.
TEST(DnnOpen, OpensTheCompiler) {
    EXPECT_SAID("libcudnn.so.9 libnvrtc.so.13 libnvrtc-builtins.so.13.1 \\]",
                {{own, cudart}, {"libcudnn.so.9", cudnn}, {"libnvrtc.so.13", cudart}},
                [](FakeDnn& fake) { fake.made_with = 13010; });
}

} // namespace
} // namespace denoir::test
