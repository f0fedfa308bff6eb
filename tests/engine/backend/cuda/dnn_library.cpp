// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/dnn_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace denoir::test {

FakeDnn& fake_dnn() {
    static FakeDnn* const there = [] {
        void* library = ::dlopen("libcudnn.so.9", RTLD_NOW | RTLD_GLOBAL);
        const auto hook = library ? reinterpret_cast<FakeDnnHook>(::dlsym(library, "denoir_fake_dnn")) : nullptr;
        if (hook) return hook();
        ADD_FAILURE() << "LD_LIBRARY_PATH must begin with the folder of the stand-ins";
        std::exit(1);
    }();
    return *there;
}

std::unique_ptr<cuda::Dnn> open_fake_dnn(cuda::FakeRuntime& runtime) {
    FakeDnn& fake = fake_dnn();
    for (auto& plans : fake.plans)
        if (plans.empty()) plans.resize(1);
    fake.submit = [&runtime](std::function<void()> work) { runtime.submit(std::move(work)); };
    std::string why;
    auto dnn = cuda::open_dnn(runtime, why);
    EXPECT_TRUE(dnn) << why;
    return dnn;
}

} // namespace denoir::test
