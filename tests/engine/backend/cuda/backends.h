// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/fake_runtime.h"

namespace denoir::test {

/// The CUDA backend on a fake device of `memory` bytes.
struct Emulated {
    std::shared_ptr<cuda::FakeRuntime> runtime;
    std::shared_ptr<cuda::CudaBackend> backend;
    explicit Emulated(std::size_t memory = std::size_t{1} << 30, cuda::EightBit eight_bit = cuda::EightBit::off,
                      bool backward = false, cuda::CudaBackend::Options options = {}) {
        runtime = std::make_shared<cuda::FakeRuntime>(memory, backward);
        options.index = backward ? 1 : 0; // weights remember on which device they are
        options.threads = 2;
        options.eight_bit = eight_bit;
        backend = std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
    }
};

/// What computes in place of PlainDnn, for programs that link another one; else null.
std::unique_ptr<cuda::Dnn> library_under_test(cuda::FakeRuntime&);

} // namespace denoir::test
