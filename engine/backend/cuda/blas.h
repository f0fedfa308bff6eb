// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "engine/backend/cuda/kernels/eight_bit.h"
#include "engine/backend/cuda/kernels/matrix.h"

namespace denoir::cuda {

/// The card's matrix library, opened at run time. The fastest algorithm of each shape is found once by trying, and kept
/// on disk for this card and this version of the library.
class Blas {
public:
    virtual ~Blas() = default;
    /// False where the library does not do this product: use the plain kernel.
    virtual bool multiply(const Product&) = 0;
    /// The product of 8-bit values; C is bf16 for fp8 (scales and bias included), the bare sums in i32 for int8. False:
    /// not on this card.
    virtual bool multiply(const EightBitProduct&) = 0;
    /// Device memory that a product may use while it runs.
    virtual std::size_t workspace_bytes() const = 0;
    virtual void set_workspace(std::byte*) = 0;
};

/// Null, with the reason in `why`, where the library is not there.
std::unique_ptr<Blas> open_blas(Runtime&, std::string& why);

} // namespace denoir::cuda
