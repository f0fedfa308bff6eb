// SPDX-License-Identifier: Apache-2.0
// Stands in for blas_lt.cpp where cuBLASLt's headers were not there at build time.
#include "engine/backend/cuda/blas.h"

namespace denoir::cuda {

std::unique_ptr<Blas> open_blas(Runtime&, std::string& why) {
    why = "this build does not know cuBLASLt";
    return nullptr;
}

} // namespace denoir::cuda
