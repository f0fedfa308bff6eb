// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/libraries/fake_dnn.h"

#include <dlfcn.h>

#include <stdexcept>

namespace denoir::test {

FakeDnn& fake_dnn() {
    static FakeDnn* const there = [] {
        void* library = ::dlopen("libcudnn.so.9", RTLD_NOW | RTLD_GLOBAL);
        const auto hook = library ? reinterpret_cast<FakeDnnHook>(::dlsym(library, "denoir_fake_dnn")) : nullptr;
        if (!hook) throw std::runtime_error("LD_LIBRARY_PATH must begin with the folder of the stand-ins");
        return hook();
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
    if (!dnn) throw std::runtime_error(why);
    return dnn;
}

} // namespace denoir::test
