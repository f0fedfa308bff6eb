// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "engine/core/tensor.h"

namespace denoir {

/// Standard normal numbers as `torch.randn(shape, generator=torch.Generator("cpu").manual_seed(seed))` draws them in
/// f32 (spec/pipelines.md 1.6). The last bits of draws of 16 numbers and more may differ, as they do between PyTorch's
/// own loops for different processors. A second draw continues the stream. Returns f32 on the host.
class TorchCpuGenerator {
public:
    explicit TorchCpuGenerator(std::uint64_t seed);
    Tensor randn(const Shape& shape);

private:
    std::uint32_t next();
    float uniform();
    double uniform_double();
    double normal_double();
    std::uint32_t state_[624];
    int index_ = 624;
    std::optional<double> spare_; ///< second of the last pair that a draw of fewer than 16 numbers made
};

/// The same for PyTorch's CUDA generator on a card of `multiprocessors` (at least 1) with 2048 threads each
/// (Philox4x32-10; spec/pipelines.md 1.6).
class TorchCudaGenerator {
public:
    TorchCudaGenerator(std::uint64_t seed, int multiprocessors);
    Tensor randn(const Shape& shape);

private:
    std::uint64_t seed_, offset_ = 0;
    int multiprocessors_;
};

} // namespace denoir
