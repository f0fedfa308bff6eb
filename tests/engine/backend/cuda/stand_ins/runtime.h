// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "engine/backend/cuda/blas.h"
#include "engine/backend/cuda/fake_runtime.h"
#include "tests/engine/backend/cuda/stand_ins/cublas_lt.h"

namespace denoir::test {

/// The stand-in that the loader finds as the library, with its standing orders forgotten.
inline FakeCublasLt& fresh_cublas_lt() {
    static const auto get = [] {
        void* library = ::dlopen("libcublasLt.so.13", RTLD_NOW | RTLD_GLOBAL);
        return library ? reinterpret_cast<decltype(&fake_cublas_lt)>(::dlsym(library, "fake_cublas_lt")) : nullptr;
    }();
    if (!get) throw std::runtime_error("the stand-in for cuBLASLt is not on the loader's path");
    FakeCublasLt& library = *get();
    library = {};
    library.submit = [](void* stream, std::function<void()> work) {
        static_cast<cuda::FakeRuntime*>(stream)->submit(std::move(work));
    };
    return library;
}

/// A fake device whose stream the stand-ins know, and on which products take as long as their algorithms say.
class StreamRuntime final : public cuda::FakeRuntime {
public:
    using FakeRuntime::FakeRuntime;
    void* stream() const override { return const_cast<FakeRuntime*>(static_cast<const FakeRuntime*>(this)); }
    float time(const std::function<void()>& work) override {
        wait();
        const float before = library_.milliseconds;
        FakeRuntime::time(work);
        return library_.milliseconds - before;
    }

private:
    FakeCublasLt& library_ = *reinterpret_cast<decltype(&fake_cublas_lt)>(::dlsym(RTLD_DEFAULT, "fake_cublas_lt"))();
};

} // namespace denoir::test
