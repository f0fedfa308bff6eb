// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "engine/backend/cuda/kernels/eight_bit.h"
#include "engine/backend/cuda/kernels/matrix.h"

namespace denoir::cuda {

/// The library for matrix products (cuBLASLt), opened at run time. The fastest algorithm for each shape is found by
/// timing and cached on disk for this card and version of the library.
class Blas {
public:
    virtual ~Blas() = default;
    /// False if the library cannot do this product; the caller falls back to the plain kernel.
    virtual bool multiply(const Product&) = 0;
    /// The product of 8-bit values. For fp8, C is bf16 with scales and bias applied; for int8, the bare sums as i32.
    /// False if this card cannot do it.
    virtual bool multiply(const EightBitProduct&) = 0;
    /// Size of the workspace that set_workspace() takes; without one, only algorithms that need none are used.
    virtual std::size_t workspace_bytes() const = 0;
    virtual void set_workspace(std::byte*) = 0;
};

/// Null, with the reason in `why`, if the library is missing.
std::unique_ptr<Blas> open_blas(Runtime&, std::string& why);

} // namespace denoir::cuda
