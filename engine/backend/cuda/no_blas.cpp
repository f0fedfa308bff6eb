// SPDX-License-Identifier: Apache-2.0
// Stands in for blas_lt.cpp if cuBLASLt's headers are missing at build time.
#include "engine/backend/cuda/blas.h"

namespace denoir::cuda {

std::unique_ptr<Blas> open_blas(Runtime&, std::string& why) {
    why = "this build does not know cuBLASLt";
    return nullptr;
}

} // namespace denoir::cuda
