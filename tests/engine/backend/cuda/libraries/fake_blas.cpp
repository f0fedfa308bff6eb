// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/libraries/fake_blas.h"

#include <dlfcn.h>

#include <stdexcept>

namespace denoir::test {

FakeBlas& fake_blas() {
    static FakeBlas* const there = [] {
        void* library = ::dlopen("libcublasLt.so.13", RTLD_NOW | RTLD_GLOBAL);
        void* own = library ? ::dlsym(library, "denoir_fake_blas") : nullptr;
        if (!own) throw std::runtime_error("LD_LIBRARY_PATH must begin with the folder of the stand-ins");
        return reinterpret_cast<decltype(&denoir_fake_blas)>(own)();
    }();
    return *there;
}

std::unique_ptr<cuda::Blas> open_fake_blas(cuda::FakeRuntime& runtime, std::string& why) {
    fake_blas().submit = [&runtime](std::function<void()> work) { runtime.submit(std::move(work)); };
    return cuda::open_blas(runtime, why);
}

} // namespace denoir::test
