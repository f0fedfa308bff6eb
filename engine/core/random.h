// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "engine/core/tensor.h"

namespace denoir {

/// Standard normal numbers as `torch.randn(shape, generator=torch.Generator("cpu").manual_seed(seed))` draws them in
/// f32 (spec/pipelines.md 1.6). In draws of 16 numbers and more, the last bits may differ, as they do between PyTorch's
/// own loops for different processors. Another draw continues the stream. Results are f32 on the host.
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
    std::optional<double> spare_; ///< the unused second number of a pair, for the next draw of fewer than 16 numbers
};

/// The same for PyTorch's CUDA generator on a card with `multiprocessors` (at least 1) of 2048 threads each
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
