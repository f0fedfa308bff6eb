// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/fake_runtime.h"

namespace denoir::test {

/// The CUDA backend on an emulated device with `memory` bytes.
struct Emulated {
    std::shared_ptr<cuda::FakeRuntime> runtime;
    std::shared_ptr<cuda::CudaBackend> backend;
    explicit Emulated(std::size_t memory = std::size_t{1} << 30, cuda::EightBit eight_bit = cuda::EightBit::off,
                      bool backward = false, cuda::CudaBackend::Options options = {}) {
        runtime = std::make_shared<cuda::FakeRuntime>(memory, backward);
        options.index = backward ? 1 : 0; // weights remember on which device they are, so each backend has its own
        options.threads = 2;
        options.eight_bit = eight_bit;
        backend = std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
    }
};

/// A library that computes in place of PlainDnn, in programs that link one; otherwise null.
std::unique_ptr<cuda::Dnn> library_under_test(cuda::FakeRuntime&);

} // namespace denoir::test
