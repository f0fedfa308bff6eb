// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/blas.h"
#include "engine/backend/cuda/fake_runtime.h"
#include "tests/engine/backend/cuda/libraries/fake/blas_lt.h"

namespace denoir::test {

/// The stand-in that is loaded as libcublasLt, in any version.
FakeBlas& fake_blas();

/// A card on which the stand-in's algorithms take as long as they claim.
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

/// Opens the stand-in for that card. If it does not start the result is null and `why` says the reason.
std::unique_ptr<cuda::Blas> open_fake_blas(cuda::FakeRuntime&, std::string& why);

} // namespace denoir::test
