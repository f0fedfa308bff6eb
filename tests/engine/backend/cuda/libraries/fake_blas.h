// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/blas.h"
#include "engine/backend/cuda/fake_runtime.h"
#include "tests/engine/backend/cuda/libraries/fake/blas_lt.h"

namespace denoir::test {

/// The stand-in that is found as libcublasLt, of any version.
FakeBlas& fake_blas();

/// A card on which the stand-in's algorithms take as long as they say.
class TimedByBlas final : public cuda::FakeRuntime {
public:
    using FakeRuntime::FakeRuntime;
    float time(const std::function<void()>& work) override {
        wait();
        const float before = fake_blas().spent;
        FakeRuntime::time(work);
        return fake_blas().spent - before;
    }
};

/// Opens it for that card; null, with the reason in `why`, where it does not start.
std::unique_ptr<cuda::Blas> open_fake_blas(cuda::FakeRuntime&, std::string& why);

} // namespace denoir::test
